package monitoring_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// The pieces of YAML and of shell in a page.
var (
	snippet = regexp.MustCompile("(?s)```yaml\n(.*?)```")
	typed   = regexp.MustCompile("(?s)```sh\n(.*?)```")
)

// page is what users read about monitoring.
func page(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, "docs", "user", "monitoring.md"))
	require.NoError(t, err)
	return string(content)
}

// scrapes is the configuration in the page for Prometheus without its operator.
func scrapes(t *testing.T) map[string]any {
	t.Helper()
	for _, found := range snippet.FindAllStringSubmatch(page(t), -1) {
		config := map[string]any{}
		require.NoError(t, yaml.Unmarshal([]byte(found[1]), &config), found[1])
		if config["scrape_configs"] != nil {
			return config
		}
	}
	require.Fail(t, "The page has no scrape_configs")
	return nil
}

// commands are the calls of kubectl in the page that give a person a right.
func commands(t *testing.T) [][]string {
	t.Helper()
	var all [][]string
	for _, found := range typed.FindAllStringSubmatch(page(t), -1) {
		for line := range strings.Lines(strings.ReplaceAll(found[1], "\\\n", " ")) {
			if words := strings.Fields(line); words[0] == "kubectl" && strings.Contains(line, " create ") {
				all = append(all, words[1:])
			}
		}
	}
	require.Len(t, all, 3)
	return all
}
