package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/aero-operator/aero/cmd/kubectl-aero/internal/table"
)

// formats are the values of --output.
var formats = []string{"json", "yaml"}

// output is the flag of commands that others may read.
func output(command *cobra.Command) *string {
	format := command.Flags().StringP("output", "o", "", "Output format, in place of the table: json or yaml")
	complete(command, "output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	return format
}

// print writes a value in a format, or as a table where none is given.
func (p *plugin) print(format string, value any, write func(*table.Writer) error) error {
	var text []byte
	var err error
	switch format {
	case "":
		return write(p.writer())
	case "json":
		text, err = json.MarshalIndent(value, "", "    ")
		text = append(text, '\n')
	case "yaml":
		text, err = yaml.Marshal(value)
	default:
		return fmt.Errorf("unknown --output %q: use %s", format, strings.Join(formats, " or "))
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(p.streams.Out, table.EscapeJSON(string(text)))
	return err
}

// hiddenKinds is the line about what the caller may not list; empty if that is nothing.
func hiddenKinds(kinds []string) string {
	if len(kinds) == 0 {
		return ""
	}
	return "Not shown, as you may not list them here: " + strings.Join(kinds, ", ")
}

// escaping writes lines of others, each of which is one write, so that they control no terminal.
type escaping struct{ out io.Writer }

func (e escaping) Write(line []byte) (int, error) {
	_, err := fmt.Fprintln(e.out, table.Escape(strings.TrimSuffix(string(line), "\n")))
	return len(line), err
}
