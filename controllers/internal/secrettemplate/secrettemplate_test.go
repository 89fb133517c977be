package secrettemplate_test

import (
	"strings"
	"testing"
	"text/template"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/secrettemplate"
)

type ref = secrettemplate.Reference

func TestATemplateIsRenderedWithWhatItReferences(t *testing.T) {
	values := map[ref]string{{"db", "password"}: "p@ss", {"db", "user"}: "joe", {"db", "empty"}: ""}
	for name, tc := range map[string]struct {
		source, want string
		refs         []ref
	}{
		"no template":            {"plain", "plain", nil},
		"half a delimiter":       {"a { b } }}", "a { b } }}", nil},
		"a value":                {`{{ fromSecret "db" "password" }}`, "p@ss", []ref{{"db", "password"}}},
		"in a text":              {`//{{fromSecret "db" "user"}}:{{fromSecret "db" "password"}}@h`, "//joe:p@ss@h", []ref{{"db", "user"}, {"db", "password"}}},
		"twice":                  {`{{fromSecret "db" "user"}}{{fromSecret "db" "user"}}`, "joejoe", []ref{{"db", "user"}}},
		"through a pipe":         {`{{ fromSecret "db" "password" | urlquery }}`, "p%40ss", []ref{{"db", "password"}}},
		"through a variable":     {`{{ $u := fromSecret "db" "user" }}{{ print $u "-" $u }}`, "joe-joe", []ref{{"db", "user"}}},
		"formatted":              {`{{ printf "%s 100%%" (fromSecret "db" "user") }}`, "joe 100%", []ref{{"db", "user"}}},
		"on a condition":         {`{{ if fromSecret "db" "empty" }}{{ fromSecret "db" "user" }}{{ else }}none{{ end }}`, "none", []ref{{"db", "empty"}, {"db", "user"}}},
		"only a comment":         {`{{/* nothing */}}`, "", nil},
		"a comparison":           {`{{ if eq (fromSecret "db" "user") "joe" }}yes{{ end }}`, "yes", []ref{{"db", "user"}}},
		"an escaped delimiter":   {`{{ "{{" }}`, "{{", nil},
		"a word in the text":     {`range {{ fromSecret "db" "user" }} template`, "range joe template", []ref{{"db", "user"}}},
		"an empty key is no key": {`x{{ "" }}`, "x", nil},
	} {
		t.Run(name, func(t *testing.T) {
			refs, err := secrettemplate.NewBudget().References(tc.source)
			require.NoError(t, err)
			assert.Equal(t, tc.refs, refs)
			got, err := secrettemplate.NewBudget().Render(tc.source, func(r ref) (string, bool) {
				value, known := values[r]
				return value, known
			})
			require.NoError(t, err)
			assert.Equal(t, tc.want, got)
		})
	}
}

