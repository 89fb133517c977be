package kstatus

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// healths are what Argo CD has to show for a status of Ready.
var healths = map[string]string{"True": "Healthy", "False": "Degraded", "Unknown": "Progressing"}

// healthOf is what Argo CD has to show for a row, and with which message.
func healthOf(r row) (health, message string) {
	ready := conditionOf(r, "Ready")
	message, _ = ready["message"].(string)
	switch {
	case r.Deleting:
		return "Progressing", "Being deleted: " + message
	case conditionOf(r, "Paused") != nil:
		return "Suspended", "Paused: " + message
	case r.Status["observedGeneration"] != r.Generation:
		return "Progressing", "The latest change is not reconciled yet"
	case ready["reason"] == "AwaitingApproval":
		return "Suspended", message
	default:
		return healths[ready["status"].(string)], message
	}
}

func TestArgoCDShowsReadyOfEachRowWithItsMessage(t *testing.T) {
	script := healthScript(t)
	for _, r := range append(goldenRows(t), fresh, edited, paused, pausedAndDeleted) {
		t.Run(r.Situation, func(t *testing.T) {
			health, message := healthOf(r)
			seen, shown := evaluate(t, script, objectWith(r))
			assert.Equal(t, health, seen)
			assert.Equal(t, message, shown)
		})
	}
}

// healthScript is what the page gives to Argo CD.
func healthScript(t *testing.T) string {
	t.Helper()
	var config struct{ Data map[string]string }
	require.NoError(t, yaml.Unmarshal(manifest(t, "v1", "ConfigMap"), &config))
	customizations := map[string]map[string]string{}
	require.NoError(t, yaml.UnmarshalStrict([]byte(config.Data["resource.customizations"]), &customizations))
	script := customizations["aiven.io/*"]["health.lua"]
	require.NotEmpty(t, script)
	require.Equal(t, script, customizations["aero-operator.io/*"]["health.lua"])
	return script
}

// evaluate runs the script as Argo CD's util/lua does: with its engine, and the libraries of which a script needs no more. That
// package itself can't be imported: the module of Argo CD replaces thirty others, and only a main module may.
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
