package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"github.com/aero-operator/aero/generators/internal/clone"
)

// platforms are those that the manager is built for, in the order that they have in the index.
var platforms = []v1.Platform{
	{OS: "linux", Architecture: "amd64"},
	{OS: "linux", Architecture: "arm64"},
}

// options is what the command line asks for.
type options struct {
	module    string        // folder of the module whose main package is the manager
	out       string        // folder of what is written
	release   release       // what the labels say
	platforms []v1.Platform // a part of the list above, in its order
	machine   v1.Platform   // the platform that a container on this machine has
	push      *name.Tag     // where to push, or nil
	builder   string        // who builds, as a URL
	signer    dsse.Signer   // signs the provenance, or nil
	strict    bool          // the clone must be what the commit has
}

// release is what distinguishes builds of the manager.
type release struct {
	version  string    // can be the tag of an image
	revision string    // the commit
	created  time.Time // of the commit, not of the build: it must be the same for two builds
}

// parse names the flag that is wrong, and the variable of make that sets it.
func parse(args []string) (options, error) {
	o := options{machine: v1.Platform{OS: "linux", Architecture: runtime.GOARCH}}
	flags := flag.NewFlagSet("image", flag.ContinueOnError)
	flags.StringVar(&o.module, "module", "..", "folder of the module whose main package is the manager")
	flags.StringVar(&o.out, "out", "../bin", "folder for image and image.tar")
	flags.StringVar(&o.release.version, "version", "", "version of the manager, and tag of the image")
	flags.StringVar(&o.release.revision, "revision", "", "commit that is built")
	created := flags.String("created", "", "time of the commit in seconds since 1970, as SOURCE_DATE_EPOCH has it")
	wanted := flags.String("platforms", join(platforms), "platforms to build for, separated by commas")
	target := flags.String("push", "", "REGISTRY/NAME:TAG to push to")
	flags.StringVar(&o.builder, "builder", source+"/tree/main/generators/image", "URL of what builds, in the provenance")
	key := flags.String("key", "", "file with an ECDSA P-256 private key in PEM, to sign the provenance")
	flags.BoolVar(&o.strict, "release", false, "refuse a clone that differs from the commit")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		os.Exit(0)
	} else if err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("%q is not a flag", flags.Arg(0))
	}
	if err := o.release.check(*created); err != nil {
		return o, err
	}
	if identity, err := url.Parse(o.builder); err != nil || !identity.IsAbs() {
		return o, fmt.Errorf("--builder: %q isn't a URL: set BUILDER to one that names what builds", o.builder)
	}
	return o, errors.Join(o.choose(*wanted), o.target(*target), o.absolute(), o.readKey(*key))
}

// readKey fills in the signer.
func (o *options) readKey(file string) error {
	if file == "" {
		return nil
	}
	key, private, err := readKey(file)
	if err != nil {
		return err
	}
	if !private {
		return fmt.Errorf("--key: %s has a public key: the private one signs", file)
	}
	o.signer = key
	return nil
}

// commit is what git rev-parse prints.
var commit = regexp.MustCompile("^[0-9a-f]{40}$")

// check fills in the time of the commit.
func (r *release) check(created string) error {
	if _, err := name.NewTag("aero:" + r.version); err != nil || r.version == "" {
		return fmt.Errorf("--version: %q can't be the tag of an image: set VERSION to letters, digits, dots and hyphens", r.version)
	}
	if r.revision == "" {
		return errors.New("--revision: there is none, because this isn't a clone of the repository: set REVISION to the commit")
	}
	if !commit.MatchString(r.revision) {
		return fmt.Errorf("--revision: %q isn't a commit: set REVISION to its 40 hexadecimal digits", r.revision)
	}
	var err error
	r.created, err = clone.Time(created)
	return err
}

// choose keeps the order of the list of platforms, so that the order of the command line makes no other digest.
func (o *options) choose(wanted string) error {
	names := strings.Split(wanted, ",")
	for _, one := range names {
		known := slices.ContainsFunc(platforms, func(p v1.Platform) bool { return p.String() == one })
		if !known {
			return fmt.Errorf("--platforms: %q is unknown: set PLATFORMS to one or more of %s", one, join(platforms))
		}
	}
	for _, p := range platforms {
		if slices.Contains(names, p.String()) {
			o.platforms = append(o.platforms, p)
		}
	}
	return nil
}

// target wants registry and tag to be named, since what is left out would be Docker Hub and latest.
func (o *options) target(target string) error {
	if target == "" {
		return nil
	}
	tag, err := name.NewTag(target, name.StrictValidation)
	if err != nil {
		return fmt.Errorf("--push: %q can't be pushed to: set PUSH to REGISTRY/NAME:TAG, such as registry.example.com/aero:%s",
			target, o.release.version)
	}
	o.push = &tag
	return nil
}

// checkClone makes a release of nothing but the commit: the provenance names it, whatever else the clone has.
func (o options) checkClone(ctx context.Context) error {
	if !o.strict {
		return nil
	}
	commit := clone.Commit{Revision: o.release.revision, Created: o.release.created, Version: o.release.version}
	if err := clone.Check(ctx, o.module, commit); err != nil {
		return fmt.Errorf("--release: %w", err)
	}
	return nil
}

func (o *options) absolute() error {
	var err error
	if o.module, err = filepath.Abs(o.module); err != nil {
		return fmt.Errorf("--module: finding the folder: %w", err)
	}
	if o.out, err = filepath.Abs(o.out); err != nil {
		return fmt.Errorf("--out: finding the folder: %w", err)
	}
	return nil
}

func join(list []v1.Platform) string {
	names := make([]string, len(list))
	for i, p := range list {
		names[i] = p.String()
	}
	return strings.Join(names, ",")
}
