package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func sample() report {
	return report{
		{name: "calls", value: 3, unit: "calls", note: "ServiceGet 2, ServiceCreate 1", budget: budget{limit: 3}, limited: true},
		{name: "speed", value: 1234.5678, unit: "calls/s", budget: budget{limit: 2000, atLeast: true}, limited: true},
		{name: "memory", value: 40.126, unit: "MiB", note: "resident", reference: "113"},
	}
}

func TestTheTableNamesWhatIsOverItsBudget(t *testing.T) {
	var out bytes.Buffer
	r := sample()
	require.NoError(t, r.print(&out))
	var lines []string
	for line := range strings.Lines(out.String()) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	assert.Equal(t, []string{
		"NAME    VALUE  UNIT     BUDGET   OK    REFERENCE  NOTE",
		"calls   3      calls    <= 3     ok    -          ServiceGet 2, ServiceCreate 1",
		"speed   1235   calls/s  >= 2000  OVER  -",
		"memory  40.13  MiB      -        -     113        resident",
		"",
		"over budget: speed is 1235 calls/s, with a budget of >= 2000",
	}, lines)
}

func TestTheJSONHasEveryMeasurement(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bench.json")
	r := sample()
	require.NoError(t, r.write(path))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.JSONEq(t, `[
		{"name": "calls", "value": 3, "unit": "calls", "budget": 3, "ok": true, "note": "ServiceGet 2, ServiceCreate 1"},
		{"name": "speed", "value": 1234.5678, "unit": "calls/s", "budget": 2000, "ok": false},
		{"name": "memory", "value": 40.126, "unit": "MiB", "budget": null, "ok": true,
			"reference": "113", "note": "resident"}
	]`, string(text))
}

func TestAnEmptyReportIsAnEmptyListAndNoTable(t *testing.T) {
	var r report
	text, err := r.json()
	require.NoError(t, err)
	assert.JSONEq(t, "[]", string(text))
	var out bytes.Buffer
	require.NoError(t, r.print(&out))
	assert.Empty(t, out.String())
}

func TestABudgetWithoutAMeasurementIsAFailure(t *testing.T) {
	r := sample()
	require.NoError(t, r.complete(map[string]budget{"calls": {limit: 3}}))
	require.EqualError(t, r.complete(map[string]budget{"calls": {}, "later": {}, "earlier": {}}),
		"no measurement for the budget of: earlier, later")
}

func TestBudgetAllows(t *testing.T) {
	cases := map[string]struct {
		budget budget
		value  float64
		want   bool
	}{
		"a value at its upper limit is allowed":      {budget{limit: 4}, 4, true},
		"a value above its upper limit is not":       {budget{limit: 4}, 4.01, false},
		"a value at its lower limit is allowed":      {budget{limit: 4, atLeast: true}, 4, true},
		"a value below its lower limit is not":       {budget{limit: 4, atLeast: true}, 3.99, false},
		"no calls are within a budget of no calls":   {budget{}, 0, true},
		"a call is not within a budget of no calls ": {budget{}, 1, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tc.want, tc.budget.allows(tc.value)) })
	}
}

func TestEveryMeasuredValueFindsItsBudget(t *testing.T) {
	var r report
	sets := []map[string]budget{budgets, limitBudgets}
	for i := range families {
		sets = append(sets, families[i].limits())
	}
	for _, all := range sets {
		for name := range all {
			r.add(name, all[name].limit, "", "")
		}
		require.NoError(t, r.complete(all))
	}
	require.NoError(t, r.over())
	for _, k := range allKinds() {
		for _, phase := range []string{phaseCreate, phaseRest} {
			assert.Contains(t, budgets, named(phase, k.name))
		}
	}
}

func TestNumber(t *testing.T) {
	for value, want := range map[float64]string{0: "0", 3: "3", 2000: "2000", 0.126: "0.13", 40.126: "40.13", 1234.56: "1235"} {
		assert.Equal(t, want, number(value))
	}
}
