// Command kubectl-aero is a plugin of kubectl: it shows what belongs to an object and why it isn't ready, pauses and reconciles objects,
// and connects to what they have made.
package main

import (
	"context"
	"os"

	"github.com/aero-operator/aero/cmd/kubectl-aero/internal/cli"
)

// version is set by the linker.
var version = "dev"

func main() {
	os.Exit(cli.Main(context.Background(), os.Args, version))
}
