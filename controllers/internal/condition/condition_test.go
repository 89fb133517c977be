package condition

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var (
	born = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	now  = born.Add(time.Hour)
)

func existing() []metav1.Condition {
	return []metav1.Condition{
		{Type: "Zeta", Status: metav1.ConditionTrue, Reason: "Old", Message: "old", ObservedGeneration: 1, LastTransitionTime: metav1.NewTime(born)},
		{Type: Ready, Status: metav1.ConditionTrue, Reason: "Old", Message: "old", ObservedGeneration: 1, LastTransitionTime: metav1.NewTime(born)},
	}
}

func TestSet(t *testing.T) {
	tests := map[string]struct {
		kind   string
		at     time.Time
		status metav1.ConditionStatus
		reason string
		want   time.Time
	}{
		"C-06 a new type moves now":                         {kind: "New", at: now, status: metav1.ConditionFalse, reason: "Any", want: now},
		"C-06 another status moves now":                     {kind: Ready, at: now, status: metav1.ConditionFalse, reason: "Old", want: now},
		"C-06 Unknown is another status":                    {kind: Ready, at: now, status: metav1.ConditionUnknown, reason: "Old", want: now},
		"C-06 another reason and message don't move it":     {kind: Ready, at: now, status: metav1.ConditionTrue, reason: "New", want: born},
		"C-06 a clock that was ahead doesn't turn it back":  {kind: Ready, at: born.Add(-time.Minute), status: metav1.ConditionFalse, reason: "Old", want: born},
		"C-06 the same status on an old clock doesn't move": {kind: Ready, at: born.Add(-time.Minute), status: metav1.ConditionTrue, reason: "Old", want: born},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			m := NewManager(existing(), 2, tt.at)
			m.Set(tt.kind, tt.status, tt.reason, "new")
			assert.Equal(t, metav1.Condition{
				Type: tt.kind, Status: tt.status, Reason: tt.reason, Message: "new",
				ObservedGeneration: 2, LastTransitionTime: metav1.NewTime(tt.want),
			}, *m.Get(tt.kind))
		})
	}
}

func TestManager(t *testing.T) {
	tests := map[string]struct {
		edit func(*Manager)
		want []string // type=status/reason@generation
	}{
		"nothing done changes nothing, and Ready comes first": {
			edit: func(*Manager) {},
			want: []string{"Ready=True/Old@1", "Zeta=True/Old@1"},
		},
		"the shorthands set their status": {
			edit: func(m *Manager) {
				m.True("A", "Yes", "")
				m.False("B", "No", "")
				m.Unknown("C", "Maybe", "")
			},
			want: []string{"Ready=True/Old@1", "A=True/Yes@2", "B=False/No@2", "C=Unknown/Maybe@2", "Zeta=True/Old@1"},
		},
		"C-07 deleting takes away what is there and ignores the rest": {
			edit: func(m *Manager) { m.Delete("Zeta", "Nothing") },
			want: []string{"Ready=True/Old@1"},
		},
		"C-12 what is kept has the new generation": {
			edit: func(m *Manager) { m.Keep(Ready, metav1.ConditionFalse, "Other", "") },
			want: []string{"Ready=True/Old@2", "Zeta=True/Old@1"},
		},
		"what can't be kept is set": {
			edit: func(m *Manager) { m.Keep("A", metav1.ConditionFalse, "Other", "") },
			want: []string{"Ready=True/Old@1", "A=False/Other@2", "Zeta=True/Old@1"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			previous := existing()
			m := NewManager(previous, 2, now)
			tt.edit(m)
			var got []string
			for _, c := range m.Conditions() {
				got = append(got, c.Type+"="+string(c.Status)+"/"+c.Reason+"@"+string(rune('0'+c.ObservedGeneration)))
			}
			assert.Equal(t, tt.want, got)
			assert.Equal(t, existing(), previous, "the manager must not change the conditions it was given")
		})
	}
}

// typesOfFile are the condition types that have a constant.
func typesOfFile(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "condition.go", nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	var types []string
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok || len(spec.Names) != 1 || len(spec.Values) != 1 || strings.Contains(spec.Names[0].Name, "Reason") {
			return true
		}
		value, ok := spec.Values[0].(*ast.BasicLit)
		if !ok || value.Kind != token.STRING {
			return true
		}
		name, err := strconv.Unquote(value.Value)
		require.NoError(t, err)
		types = append(types, name)
		return false
	})
	return types
}

func TestConditionsAreInTheOrderOfTheStatusModel(t *testing.T) {
	want := []string{
		"Ready", "Stalled", "Reconciling", "Paused", "Drifted",
		"ConfigValid", "AuthValid", "DependenciesReachable",
		"ServiceReady", "SourceServiceReady", "DestinationServiceReady", "ProjectVPCReady", "SecretSourceReady",
		"RemoteReady", "TasksReady", "SecretReady", "MigrationComplete", "CredentialsExpiring", "RotationBlocked", "ChangesPending",
		"Initialized", "Running", "Error",
	}
	named := slices.DeleteFunc(typesOfFile(t), func(kind string) bool { return kind == references || kind == others })
	assert.Subset(t, want, named, "each type has a place")
	assert.Greater(t, len(named), 15)

	m := NewManager(nil, 1, now)
	for _, kind := range slices.Sorted(slices.Values(want)) {
		m.True(kind, "Any", "")
	}
	var got []string
	for _, c := range m.Conditions() {
		got = append(got, c.Type)
	}
	assert.Equal(t, want, got)
}

func TestQueries(t *testing.T) {
	m := NewManager(existing(), 2, now)
	assert.True(t, m.Has(Ready, metav1.ConditionTrue))
	assert.False(t, m.Has(Ready, metav1.ConditionFalse))
	assert.False(t, m.Has("Nothing", metav1.ConditionUnknown), "absent is not Unknown")
	assert.Nil(t, m.Get("Nothing"))
	assert.Equal(t, []string{"Zeta", Ready}, m.Types())
}

func TestALongMessageIsCutBetweenCharacters(t *testing.T) {
	m := NewManager(nil, 1, now)
	m.True(Ready, "Long", strings.Repeat("é", maxMessage))
	message := m.Get(Ready).Message
	require.LessOrEqual(t, len(message), maxMessage)
	assert.True(t, utf8.ValidString(message))
	assert.True(t, strings.HasSuffix(message, "é..."))
}
