package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/cmd/kubectl-aero/internal/table"
	"github.com/aero-operator/aero/controllers/export"
)

// Exit codes of export, besides 0 and that of errors.
const exitUnread = 3

// codedError has an exit code of its own.
type codedError struct {
	error
	code int
}

// exportFlags are those that have to be parsed.
type exportFlags struct {
	mode, layout, directory, authSecret string
}

func (p *plugin) export() *cobra.Command {
	var o export.Options
	var f exportFlags
	command := &cobra.Command{
		Use: "export --project PROJECT", Short: "Write manifests of what exists at Aiven", Args: cobra.NoArgs,
		Long: "Reads a project at Aiven with the token in AIVEN_TOKEN, and writes an object for each resource. AIVEN_WEB_URL is the address " +
			"of the API, if it isn't Aiven's own. It needs no cluster, and changes nothing. With a cluster, its API server checks the manifests in a dry run. The objects only observe, unless --mode is manage, and release what they manage when they are deleted. No " +
			"secret is written. What isn't exported is listed on the standard error.\n\n" +
			"Exit codes: 0, everything was read; 1, an error, or an object that differs from Aiven or would be refused by the API server; 3, something couldn't be read, and " +
			"the rest was exported.",
		Example: "  kubectl aero export --project prod > prod.yaml\n  kubectl aero export --project prod --service my-pg -n orders --layout dir --directory prod",
	}
	flags := command.Flags()
	flags.StringVar(&o.Project, "project", "", "Project at Aiven; required")
	flags.StringVar(&o.Service, "service", "", "Service to export alone, with what is in it")
	flags.StringSliceVar(&o.Kinds, "kinds", nil, "Kinds to export, with commas in between. Defaults to all")
	flags.StringVar(&f.mode, "mode", "observe", "Mode of the objects at first: observe or manage")
	flags.StringVar(&f.layout, "layout", "stream", "Target of the manifests: stream, to the standard output, or dir, to files in --directory")
	flags.StringVar(&f.directory, "directory", "", "Folder for --layout dir, which must be empty or missing. Defaults to the name of the project")
	flags.StringVar(&f.authSecret, "auth-secret", "", "Secret with the token of the objects, as name/key. Defaults to none: the token of the Namespace or operator")
	flags.StringToStringVar(&o.Labels, "label", nil, "Label of each object, as key=value")
	flags.StringToStringVar(&o.Annotations, "annotation", nil, "Annotation of each object, as key=value")
	flags.BoolVar(&o.IncludeDefaults, "include-defaults", false, "Options that have their default, too, which pins them")
	flags.BoolVar(&o.Verify, "verify", true, "Comparison of each object with Aiven, as the operator makes it, and a dry run by the API server, if there is one")
	complete(command, "mode", cobra.FixedCompletions([]string{"observe", "manage"}, cobra.ShellCompDirectiveNoFileComp))
	complete(command, "layout", cobra.FixedCompletions([]string{"stream", "dir"}, cobra.ShellCompDirectiveNoFileComp))
	complete(command, "kinds", cobra.FixedCompletions(export.Kinds(), cobra.ShellCompDirectiveNoFileComp))
	command.RunE = func(command *cobra.Command, _ []string) error {
		o.URL, o.Token, o.UserAgent = p.login()
		o.Namespace = *p.flags.Namespace
		if err := f.parse(&o); err != nil {
			return err
		}
		return p.runExport(command.Context(), o, f)
	}
	return command
}

// login is that of the user's own token.
func (p *plugin) login() (url, token, userAgent string) {
	return os.Getenv("AIVEN_WEB_URL"), strings.TrimSpace(os.Getenv("AIVEN_TOKEN")), "kubectl-aero/" + p.version
}

// parse checks the flags.
func (f *exportFlags) parse(o *export.Options) error {
	switch f.mode {
	case "observe", "manage":
		o.Manage = f.mode == "manage"
	default:
		return fmt.Errorf("unknown --mode %q: use observe or manage", f.mode)
	}
	switch {
	case f.layout != "stream" && f.layout != "dir":
		return fmt.Errorf("unknown --layout %q: use stream or dir", f.layout)
	case f.layout == "stream" && f.directory != "":
		return errors.New("--directory needs --layout dir")
	case f.directory == "":
		f.directory = o.Project
	}
	if f.authSecret == "" {
		return nil
	}
	name, key, pair := strings.Cut(f.authSecret, "/")
	if !pair || name == "" || key == "" {
		return fmt.Errorf("--auth-secret %q: write it as name/key", f.authSecret)
	}
	o.AuthSecret = &v1alpha1.AuthSecretReference{Name: name, Key: key}
	return nil
}

