// Command kube-apiserver is the API server of Kubernetes.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"

	"github.com/aero-operator/aero/tests/harness/controlplane/binaries/internal/hugepages"
)

func main() {
	hugepages.Reserve()
	os.Exit(cli.Run(app.NewAPIServerCommand()))
}
