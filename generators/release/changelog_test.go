package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheNotesAreThoseOfTheTopEntryWhichHasTheVersion(t *testing.T) {
	const head, older, targets = "# Changelog\n\nAll notable changes.\n\n", "\n## [0.9.0] - 2026-01-01\n\n- Old.\n", "\n[1.0.0]: https://example.com/v1.0.0\n"
	for name, test := range map[string]struct{ text, want, refused string }{
		"the top entry":  {"## [1.0.0] - 2026-11-24\n\n### Added\n\n- New.\n" + older + targets, "### Added\n\n- New.\n", ""},
		"the only entry": {"## [1.0.0] - 2026-11-24\n\n- New.\n" + targets, "- New.\n", ""},
		"with links": {
			"## [1.0.0] - 2026-11-24\n\n- [New](docs/new.md#how), [a file](LICENSE), [elsewhere](https://example.com/a#b), [here](#added).\n" + older,
			"- [New](" + source + "/blob/v1.0.0/docs/new.md#how), [a file](" + source + "/blob/v1.0.0/LICENSE), " +
				"[elsewhere](https://example.com/a#b), [here](#added).\n", "",
		},
		"below an empty entry":      {"## [Unreleased]\n\n## [1.0.0] - 2026-11-24\n\n- New.\n" + older, "- New.\n", ""},
		"below what isn't released": {"## [Unreleased]\n\n- Newer.\n\n## [1.0.0] - 2026-11-24\n\n- New.\n", "", "the top entry of CHANGELOG.md is Unreleased"},
		"another version":           {older, "", "the top entry of CHANGELOG.md is 0.9.0: set VERSION to it, or give what changed the heading ## [1.0.0] - DATE"},
		"without a date":            {"## [1.0.0]\n\n- New.\n", "", "write ## [1.0.0] - YYYY-MM-DD"},
		"without a change":          {"## [1.0.0] - 2026-11-24\n" + older, "", "is empty: write what changed"},
		"without an entry":          {"", "", "CHANGELOG.md has no entry"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "CHANGELOG.md")
			require.NoError(t, os.WriteFile(path, []byte(head+test.text), 0o644))
			got, err := changesOf(path, "v1.0.0")
			if test.refused != "" {
				require.ErrorContains(t, err, test.refused)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
}
