package kstatus

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	kstatus "github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// healths are what Argo CD has to say where kstatus says something.
var healths = map[kstatus.Status]string{
	kstatus.CurrentStatus:     "Healthy",
	kstatus.InProgressStatus:  "Progressing",
	kstatus.FailedStatus:      "Degraded",
	kstatus.TerminatingStatus: "Progressing",
}

func TestArgoCDSeesEachRowAsKstatusDoes(t *testing.T) {
	script := healthScript(t)
	rows := append(goldenRows(t), fresh, edited)
	for _, r := range rows {
		t.Run(r.Situation, func(t *testing.T) {
			obj := objectWith(r)
			seen, err := kstatus.Compute(obj)
			require.NoError(t, err)
			state, message := evaluate(t, script, obj)
			assert.Equal(t, healths[seen.Status], state, message)
			assert.NotEmpty(t, message)
		})
	}
}

// configMap is the one in the page.
var configMap = regexp.MustCompile("(?s)```yaml\n(apiVersion: v1\nkind: ConfigMap\n.*?)```")

// healthScript is what the page gives to Argo CD.
func healthScript(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "user", "gitops.md"))
	require.NoError(t, err)
	found := configMap.FindSubmatch(page)
	require.NotNil(t, found)
	var config struct{ Data map[string]string }
	require.NoError(t, yaml.Unmarshal(found[1], &config))
	customizations := map[string]map[string]string{}
	require.NoError(t, yaml.UnmarshalStrict([]byte(config.Data["resource.customizations"]), &customizations))
	script := customizations["aiven.io/*"]["health.lua"]
	require.NotEmpty(t, script)
	return script
}

// evaluate runs the script as Argo CD does: with these libraries and no others.
func evaluate(t *testing.T, script string, obj *unstructured.Unstructured) (status, message string) {
	t.Helper()
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for name, open := range map[string]lua.LGFunction{lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable} {
		state.Push(state.NewFunction(open))
		state.Push(lua.LString(name))
		state.Call(1, 0)
	}
	state.SetGlobal("obj", valueOf(state, obj.Object))
	require.NoError(t, state.DoString(script))
	answer, is := state.Get(-1).(*lua.LTable)
	require.True(t, is, "the script returns a table")
	return answer.RawGetString("status").String(), answer.RawGetString("message").String()
}

// valueOf makes a value of JSON one of Lua.
func valueOf(state *lua.LState, value any) lua.LValue {
	switch value := value.(type) {
	case nil:
		return lua.LNil
	case bool:
		return lua.LBool(value)
	case string:
		return lua.LString(value)
	case int64:
		return lua.LNumber(value)
	case float64:
		return lua.LNumber(value)
	case []any:
		table := state.NewTable()
		for _, item := range value {
			table.Append(valueOf(state, item))
		}
		return table
	default:
		table := state.NewTable()
		for key, item := range value.(map[string]any) {
			table.RawSetString(key, valueOf(state, item))
		}
		return table
	}
}