func (p *plugin) runExport(ctx context.Context, o export.Options, f exportFlags) error {
	if err := o.Check(); err != nil {
		return err
	}
	if f.layout == "dir" {
		if err := emptyFolder(f.directory); err != nil {
			return err
		}
	}
	result, err := export.Run(ctx, o)
	if err != nil {
		return err
	}
	if f.layout == "dir" {
		err = writeFiles(f.directory, result.Manifests)
	} else {
		err = writeStream(p.streams.Out, result.Manifests)
	}
	if err != nil {
		return err
	}
	report := &exportReport{Result: result}
	if o.Verify {
		if report.refused, report.unchecked = p.refusals(ctx, result.Manifests); ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return p.report(report)
}

// emptyFolder refuses a folder with files in it: some may be from objects that are no longer there.
func emptyFolder(path string) error {
	found, err := os.ReadDir(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(found) > 0:
		return fmt.Errorf("folder %s isn't empty: choose another one with --directory", path)
	}
	return nil
}

func writeStream(out io.Writer, manifests []export.Manifest) error {
	for _, m := range manifests {
		if _, err := fmt.Fprintf(out, "---\n%s", string(m.YAML)); err != nil {
			return err
		}
	}
	return nil
}

// projectFolder has what is in no service. No service can have the name.
const projectFolder = "_project"

// writeFiles writes a file for each object, in a folder for each service. Names come from Aiven: none leads out of the directory.
func writeFiles(directory string, manifests []export.Manifest) error {
	if err := os.MkdirAll(directory, 0o750); err != nil {
		return err
	}
	root, err := os.OpenRoot(directory)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for _, m := range manifests {
		folder := cmp.Or(m.Service, projectFolder)
		if err := root.MkdirAll(folder, 0o750); err != nil {
			return err
		}
		if err := root.WriteFile(filepath.Join(folder, fileName(m)), m.YAML, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// longestFile is what file systems allow; the name of an object may be nearly as long.
const longestFile = 255

func fileName(m export.Manifest) string {
	const extension = ".yaml"
	name := strings.ToLower(m.Kind) + "-" + m.Name
	if len(name)+len(extension) > longestFile {
		sum := fmt.Sprintf("-%x", sha256.Sum256([]byte(name)))
		name = name[:longestFile-len(extension)-len(sum)] + sum
	}
	return name + extension
}

// exportReport is what the user reads about an export.
type exportReport struct {
	*export.Result
	refused   []export.Note
	unchecked error // what kept manifests from being checked by an API server
}

// report lists what the manifests lack, and returns the error of an export that isn't complete.
func (p *plugin) report(r *exportReport) error {
	for _, part := range []struct {
		title string
		notes []export.Note
	}{
		{"Not exported:", r.Left}, {"Not compared with Aiven:", r.Uncompared}, {"Not read:", r.Unread}, {"Different from Aiven:", r.Differences},
		{"Refused by the API server:", r.refused},
	} {
		if len(part.notes) == 0 {
			continue
		}
		_, _ = fmt.Fprintln(p.streams.ErrOut, part.title)
		for _, note := range part.notes {
			_, _ = fmt.Fprintln(p.streams.ErrOut, "  "+table.Escape(note.String()))
		}
	}
	if r.unchecked != nil {
		_, _ = fmt.Fprintln(p.streams.ErrOut, "Not checked by an API server: "+strings.TrimPrefix(describe(r.unchecked), "error: "))
	}
	_, _ = fmt.Fprintln(p.streams.ErrOut, count(len(r.Manifests), "object"), "exported")
	switch {
	case len(r.refused) > 0:
		return fmt.Errorf("%s would be refused by the API server: correct that before you apply", count(len(r.refused), "manifest"))
	case len(r.Differences) > 0:
		return fmt.Errorf("%s between manifests and Aiven: don't apply these manifests in mode manage", count(len(r.Differences), "difference"))
	case len(r.Unread) > 0:
		return codedError{fmt.Errorf("%s of the project couldn't be read", count(len(r.Unread), "part")), exitUnread}
	}
	return nil
}

// count is a number of things: "1 object", "2 objects".
func count(number int, thing string) string {
	if number != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", number, thing)
}
