// Command image builds the container image of the manager, without Docker: it compiles the manager for each platform, puts
// it and the CA certificates into an image, adds a list of what is in it (SBOM) and a statement about how it was built
// (provenance), and writes all of that as an OCI layout. One commit gives one digest, whenever and wherever it is built with the
// same release of Go.
//
// Usage, in the folder of this module; make image and make verify-image fill in the flags:
//
//	go run ./image --version v1.2.3 --revision COMMIT --created SECONDS [--platforms LIST] [--push REGISTRY/NAME:TAG]
//		[--builder URL] [--key FILE] [--release]
//	go run ./image verify --key FILE REGISTRY/NAME:TAG
//
// It writes, in the folder of --out:
//
//	image            the OCI layout: one index for all platforms, tagged with the version, and the SBOMs and the provenance that
//	                 refer to it
//	image.tar        the image for the platform of this machine, for docker load
//	provenance.json  the provenance
//	sbom.cdx.json    the SBOM of the index
//
// With a key the provenance is signed, and with it the digests that it is about. verify checks that of an image in a registry.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/aero-operator/aero/generators/internal/compile"
)

func main() {
	log.SetFlags(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout); {
	case errors.Is(ctx.Err(), context.Canceled):
		log.Fatal("image: stopped")
	case err != nil:
		log.Fatalf("image: %v", err)
	}
}

// run checks the whole command line before it compiles anything, since that takes minutes on a fresh machine.
func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) > 0 && args[0] == "verify" {
		return verify(ctx, args[1:], out)
	}
	o, err := parse(args)
	if err != nil {
		return err
	}
	if err := o.checkClone(ctx); err != nil {
		return err
	}
	programs, err := compile.All(ctx, out, compile.Order{
		Module: o.module, Package: ".", Version: o.release.version, Platforms: o.platforms, Scratch: o.out,
	})
	if err != nil {
		return err
	}
	built, err := assemble(o.release, programs)
	if err != nil {
		return err
	}
	if err := built.attest(ctx, o, programs); err != nil {
		return err
	}
	if err := writeLayout(filepath.Join(o.out, "image"), built); err != nil {
		return err
	}
	if err := writeDocuments(o.out, built); err != nil {
		return err
	}
	if err := writeTarball(filepath.Join(o.out, "image.tar"), o.machine, built); err != nil {
		return err
	}
	if err := built.report(out, o); err != nil {
		return err
	}
	if o.push == nil {
		return nil
	}
	if err := push(ctx, *o.push, built); err != nil {
		return err
	}
	digest, err := built.index.Digest()
	if err != nil {
		return fmt.Errorf("reading the digest: %w", err)
	}
	_, err = fmt.Fprintf(out, "pushed %s@%s\n", o.push, digest)
	return err
}
