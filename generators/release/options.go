package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/aero-operator/aero/generators/internal/clone"
)

// platforms are those of kubectl's plugin.
var platforms = []v1.Platform{
	{OS: "linux", Architecture: "amd64"},
	{OS: "linux", Architecture: "arm64"},
	{OS: "darwin", Architecture: "amd64"},
	{OS: "darwin", Architecture: "arm64"},
	{OS: "windows", Architecture: "amd64"},
}

// options is what the command line asks for.
type options struct {
	root      string // folder of the repository
	image     string // folder in which make image has written
	out       string // folder of the release
	version   string // such as v1.2.3
	revision  string // the commit
	created   time.Time
	platforms []v1.Platform // of the plugin
	checkOnly bool
}

// parse names the flag that is wrong, and the variable of make that sets it.
func parse(args []string) (options, error) {
	o := options{platforms: platforms}
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.StringVar(&o.root, "root", ".", "folder of the repository")
	flags.StringVar(&o.image, "image", "bin", "folder in which make image has written")
	flags.StringVar(&o.out, "out", "bin/release", "folder of the release")
	flags.StringVar(&o.version, "version", "", "version of the release, with a v")
	flags.StringVar(&o.revision, "revision", "", "commit that is released")
	created := flags.String("created", "", "time of the commit in seconds since 1970, as SOURCE_DATE_EPOCH has it")
	flags.BoolVar(&o.checkOnly, "check", false, "check whether this can be a release, and write nothing")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		os.Exit(0)
	} else if err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("%q is not a flag", flags.Arg(0))
	}
	if err := checkVersion(o.version); err != nil {
		return o, err
	}
	var err error
	if o.created, err = clone.Time(*created); err != nil {
		return o, err
	}
	return o, o.absolute()
}

// checkVersion wants what Go modules and tags have: a v before the semantic version, without what can't be in the tag of an image.
func checkVersion(version string) error {
	bare, tagged := strings.CutPrefix(version, "v")
	parsed, err := semver.StrictNewVersion(bare)
	if !tagged || err != nil || parsed.Metadata() != "" {
		return fmt.Errorf("--version: %q isn't the version of a release: set VERSION to one such as v1.2.3 or v1.2.3-rc.1", version)
	}
	return nil
}

func (o *options) absolute() error {
	for flag, folder := range map[string]*string{"root": &o.root, "image": &o.image, "out": &o.out} {
		absolute, err := filepath.Abs(*folder)
		if err != nil {
			return fmt.Errorf("--%s: finding the folder: %w", flag, err)
		}
		*folder = absolute
	}
	return nil
}
