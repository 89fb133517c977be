// Command kube-controller-manager runs the controllers of Kubernetes: garbage
// collection, namespace deletion, service accounts and the workloads.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app"

	"github.com/aero-operator/aero/tests/harness/controlplane/binaries/internal/hugepages"
)

func main() {
	hugepages.Reserve()
	os.Exit(cli.Run(app.NewControllerManagerCommand()))
}
