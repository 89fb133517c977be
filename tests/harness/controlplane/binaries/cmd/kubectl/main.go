// Command kubectl is the command line client of Kubernetes.
package main

import (
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"

	_ "github.com/aero-operator/aero/tests/harness/controlplane/binaries/internal/hugepages"
)

func main() {
	// kubectl words its own errors, so cli must not print them a second time.
	if err := cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()); err != nil {
		util.CheckErr(err)
	}
}
