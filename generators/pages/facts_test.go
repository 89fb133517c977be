package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/generators/pages/calls"
)

// quoted are the fields, values and kinds in a text.
func quoted(text string) (words []string) {
	for _, word := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(text, -1) {
		words = append(words, word[1])
	}
	return words
}

// eachOption is what is compared of kinds with a field for each type, of which an object has one.
const eachOption = "Each option that the spec sets"

// ofAllKinds are fields that are no settings at Aiven: the page on connection Secrets has what they do.
var ofAllKinds = []string{"authSecretRef", "connInfoSecretTarget", "connInfoSecretTargetDisabled"}

// contradictions are the sentences of a page that the code, or the CRD, contradicts.
func (k kind) contradictions(code *calls.Kind) (all []string) {
	complain := func(about string) { all = append(all, k.name()+": "+about) }
	spec, words := k.spec(), quoted(k.facts.compared)
	for _, field := range code.Compared {
		if _, has := spec.Properties[field]; has && !slices.Contains(words, field) && !strings.HasPrefix(k.facts.compared, eachOption) {
			complain("the code compares " + field)
		}
	}
	for _, word := range words {
		if _, has := spec.Properties[word]; has && !slices.Contains(code.Compared, word) && !k.refersTo(word, words) {
			complain("the code doesn't compare " + word)
		}
	}
	for _, word := range quoted(k.facts.ignored) {
		if _, has := spec.Properties[word]; has && slices.Contains(code.Compared, word) && !strings.Contains(k.facts.ignored, "`"+word+"` while ") {
			complain("the code compares " + word)
		}
	}
	return append(all, k.unmentioned(code)...)
}

// refersTo reports whether a field names an object that provides the value of another field, as projectVPCRef does for projectVpcId.
func (k kind) refersTo(word string, words []string) bool {
	field, isRef := strings.CutSuffix(word, "Ref")
	return isRef && slices.ContainsFunc(words, func(other string) bool { return strings.EqualFold(other, field+"Id") })
}

// unmentioned are the fields of which no row has what becomes of a change, and the features of the code that no row has.
func (k kind) unmentioned(code *calls.Kind) (all []string) {
	rows := k.facts.compared + k.facts.ignored + k.facts.removed + k.facts.deleted
	spec := k.spec()
	for _, f := range fieldsOf(&spec, "", nil) {
		known := strings.ContainsAny(f.path, ".[") || f.immutable || slices.Contains(ofAllKinds, f.path) || strings.HasPrefix(k.facts.compared, eachOption)
		if !known && !regexp.MustCompile(`\b`+f.path+`\b`).MatchString(rows) {
			all = append(all, k.name()+": no row has "+f.path)
		}
	}
	for _, field := range code.WriteOnly {
		if !strings.Contains(rows, "`"+field+"`") && !strings.HasPrefix(k.facts.compared, eachOption) {
			all = append(all, k.name()+": Aiven may not return "+field)
		}
	}
	return append(all, k.undeleted(code)...)
}

// undeleted is what is wrong in the sentences about the deletion and the conditions.
func (k kind) undeleted(code *calls.Kind) (all []string) {
	deleted, has := k.facts.deleted, func(condition string) bool { return slices.Contains(k.facts.conditions, condition) }
	for sentence, holds := range map[string]bool{
		"a termination protection refuses the deletion": protection.MatchString(deleted) == (code.Sets["Protected"] || k.facts.isService),
		"Aiven makes it with the service, and keeps it": code.Sets["Free"] || !strings.Contains(deleted, "is kept: Aiven makes it with the service"),
		"it has backups":             !code.Sets["NoBackups"] && !code.Sets["OffLosesData"] || !strings.Contains(deleted, "its backups"),
		"it has no backups":          code.Sets["OffLosesData"] || !strings.Contains(deleted, "no backup"),
		"it has a connection Secret": has("SecretReady") == code.Sets["Details"],
		"its password is rotated":    has(blocked) == code.Sets["Details"],
		"its data may be migrated":   has(migration) == code.Sets["Migration"],
		"it lives in a service":      (has("ServiceReady") || has("SourceServiceReady")) == code.InService,
	} {
		if !holds {
			all = append(all, k.name()+": the page and the code differ in whether "+sentence)
		}
	}
	return all
}

var protection = regexp.MustCompile("`termination_?[pP]rotection`")

func TestThePagesSayWhatTheCodeComparesAndDeletes(t *testing.T) {
	root := filepath.Join("..", "..")
	kinds, err := readKinds(root)
	require.NoError(t, err)
	from, err := readSources(root)
	require.NoError(t, err)
	checked := 0
	for _, k := range kinds {
		code, declared := from.code[k.name()]
		if !declared {
			continue
		}
		k.complete(from)
		assert.Empty(t, k.contradictions(&code), "mend generators/pages/facts.go")
		checked++
	}
	assert.Equal(t, len(from.code), checked)
}

func TestAPageThatContradictsTheCodeIsNoticed(t *testing.T) {
	compares := calls.Kind{Compared: []string{"project"}, Sets: map[string]bool{"Details": true}}
	right := facts{compared: "`project`, and options.", deleted: "It is gone.", conditions: []string{"SecretReady", blocked}}
	for want, wrong := range map[string]func(*facts, *calls.Kind){
		"":                                 func(*facts, *calls.Kind) {},
		"the code compares project":        func(f *facts, _ *calls.Kind) { f.compared = "options." },
		"the code doesn't compare project": func(_ *facts, code *calls.Kind) { code.Compared = nil },
		"no row has options":               func(f *facts, _ *calls.Kind) { f.compared = "`project`." },
		"Aiven may not return options":     func(_ *facts, code *calls.Kind) { code.WriteOnly = []string{"options"} },
		"a termination protection":         func(f *facts, _ *calls.Kind) { f.deleted = "With `terminationProtection`, it is refused." },
		"and keeps it":                     func(f *facts, _ *calls.Kind) { f.deleted = "`x` is kept: Aiven makes it with the service." },
		"it has a connection Secret":       func(f *facts, _ *calls.Kind) { f.conditions = []string{blocked} },
		"it lives in a service":            func(_ *facts, code *calls.Kind) { code.InService = true },
	} {
		kinds, err := readKinds(repository(t))
		require.NoError(t, err)
		f, code := right, compares
		wrong(&f, &code)
		kinds[0].facts = f
		all := kinds[0].contradictions(&code)
		if want == "" {
			assert.Empty(t, all)
			continue
		}
		require.NotEmpty(t, all, want)
		assert.Contains(t, strings.Join(all, "\n"), want)
	}
}
