package site

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inRepository is a link to a file of the project, or to what edits one.
var inRepository = regexp.MustCompile(`^https://github\.com/aero-operator/aero/(?:blob|edit|tree)/main/([^#]+)`)

func TestLinksOfTheSiteLeadSomewhere(t *testing.T) {
	all := pages(t)
	toFiles := 0
	for at, p := range all {
		for _, link := range p.links {
			to := resolve(t, at, link)
			switch file := inRepository.FindStringSubmatch(link); {
			case file != nil:
				toFiles++
				_, err := os.Stat(filepath.Join(root, file[1]))
				assert.NoError(t, err, "%s: %s", at, link)
			case to.Host != "":
			case assert.True(t, exists(to.Path), "%s: %s", at, link) && to.Fragment != "":
				assert.True(t, all[to.Path].ids[to.Fragment], "%s: %s leads to no heading", at, link)
			}
		}
	}
	assert.Greater(t, toFiles, len(all), "each page has a link that edits its file")
}

func TestTheSiteLoadsNothingFromAnotherHost(t *testing.T) {
	for at, p := range pages(t) {
		for _, load := range p.loads {
			to := resolve(t, at, load)
			assert.Empty(t, to.Host, "%s loads %s", at, load)
			assert.True(t, exists(to.Path), "%s loads %s, which isn't there", at, load)
		}
	}
	foreign := regexp.MustCompile(`(?:url\(|@import)\s*["']?(?:https?:)?//`)
	styles, err := filepath.Glob(built + home + "css/*.css")
	require.NoError(t, err)
	require.NotEmpty(t, styles)
	for _, file := range styles {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Empty(t, foreign.FindString(string(content)), file)
	}
}

func TestEachKindAndReasonHasAPageOnTheSite(t *testing.T) {
	all := pages(t)
	for _, folder := range []string{"kinds", "reasons", "guides"} {
		files, err := filepath.Glob(filepath.Join(root, "docs/user", folder, "*.md"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			if name := strings.TrimSuffix(filepath.Base(file), ".md"); name != "README" {
				assert.Contains(t, all, home+folder+"/"+strings.ToLower(name)+"/")
			}
		}
	}
}

func TestAPageThatIsNotThereLeadsToTheFirstOne(t *testing.T) {
	p := read(t, built+"/404.html")
	require.Len(t, p.links, 1)
	assert.Equal(t, home, p.links[0], "whatever the path is that a server answers with it")
	assert.True(t, exists(p.links[0]))
}

func TestTheVersionsOfTheSiteAreListed(t *testing.T) {
	content, err := os.ReadFile(built + "/versions.json")
	require.NoError(t, err, "make site builds it")
	var versions []string
	require.NoError(t, json.Unmarshal(content, &versions))
	assert.Contains(t, versions, "latest")
	for _, version := range versions {
		assert.True(t, exists("/"+version+"/"), version)
	}
}

// The script replaces the folder of a version, and each link begins with the path.
func TestAVersionAndAPathAreCheckedBeforeTheSiteIsBuilt(t *testing.T) {
	for name, tc := range map[string]struct{ version, path, says string }{
		"a folder above":           {"../..", "/", "VERSION_PATH=../.. isn't the name of a folder"},
		"no version":               {"", "/", "VERSION_PATH= isn't"},
		"a version like an option": {"-v", "/", "VERSION_PATH=-v isn't"},
		"a path without its end":   {"latest", "/aero", "SITE_PATH=/aero isn't a path with a slash at both ends"},
		"a path of another site":   {"latest", "//example.com/", "SITE_PATH=//example.com/ isn't"},
		"no path":                  {"latest", "", "SITE_PATH= isn't"},
	} {
		t.Run(name, func(t *testing.T) {
			bin := t.TempDir()
			output, err := exec.CommandContext(t.Context(), root+"/site/build.sh", bin, tc.version, tc.path, "main").CombinedOutput()
			require.Error(t, err)
			assert.Contains(t, string(output), tc.says)
			assert.NoDirExists(t, filepath.Join(bin, "site"))
		})
	}
}
