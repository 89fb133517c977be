package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	memory "github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	helm "helm.sh/helm/v4/pkg/registry"
)

// writeArtifact writes a packed chart as an OCI layout, and returns the digest of its manifest. Helm makes manifests only while it
// pushes, so it pushes to a registry in this process: a release has the digest that helm push gives the same file.
func (o options) writeArtifact(ctx context.Context, chart packed, content []byte) (string, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("listening: %w", err)
	}
	server := &http.Server{Handler: memory.New(memory.Logger(log.New(io.Discard, "", 0))), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	defer func() { _ = server.Close() }()

	folder, err := os.MkdirTemp(o.out, ".chart-")
	if err != nil {
		return "", fmt.Errorf("creating a folder for the layout: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	client, err := helm.NewClient(helm.ClientOptPlainHTTP(), helm.ClientOptWriter(io.Discard),
		helm.ClientOptCredentialsFile(filepath.Join(folder, "credentials.json")))
	if err != nil {
		return "", fmt.Errorf("creating Helm's client: %w", err)
	}
	address := listener.Addr().String() + "/" + chart.name + ":" + chart.version
	if _, err := client.Push(content, address, helm.PushOptCreationTime(o.created.Format(time.RFC3339))); err != nil {
		return "", fmt.Errorf("pushing: %w", err)
	}
	reference, err := name.NewTag(address, name.Insecure)
	if err != nil {
		return "", fmt.Errorf("naming it: %w", err)
	}
	pushed, err := remote.Image(reference, remote.WithContext(ctx))
	if err != nil {
		return "", fmt.Errorf("reading it again: %w", err)
	}
	written, err := layout.Write(filepath.Join(folder, "layout"), empty.Index)
	if err != nil {
		return "", fmt.Errorf("creating the OCI layout: %w", err)
	}
	tag := map[string]string{"org.opencontainers.image.ref.name": chart.version}
	if err := written.AppendImage(pushed, layout.WithAnnotations(tag)); err != nil {
		return "", fmt.Errorf("writing the OCI layout: %w", err)
	}
	digest, err := pushed.Digest()
	if err != nil {
		return "", fmt.Errorf("reading the digest: %w", err)
	}
	path := filepath.Join(o.out, chart.name+"-"+chart.version+".oci.tar")
	return digest.String(), writeLayout(path, string(written), o.created)
}
