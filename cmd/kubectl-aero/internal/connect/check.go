package connect

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/aero-operator/aero/cmd/kubectl-aero/internal/table"
)

// What helps where a value isn't one that a client may have.
const (
	publishAgain = "Delete the Secret, and the operator publishes it again"
	setAnother   = "Set another password"
)

// check returns an error if a value of the Secret isn't what a client takes it for. libpq reads a path or a list of hosts in place of a
// host, and a value that begins with a dash may be an option of a command line.
func (d *Details) check() error {
	for _, c := range []struct {
		key, is string
		valid   func(value string) bool
		remedy  string
	}{
		{"HOST", "a host name or an IP address", isHost, publishAgain},
		{"PORT", "a number from 1 to 65535", isPort, publishAgain},
		{"USERNAME", aName, isName, publishAgain},
		{"USER", aName, isName, publishAgain},
		{"DATABASE", aName, isName, publishAgain},
		{"NAME", aName, isName, publishAgain},
		{"PASSWORD", "text without control or format characters", isText, setAnother},
	} {
		if value := d.optional(c.key); value != "" && !c.valid(value) {
			return fmt.Errorf("%s%s in the Secret %s isn't %s. %s", d.Prefix, c.key, d.Secret, c.is, c.remedy)
		}
	}
	return nil
}

func isHost(value string) bool {
	address, err := netip.ParseAddr(value)
	return err == nil && address.Zone() == "" || len(validation.IsDNS1123Subdomain(strings.ToLower(value))) == 0
}

func isPort(value string) bool {
	port, err := strconv.ParseUint(value, 10, 16)
	return err == nil && port > 0
}

// aName is what isName accepts.
const aName = "a name without control or format characters and a dash at its beginning"

func isName(value string) bool { return isText(value) && !strings.HasPrefix(value, "-") }

// isText reports whether a value has nothing that changes how a terminal shows a line.
func isText(value string) bool { return table.Escape(value) == value }
