// Command kubectl is the command line client of Kubernetes. With KUBECTL_LISTENER it runs the commands of kubectlclient.
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"

	_ "github.com/aero-operator/aero/tests/harness/controlplane/binaries/internal/hugepages"
	"github.com/aero-operator/aero/tests/harness/controlplane/binaries/internal/serve"
)

// exit is the code that a command would have ended the process with.
type exit int

func main() {
	if number, err := strconv.Atoi(os.Getenv(serve.ListenerEnv)); err == nil {
		util.BehaviorOnFatal(end)
		server := serve.Server{Run: run}
		fmt.Fprintln(os.Stderr, "serving commands:", server.Serve(os.NewFile(uintptr(number), "listener")))
		os.Exit(1)
	}
	os.Exit(run())
}

// end prints as kubectl does before it ends the process.
func end(message string, code int) {
	if message != "" {
		fmt.Fprintln(os.Stderr, strings.TrimSuffix(message, "\n"))
	}
	panic(exit(code))
}

// run runs the command that os.Args and the environment describe.
func run() (code int) {
	defer func() {
		switch ended := recover().(type) {
		case nil:
		case exit:
			code = int(ended)
		default:
			panic(ended)
		}
	}()
	// kubectl words its own errors, so cli must not print them a second time.
	if err := cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()); err != nil {
		util.CheckErr(err)
	}
	return 0
}
