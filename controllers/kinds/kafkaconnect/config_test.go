package kafkaconnect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/kinds/kafkaconnect/internal/connector"
	"github.com/aero-operator/aero/controllers/resource"
)

func TestConnectorDrift(t *testing.T) {
	for name, tc := range map[string]struct {
		at   fields
		want controllers.Diff
	}{
		"none":             {sent(nil), nil},
		"another value":    {sent(fields{"topics": "other"}), controllers.Diff{{Path: "spec.userConfig.topics", Wanted: "orders", Found: "other"}}},
		"another class":    {sent(fields{"connector.class": "x.Y"}), controllers.Diff{{Path: "spec.connectorClass", Wanted: class, Found: "x.Y"}}},
		"another password": {sent(fields{"password": "former"}), controllers.Diff{{Path: "spec.userConfig.password", Wanted: "(secret)", Found: "(secret)"}}},
		"no password":      {sent(fields{"password": nil}), controllers.Diff{{Path: "spec.userConfig.password", Wanted: "(secret)", Found: "(secret)"}}},
		"a further key":    {sent(fields{"ssl.key": "s3cr3t"}), controllers.Diff{{Path: "spec.userConfig.ssl.key", Found: "(not shown)"}}},
		"a hidden value":   {sent(fields{"password": "<redacted>"}), nil},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := scripted(t), sink()
			a.On(list, listed(tc.at))
			o, err := controllerOf(t, a, obj).Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.Equal(t, tc.want.Entries(), o.Diff.Entries())
		})
	}
}

// The engine sends such values once a generation, and when a Secret changes.
func TestWhatAivenHidesIsWriteOnly(t *testing.T) {
	for name, tc := range map[string]struct {
		list aiventest.Answer
		want []string
	}{
		"nothing":                         {listed(sent(nil)), nil},
		"a hidden value":                  {listed(sent(fields{"password": "********"})), []string{"spec.userConfig.password"}},
		"one that couldn't be loaded":     {unloaded(class), []string{"spec.userConfig.password", "spec.userConfig.topics"}},
		"a value that is missing differs": {listed(sent(fields{"password": nil})), nil},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := scripted(t), sink()
			a.On(list, tc.list)
			o, err := controllerOf(t, a, obj).Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.Equal(t, tc.want, o.WriteOnly)
		})
	}
}

func TestConnectorSecrets(t *testing.T) {
	obj := sink()
	obj.Spec.UserConfig = map[string]string{
		"b": `{{ fromSecret "db" "user" }}:{{ fromSecret "db" "password" }}`, "a": `{{ fromSecret "db" "password" }}`, "c": `{{ fromSecret "other" "key" }}`,
		"d": `{{ broken`,
	}
	var named []string
	for _, target := range Connector.References[0].Targets(obj) {
		named = append(named, target.Namespace+"/"+target.Name+"/"+target.Key+" "+target.Field)
	}
	assert.Equal(t, []string{"/db/password spec.userConfig.a", "/db/user spec.userConfig.b", "/other/key spec.userConfig.c"}, named)
}

func TestConnectorConfigsThatAreRefused(t *testing.T) {
	var many strings.Builder
	for i := range connector.MostSecrets + 1 {
		fmt.Fprintf(&many, `{{ fromSecret "s%d" "key" }}`, i)
	}
	for name, tc := range map[string]struct {
		config map[string]string
		says   string
	}{
		"too many Secrets":              {map[string]string{"url": many.String()}, "spec.userConfig: reads more than 100 keys of Secrets"},
		"a template that doesn't parse": {map[string]string{"url": "{{ fromSecret"}, "spec.userConfig.url: isn't a template that can be used: line 1: unclosed action"},
		"an unknown function":           {map[string]string{"url": `{{ env "HOME" }}`}, `spec.userConfig.url: isn't a template that can be used: line 1: function "env" not defined`},
		"another name":                  {map[string]string{"name": "other"}, "spec.userConfig.name: must be the name of this object, sink. Remove it"},
		"a Secret named by a Secret":    {map[string]string{"url": `{{ fromSecret (fromSecret "db" "user") "x" }}`}, "its Secret and key must be constant names without a slash"},
		"a Secret behind a condition":   {map[string]string{"url": `{{ if eq (fromSecret "db" "user") "joe" }}{{ fromSecret "db" "x" }}{{ end }}`}, "which Secret is read must not depend"},
		"an error behind a Secret":      {map[string]string{"url": `{{ fromSecret "db" "user" }}{{ printf "%X" "a" }}`}, "printf takes plain verbs"},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := scripted(t), sink()
			obj.Spec.UserConfig = tc.config
			assert.LessOrEqual(t, len(Connector.References[0].Targets(obj)), connector.MostSecrets)
			_, err := controllerOf(t, a, obj).Observe(t.Context(), obj)
			assert.Equal(t, fault.Invalid, fault.Of(err).Class)
			assert.ErrorContains(t, err, tc.says)
		})
	}
	obj := sink()
	obj.Spec.UserConfig = map[string]string{"name": "sink", "connector.class": "x.Y"}
	config, err := connectorConfig(resource.Scope{}, obj)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"name": "sink", "connector.class": "x.Y"}, config, "the keys of the spec come last")
}