func TestATemplateThatCanNotBeUsedIsRefused(t *testing.T) {
	for name, tc := range map[string]struct{ source, says string }{
		"that isn't closed":           {`{{ fromSecret "db" "user"`, "line 1: unclosed action"},
		"with an unknown function":    {`{{ env "HOME" }}`, `function "env" not defined`},
		"with too few arguments":      {"a\n{{ fromSecret \"db\" }}", "line 2:"},
		"without a name":              {`{{ fromSecret "" "user" }}`, "its Secret and key must be constant names without a slash"},
		"without a key":               {`{{ fromSecret "db" "" }}`, "its Secret and key must be constant names without a slash"},
		"with a name in a path":       {`{{ fromSecret "../db" "user" }}`, "its Secret and key must be constant names without a slash"},
		"with a name of a namespace":  {`{{ fromSecret "other/db" "user" }}`, "its Secret and key must be constant names without a slash"},
		"with a field":                {`{{ .Name }}`, "line 1:3: at <.Name>: a template has no data"},
		"with a field of a variable":  {`{{ $x := "a" }}{{ $x.Name }}`, "a template has no data"},
		"with too many arguments":     {`{{ not 1 2 }}`, "wrong number of arguments for not"},
		"with a number as a name":     {`{{ fromSecret 1 "user" }}`, "it needs the name of a Secret and one of its keys, as texts"},
		"with a number as a format":   {`{{ printf 1 }}`, "printf needs a format that is a text"},
		"that calls a text":           {`{{ "a" "b" }}`, `can't give an argument to "a", which is no function`},
		"that pipes into a text":      {`{{ $x := "a" }}{{ "b" | $x }}`, "which is no function"},
		"that compares what can't be": {`{{ eq . . }}`, "incompatible types for comparison"},
		"that assigns to no variable": {`{{ $x = 1 }}`, "undefined variable: $x"},
		"with nil":                    {`{{ print nil }}`, "nil isn't a command"},
		"with a large number":         {`{{ 18446744073709551615 }}`, "18446744073709551615 can't be used"},
		"with a complex number":       {`{{ 1i }}`, "1i can't be used"},
		"with a loop":                 {`{{- range 1000000000 }}x{{ end }}`, "range can't be used"},
		"that executes itself":        {`{{ template "value" }}{{ template "value" }}`, "template can't be used"},
		"that defines another":        {`{{define "a"}}x{{end}}`, "define can't be used"},
		"that defines a block":        {"{{\nblock \"a\" .}}x{{end}}", "block can't be used"},
		"that pads":                   {`{{ printf "%1000000d" 1 }}`, "plain verbs"},
		"that repeats":                {`{{ printf "%[1]s%[1]s" "x" }}`, "plain verbs"},
		"in hexadecimal digits":       {`{{ printf "%X" (fromSecret "db" "user") }}`, "plain verbs"},
		"with another verb":           {`{{ printf "%s%c" "x" 65 }}`, "plain verbs"},
		"that takes parts":            {`{{ slice (fromSecret "db" "user") 1 }}`, `function "slice" not defined`},
		"that takes a byte":           {`{{ index (fromSecret "db" "user") 0 }}`, `function "index" not defined`},
		"in HTML":                     {`{{ html (fromSecret "db" "user") }}`, `function "html" not defined`},
		"that escapes twice":          {`{{ fromSecret "db" "user" | urlquery | urlquery }}`, "is escaped already"},
		"that quotes twice":           {`{{ printf "%q" (print "a" (printf "%q" "b")) }}`, "is escaped already"},
		"that calls":                  {`{{ call .F }}`, `function "call" not defined`},
		"that escapes over and over":  {`{{ js "\\" | js }}`, `function "js" not defined`},
		"that is long":                {`{{ "x" }}` + strings.Repeat("x", 64<<10), "longer than 65536 bytes"},
		"that grows by its variables": {grows, "its functions take and make more than"},
		"that compares over and over": {
			`{{ $x := printf "%s" "` + strings.Repeat("x", 1<<10) + `" }}` + strings.Repeat(`{{ if eq $x $x }}{{ end }}`, 2000), "its functions take and make more than",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := secrettemplate.NewBudget().References(tc.source)
			assert.ErrorContains(t, err, tc.says)
		})
	}
}

// FuzzTemplatesAreExecutedAsByTextTemplate compares with the package whose language this is.
func FuzzTemplatesAreExecutedAsByTextTemplate(f *testing.F) {
	for _, source := range []string{
		`a{{ fromSecret "db" "user" }}b`, `{{ if and "a" (eq 1 1) }}{{ else }}no{{ end }}`, `{{ with fromSecret "db" "user" }}{{ . }}{{ end }}{{ . }}`,
		`{{ $x := "a" }}{{ if true }}{{ $x = "b" }}{{ $y := $x }}{{ $y }}{{ end }}{{ $x }}`, `{{ or "" 0 "c" }}{{ not nil }}`, `{{ ne "a" "b" | print 1.5 'x' }}`,
		`{{ if $v := fromSecret "db" "empty" }}{{ $v }}{{ else if eq "a" "b" "a" }}{{ printf "%v %d" true 0x10 }}{{ end }}`, `{{- 1e3 -}} {{ $ }}`,
		`{{ urlquery "a b" 1 }}`, `{{ (fromSecret "db" "user") }}{{/* c */}}`, `{{ "a" | printf "%s-%s" "b" }}`, `{{ and }}`, `{{ eq 1 1.0 }}`, `{{ print nil }}`,
		`{{ with "" }}x{{ else with "y" }}{{ . }}{{ end }}`, `{{ true | not | not }}`, `{{ 1 | 2 }}`, `{{ $.X }}`, `{{ eq "a" }}`, `{{ or (print) "z" }}`, `{{ break }}`,
		`{{ 18446744073709551615 }}`, `{{ 1i }}`, `{{ print 'a' (eq 'a' 97) }}`, `{{ eq . . }}`, `{{ fromSecret "db" 1 }}`, `{{ printf 1 }}`, `{{ or false (printf "%d") }}`,
		`{{ 1.0 }} {{ 0x1p4 }} {{ 0xE }} {{ 'e' }} {{ 1e2 }} {{ 1_000 }} {{ -1 }} {{ -0xE }}`,
	} {
		f.Add(source)
	}
	values := map[ref]string{{"db", "password"}: "p@ss", {"db", "user"}: "joe", {"db", "empty"}: ""}
	f.Fuzz(func(t *testing.T, source string) {
		got, err := secrettemplate.NewBudget().Render(source, func(r ref) (string, bool) {
			value, known := values[r]
			return value, known
		})
		if err != nil {
			return
		}
		theirs, err := template.New("value").Funcs(template.FuncMap{"fromSecret": func(name, key string) string { return values[ref{name, key}] }}).Parse(source)
		require.NoError(t, err)
		var want strings.Builder
		require.NoError(t, theirs.Execute(&want, struct{}{}))
		assert.Equal(t, want.String(), got)
	})
}

