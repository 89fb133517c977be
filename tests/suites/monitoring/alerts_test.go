package monitoring_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

func TestAlertsFireWhenTheyShould(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool isn't installed: it is in Debian's package prometheus (bash tests/deps.sh all)")
	}
	output, err := exec.Command(promtool, "test", "rules", filepath.Join(root, "monitoring", "alerts_test.yaml")).CombinedOutput()
	require.NoError(t, err, "%s", output)
}

func TestEachAlertIsTestedToFireAndToBeQuiet(t *testing.T) {
	var file struct {
		Tests []struct {
			Cases []struct {
				Alert    string `json:"alertname"`
				Expected []any  `json:"exp_alerts"`
			} `json:"alert_rule_test"`
		}
	}
	content, err := os.ReadFile(filepath.Join(root, "monitoring", "alerts_test.yaml"))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(content, &file))
	fires, quiet := map[string]bool{}, map[string]bool{}
	for _, test := range file.Tests {
		for _, c := range test.Cases {
			fires[c.Alert] = fires[c.Alert] || len(c.Expected) > 0
			quiet[c.Alert] = quiet[c.Alert] || len(c.Expected) == 0
		}
	}
	for _, alert := range alerts(t) {
		assert.True(t, fires[alert.Alert], "no test lets %s fire", alert.Alert)
		assert.True(t, quiet[alert.Alert], "no test keeps %s quiet", alert.Alert)
	}
}
