// Command etcd is the store behind the API server.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"

	"github.com/aero-operator/aero/tests/harness/controlplane/binaries/internal/hugepages"
)

func main() {
	hugepages.Reserve()
	etcdmain.Main(os.Args)
}