// grows doubles a text forty times.
var grows = `{{ $x := "x" }}` + strings.Repeat(`{{ $x = printf "%s%s" $x $x }}`, 40)

func TestErrorsHoldNoValues(t *testing.T) {
	const value = "s3cr3t-value"
	lookup := func(r ref) (string, bool) { return value, r.Secret != value }
	for name, source := range map[string]string{
		"a name that is a value":   `{{ fromSecret (fromSecret "db" "user") "key" }}`,
		"a field of a value":       `{{ (fromSecret "db" "user").Name }}`,
		"a comparison of types":    `{{ eq (fromSecret "db" "user") 1 }}`,
		"a value that is too long": `{{ $x := fromSecret "db" "user" }}` + strings.Repeat(`{{ $x = print $x $x }}`, 40),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := secrettemplate.NewBudget().Render(source, lookup)
			require.Error(t, err)
			assert.NotContains(t, err.Error(), value)
		})
	}
}

func TestAResultIsBounded(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	_, err := secrettemplate.NewBudget().Render(`{{ $x := fromSecret "db" "ca" }}{{ $x }}{{ $x }}{{ $x }}`, func(ref) (string, bool) { return long, true })
	assert.ErrorContains(t, err, "the result is longer than 2097152 bytes")
}

// doubles has functions take almost 512 KiB, of a text of 32 bytes.
var doubles = `{{ $x := "` + strings.Repeat("x", 32) + `" }}` + strings.Repeat(`{{ $x = print $x $x }}`, 13)

// variables takes over 12,000 steps: a use of the first of 60 variables takes 60.
var variables = `{{ $a := "x" }}` + strings.Repeat(`{{ $b := "y" }}`, 59) + strings.Repeat(`{{ if $a }}{{ end }}`, 190)

func TestTheTemplatesOfAnObjectShareABudget(t *testing.T) {
	for name, tc := range map[string]struct {
		source string
		fit    int
		says   string
	}{
		"of what functions take": {doubles, 4, "its functions take and make more than 2097152 bytes"},
		"of steps":               {variables, 86, "it takes more than 1048576 steps"},
		"of results":             {`{{ "" }}` + strings.Repeat("x", 60<<10), 34, "the result is longer than 2097152 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			for use, execute := range map[string]func(b *secrettemplate.Budget) error{
				"for references": func(b *secrettemplate.Budget) error { _, err := b.References(tc.source); return err },
				"for values":     func(b *secrettemplate.Budget) error { _, err := b.Render(tc.source, nil); return err },
			} {
				budget, executed := secrettemplate.NewBudget(), 0
				var failed error
				for ; failed == nil; executed++ {
					failed = execute(budget)
				}
				assert.Equal(t, tc.fit, executed-1, use)
				require.ErrorContains(t, failed, tc.says, use)
				assert.True(t, budget.Exceeded(), use)
				require.ErrorContains(t, execute(budget), "the templates before it take too much", use)
				_, err := budget.References("no template")
				require.NoError(t, err, use)
			}
		})
	}
	budget := secrettemplate.NewBudget()
	_, err := budget.References("{{ broken")
	require.Error(t, err)
	assert.False(t, budget.Exceeded(), "one that can't be parsed takes nothing of the others")
}

func TestWhatATemplateMakesOfAValueIsKnownToThoseThatHideIt(t *testing.T) {
	const value = `Tr0ub<4d>or&3 "x"/+ä%`
	hidden := &fault.Secrets{}
	hidden.Add(value)
	actions := []string{
		`{{ fromSecret "leak" "k" }}`, `{{ fromSecret "leak" "k" | urlquery }}`, `{{ urlquery "a" (fromSecret "leak" "k") }}`,
		`{{ print 1 (fromSecret "leak" "k") "b" }}`, `{{ print (fromSecret "leak" "k" | urlquery) }}`,
	}
	for verb := 'A'; verb <= 'z'; verb++ {
		for _, format := range []string{"%", "x%", "%%%"} {
			actions = append(actions, `{{ printf "`+format+string(verb)+`" (fromSecret "leak" "k") }}`)
		}
	}
	for _, action := range actions {
		got, err := secrettemplate.NewBudget().Render(action, func(ref) (string, bool) { return value, true })
		if err != nil {
			assert.NotContains(t, err.Error(), value)
			continue
		}
		got = strings.NewReplacer("***", "", "%", "").Replace(hidden.Scrub(got))
		assert.Less(t, len(got), 20, "%s leads to %s", action, got)
		for _, part := range []string{"Tr0ub", "5472307562", "5472", "or&3", "or%26", "84 114"} {
			assert.NotContains(t, strings.ToUpper(got), strings.ToUpper(part), action)
		}
	}
}
