package secrettemplate_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"text/template"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/secrettemplate"
)

// secret is a value that no error may hold.
const secret = `Tr0ub4dor&3 "x"/+`

func data() map[string]any {
	endpoint := func(component, host string) any {
		return map[string]any{"Component": component, "Host": host, "Port": "21"}
	}
	return map[string]any{
		"Host": "pg.test", "Password": secret, "Database": "", "CACert": "-----BEGIN\nMII\n-----END\n",
		"Endpoints": []any{endpoint("pg", "pg.test"), endpoint("pgbouncer", "pool.test"), endpoint("pg", "replica.test")},
		"Nodes":     []any{"a:1", "b:2"}, "None": []any{},
	}
}

func TestATemplateIsExecutedWithData(t *testing.T) {
	for name, tc := range map[string]struct{ source, want string }{
		"no template":            {`plain`, `plain`},
		"a value":                {`{{ .Host }}`, `pg.test`},
		"an empty value":         {`<{{ .Database }}>`, `<>`},
		"quote":                  {`{{ quote .Host 1 true }}`, `"pg.test" "1" "true"`},
		"quote escapes":          {`{{ .Password | quote }}`, `"Tr0ub4dor&3 \"x\"/+"`},
		"squote":                 {`{{ squote .Host }}`, `'pg.test'`},
		"urlquery":               {`{{ urlquery .Password }}`, `Tr0ub4dor%263+%22x%22%2F%2B`},
		"pathescape":             {`{{ pathescape .Password }}`, `Tr0ub4dor&3%20%22x%22%2F+`},
		"b64enc":                 {`{{ "a" | b64enc }}`, `YQ==`},
		"b64dec":                 {`{{ b64dec "YQ==" }}`, `a`},
		"toJson of a text":       {`{{ toJson .Password }}`, `"Tr0ub4dor\u00263 \"x\"/+"`},
		"toJson of a list":       {`{{ toJson .Nodes }}`, `["a:1","b:2"]`},
		"toJson of a map":        {`{{ index .Endpoints 0 | toJson }}`, `{"Component":"pg","Host":"pg.test","Port":"21"}`},
		"indent":                 {`{{ indent 2 "a\nb" }}`, "  a\n  b"},
		"the widest indent":      {`{{ indent 64 "" }}`, strings.Repeat(" ", 64)},
		"nindent":                {`ca: |{{ .CACert | trim | nindent 2 }}`, "ca: |\n  -----BEGIN\n  MII\n  -----END"},
		"trim":                   {`{{ trim " a\n" }}`, `a`},
		"upper and lower":        {`{{ upper "aB" }}{{ lower "aB" }}`, `ABab`},
		"replace":                {`{{ .Host | replace "." "-" }}`, `pg-test`},
		"replace nothing":        {`{{ replace "" "-" "ab" }}`, `-a-b-`},
		"join":                   {`{{ join "," .Nodes }}`, `a:1,b:2`},
		"default":                {`{{ default "db" .Database }}{{ .Host | default "x" }}`, `dbpg.test`},
		"required":               {`{{ required "a host is needed" .Host }}`, `pg.test`},
		"len":                    {`{{ len .Nodes }}{{ len .Host }}{{ len (index .Endpoints 1) }}`, `273`},
		"index":                  {`{{ index .Nodes 1 }}{{ (index .Endpoints 1).Host }}{{ index . "Host" }}{{ index .Endpoints 0 "Port" }}`, `b:2pool.testpg.test21`},
		"comparisons":            {`{{ lt 1 2 }}{{ le "a" "a" }}{{ gt 1.5 2.5 }}{{ ge "b" "a" }}{{ ne "a" "b" }}`, `truetruefalsetruetrue`},
		"logic":                  {`{{ and .Host (not .Database) | or "x" }}`, `x`},
		"a condition":            {`{{ if .Database }}{{ .Database }}{{ else if eq .Host "pg.test" }}y{{ end }}`, `y`},
		"with":                   {`{{ with .Host }}{{ . }}{{ $.Database }}{{ end }}{{ with .Database }}{{ else }}n{{ end }}`, `pg.testn`},
		"a variable":             {`{{ $h := .Host }}{{ if true }}{{ $h = upper $h }}{{ end }}{{ $h }}`, `PG.TEST`},
		"a loop":                 {`{{ range .Endpoints }}{{ .Host }}:{{ .Port }};{{ end }}`, `pg.test:21;pool.test:21;replica.test:21;`},
		"a loop with a variable": {`{{ range $e := .Endpoints }}{{ $e.Component }},{{ end }}`, `pg,pgbouncer,pg,`},
		"a loop with a position": {`{{ range $i, $e := .Endpoints }}{{ if $i }},{{ end }}{{ $e.Host }}{{ end }}`, `pg.test,pool.test,replica.test`},
		"a loop that assigns":    {`{{ $e := "" }}{{ range $e = .Endpoints }}{{ end }}{{ $e.Host }}`, `replica.test`},
		"a loop that goes on":    {`{{ range .Endpoints }}{{ if eq .Component "pgbouncer" }}{{ continue }}{{ end }}{{ .Host }};{{ end }}`, `pg.test;replica.test;`},
		"a loop that ends":       {`{{ $h := "" }}{{ range .Endpoints }}{{ $h = .Host }}{{ if eq .Component "pgbouncer" }}{{ break }}{{ end }}{{ end }}{{ $h }}`, `pool.test`},
		"a loop within":          {`{{ with .Host }}{{ range $.Endpoints }}{{ .Component }};{{ end }}{{ end }}`, `pg;pgbouncer;pg;`},
		"a loop in a loop":       {`{{ range .Endpoints }}{{ $c := .Component }}{{ range $.Endpoints }}{{ if eq $c .Component }}x{{ end }}{{ end }};{{ end }}`, `xx;x;xx;`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := secrettemplate.Execute(tc.source, data())
			require.NoError(t, err)
			assert.Equal(t, tc.want, got)
		})
	}
	got, err := secrettemplate.Execute(`{{ range .Endpoints }}x{{ else }}none{{ end }}`, map[string]any{"Endpoints": []any{}})
	require.NoError(t, err)
	assert.Equal(t, "none", got)
}

func TestATemplateWithDataThatCanNotBeUsedIsRefused(t *testing.T) {
	for name, tc := range map[string]struct{ source, says string }{
		"with an unknown key":               {"a\n{{ .Hots }}", "line 2:3: at <.Hots>: there is no .Hots. Those that begin alike: .Host"},
		"with an unknown key of an item":    {`{{ range .Endpoints }}{{ .Name }}{{ end }}`, "there is no .Name"},
		"with a key in lower case":          {`{{ .password }}`, "there is no .password. Those that begin alike: .Password"},
		"with a key of a text":              {`{{ .Host.Name }}`, "line 1:8: at <.Host.Name>: it has no fields"},
		"with a key of a variable":          {`{{ $x := .Host }}{{ $x.Name }}`, "it has no fields"},
		"that isn't closed":                 {`{{ .Host`, "line 1: unclosed action"},
		"with a list":                       {`{{ .Nodes }}`, "a list or a map can't be written: use range, join or toJson"},
		"with all":                          {`{{ . }}`, "a list or a map can't be written"},
		"that loops over a number":          {`{{ range 1000000000 }}x{{ end }}`, "range can only be used over .Endpoints"},
		"that loops over a list":            {`{{ range .Nodes }}x{{ end }}`, "range can only be used over .Endpoints"},
		"that loops over a function":        {`{{ range index .Endpoints 0 }}x{{ end }}`, "range can only be used over .Endpoints"},
		"that loops over a variable":        {`{{ $x := .Endpoints }}{{ range $x }}x{{ end }}`, "range can only be used over .Endpoints"},
		"that loops over a pipe":            {`{{ range .Endpoints | default .Nodes }}x{{ end }}`, "range can only be used over .Endpoints"},
		"that executes another":             {`{{ template "value" }}`, "template can't be used"},
		"that defines another":              {"{{-\n define \"a\"}}x{{end}}", "define can't be used"},
		"that defines a block":              {`{{ block "a" . }}x{{end}}`, "block can't be used"},
		"that reads the environment":        {`{{ env "HOME" }}`, `function "env" not defined`},
		"that formats":                      {`{{ printf "%s" .Host }}`, `function "printf" not defined`},
		"that prints":                       {`{{ print .Host }}`, `function "print" not defined`},
		"that calls":                        {`{{ call .Host }}`, `function "call" not defined`},
		"that takes parts":                  {`{{ slice .Host 1 }}`, `function "slice" not defined`},
		"that reads a Secret":               {`{{ fromSecret "a" "b" }}`, `function "fromSecret" not defined`},
		"that reads in DNS":                 {`{{ getHostByName .Host }}`, `function "getHostByName" not defined`},
		"with too wide a margin":            {`{{ indent 65 .Host }}`, "at <indent>: its width must be a number from 0 to 64"},
		"with a negative margin":            {`{{ nindent -1 .Host }}`, "its width must be a number from 0 to 64"},
		"with a margin in a text":           {`{{ indent "2" .Host }}`, "its width must be a number from 0 to 64"},
		"without a value that it needs":     {"\n{{ .Database | required \"a database is needed\" }}", "line 2:15: at <required>: a database is needed"},
		"with a long message":               {`{{ required "` + strings.Repeat("ä", 30_000) + `" "" }}`, "at <required>: " + strings.Repeat("ä", 100) + "…"},
		"with a message that is a value":    {`{{ required .Password .Database }}`, "its message must be a text in quotes"},
		"with a message that is piped":      {`{{ .Password | required }}`, "wrong number of arguments for required"},
		"with a message that is made":       {`{{ required (quote .Password) "" }}`, "its message must be a text in quotes"},
		"with a list as a text":             {`{{ quote .Nodes }}`, "at <quote>: it takes texts, and no list or map"},
		"with a map in upper case":          {`{{ upper . }}`, "it takes texts, and no list or map"},
		"with a text as a list":             {`{{ join "," .Host }}`, "it takes a separator, and a list such as .Nodes"},
		"that joins maps":                   {`{{ join "," .Endpoints }}`, "it takes texts, and no list or map"},
		"that joins by a list":              {`{{ join .Nodes .Nodes }}`, "it takes texts, and no list or map"},
		"that indents a list":               {`{{ indent 1 .Nodes }}`, "it takes texts, and no list or map"},
		"that replaces in a list":           {`{{ replace "a" "b" .Nodes }}`, "it takes texts, and no list or map"},
		"that decodes a list":               {`{{ b64dec .Nodes }}`, "it takes texts, and no list or map"},
		"that decodes what isn't base64":    {`{{ b64dec .Password }}`, "at <b64dec>: its argument isn't base64"},
		"beyond a list":                     {`{{ index .Nodes 2 }}`, "at <index>: there is no such item"},
		"before a list":                     {`{{ index .Nodes -1 }}`, "there is no such item"},
		"with a text as a position":         {`{{ index .Nodes "0" }}`, "there is no such item"},
		"with a value as a key":             {`{{ index . .Password }}`, "there is no such item"},
		"with a byte of a text":             {`{{ index .Password 0 }}`, "it takes a list or a map"},
		"with the length of a number":       {`{{ len 1 }}`, "it takes a text, a list or a map"},
		"that compares lists":               {`{{ eq .Nodes .Nodes }}`, "incompatible types for comparison"},
		"that compares a text and a list":   {`{{ lt .Host .Nodes }}`, "incompatible types for comparison"},
		"that orders what has no order":     {`{{ lt true false }}`, "incompatible types for comparison"},
		"that compares numbers and texts":   {`{{ gt 1 "1" }}`, "incompatible types for comparison"},
		"with 70 KiB of text":               {strings.Repeat("x", 70<<10), "longer than 65536 bytes"},
		"that is long and has an action":    {`{{ .Host }}` + strings.Repeat("x", 70<<10), "longer than 65536 bytes"},
		"that breaks no loop":               {`{{ break }}`, "{{break}} outside {{range}}"},
		"with many variables":               {strings.Repeat(`{{ $x := 1 }}`, 65), "it declares more than 64 variables"},
		"that grows by what it replaces":    {`{{ $x := "x" }}` + strings.Repeat(`{{ $x = replace "" $x $x }}`, 20), "its functions take and make more than"},
		"that grows by margins":             {`{{ $x := "\n" }}` + strings.Repeat(`{{ $x = indent 64 (replace "\n" "\n\n" $x) }}`, 30), "its functions take and make more than"},
		"that grows by quotes":              {`{{ $x := "\x00" }}` + strings.Repeat(`{{ $x = quote $x $x }}`, 30), "its functions take and make more than"},
		"with too long a result":            {`{{ $x := "` + strings.Repeat("x", 60<<10) + `" }}` + strings.Repeat(`{{ $x }}`, 9), "the result is longer than 524288 bytes"},
		"with loops in loops":               {strings.Repeat(`{{ range $.Endpoints }}`, 20) + strings.Repeat(`{{ end }}`, 20), "it takes more than 50000 steps"},
		"that has no end of a deep nesting": {strings.Repeat(`(`, 60000), ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := secrettemplate.Execute(tc.source, data())
			if tc.says == "" {
				assert.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.says)
			assert.NotContains(t, err.Error(), secret)
			assert.NotContains(t, err.Error(), "Tr0ub4dor")
			assert.Less(t, len(err.Error()), 250)
		})
	}
}

// cpu is the time for which this thread has used a processor: other work on the machine doesn't count.
func cpu(t *testing.T) time.Duration {
	t.Helper()
	usage := syscall.Rusage{}
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_THREAD, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// longest is what a template may take: 50 ms without the race detector.
const longest = slower * 50 * time.Millisecond

// timed executes a template, and fails if it takes too long.
func timed(t *testing.T, source string, data map[string]any) (took time.Duration, result string, err error) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for range 3 { // the runtime may collect garbage of others on this thread
		start := cpu(t)
		result, err = secrettemplate.Execute(source, data)
		if took = cpu(t) - start; took < longest {
			return took, result, err
		}
	}
	t.Fatalf("took %s: %.80q (%d bytes)", took, source, len(source))
	return took, result, err
}

// fill repeats a part of a template until it is as long as it may be.
func fill(before, part, after string) string {
	return before + strings.Repeat(part, (64<<10-len(before)-len(after))/len(part)) + after
}

func TestNoTemplateTakesLong(t *testing.T) {
	many := data()
	many["Endpoints"] = slices.Repeat(many["Endpoints"].([]any), 100)
	many["Stop"] = ""
	many["CACert"] = strings.Repeat("\x00", 100<<10)
	for name, source := range map[string]string{
		"many actions":               fill("", `{{1}}`, ``),
		"many fields":                fill("", `{{.Host}}`, ``),
		"many variables":             fill("", `{{$a:=1}}`, ``),
		"many variables and uses":    fill(`{{$b:=1}}`+strings.Repeat(`{{$a:=1}}`, 3600), `{{$b}}`, ``),
		"the first of all":           fill(`{{$b:=1}}`+strings.Repeat(`{{$a:=1}}`, 63), `{{$b}}`, ``),
		"the first of all, in loops": fill(`{{$b:=1}}`+strings.Repeat(`{{range $i,$a:=$.Endpoints}}`, 63), `{{$b}}`, strings.Repeat(`{{end}}`, 63)),
		"loops in loops":             strings.Repeat(`{{range $.Endpoints}}`, 50) + strings.Repeat(`{{end}}`, 50),
		"a full loop":                fill(`{{range .Endpoints}}`, `{{.Host}}`, `{{end}}`),
		"a loop of variables":        fill(`{{range $.Endpoints}}`, `{{$a:=.Host}}`, `{{end}}`),
		"a loop of functions":        `{{range .Endpoints}}{{range $.Endpoints}}{{if eq (quote .Host) (upper .Host)}}{{end}}{{end}}{{end}}`,
		"a loop of JSON":             `{{range .Endpoints}}{{$x := toJson $.Endpoints}}{{end}}`,
		"a loop of quotes":           `{{range .Endpoints}}{{$x := quote $.CACert}}{{end}}`,
		"a loop of URLs":             `{{range .Endpoints}}{{$x := urlquery $.CACert}}{{end}}`,
		"a loop of replacements":     `{{range .Endpoints}}{{$x := replace "" "x" $.CACert}}{{end}}`,
		"a loop of upper case":       `{{range .Endpoints}}{{$x := upper $.CACert}}{{end}}`,
		"a loop of comparisons":      `{{range .Endpoints}}{{$x := eq $.CACert $.CACert}}{{end}}`,
		"deep parentheses":           `{{` + strings.Repeat(`(`, 30000) + `1` + strings.Repeat(`)`, 30000) + `}}`,
		"deep conditions":            strings.Repeat(`{{if 1}}`, 4000) + strings.Repeat(`{{end}}`, 4000),
		"deep alternatives":          `{{if ""}}` + strings.Repeat(`{{else if ""}}`, 4000) + `{{end}}`,
		"a long pipe":                fill(`{{1`, `|not`, `}}`),
		"many arguments":             fill(`{{quote`, ` .Host`, `}}`),
		"many fields of a chain":     fill(`{{.Host`, `.X`, `}}`),
		"many comments":              fill("", `{{/**/}}`, ``),
		"half actions":               fill("", `{{`, ``),
		"text":                       fill("", `x`, `{{1}}`),
		"a long output of a loop":    fill(`{{range .Endpoints}}`, `x`, `{{end}}`),
		"an error far below":         fill("", "\n", `{{.Nothing}}`),
		"an error in deep brackets":  `{{` + strings.Repeat(`(`, 9000) + `.Nothing` + strings.Repeat(`)`, 9000) + `}}`,
	} {
		t.Run(name, func(t *testing.T) {
			took, _, err := timed(t, source, many)
			t.Logf("%s, %.100v", took, err)
		})
	}
}

// reference are the functions as text/template calls them.
var reference = template.FuncMap{
	"quote": func(args ...any) (string, error) {
		var quoted []string
		for _, arg := range args {
			quoted = append(quoted, strconv.Quote(fmt.Sprint(arg)))
		}
		return strings.Join(quoted, " "), nil
	},
	"squote": func(args ...any) string {
		var quoted []string
		for _, arg := range args {
			quoted = append(quoted, "'"+fmt.Sprint(arg)+"'")
		}
		return strings.Join(quoted, " ")
	},
	"pathescape": func(arg any) string { return url.PathEscape(fmt.Sprint(arg)) },
	"b64enc":     func(arg any) string { return base64.StdEncoding.EncodeToString([]byte(fmt.Sprint(arg))) },
	"b64dec": func(arg any) (string, error) {
		decoded, err := base64.StdEncoding.DecodeString(fmt.Sprint(arg))
		return string(decoded), err
	},
	"toJson": func(arg any) (string, error) {
		encoded, err := json.Marshal(arg)
		return string(encoded), err
	},
	"indent": func(width int, arg any) string {
		margin := strings.Repeat(" ", width)
		return margin + strings.Join(strings.Split(fmt.Sprint(arg), "\n"), "\n"+margin)
	},
	"nindent": func(width int, arg any) string {
		margin := "\n" + strings.Repeat(" ", width)
		return margin + strings.Join(strings.Split(fmt.Sprint(arg), "\n"), margin)
	},
	"trim":    func(arg any) string { return strings.TrimSpace(fmt.Sprint(arg)) },
	"upper":   func(arg any) string { return strings.ToUpper(fmt.Sprint(arg)) },
	"lower":   func(arg any) string { return strings.ToLower(fmt.Sprint(arg)) },
	"replace": func(a, b, in any) string { return strings.ReplaceAll(fmt.Sprint(in), fmt.Sprint(a), fmt.Sprint(b)) },
	"join": func(separator any, list []any) string {
		var all []string
		for _, one := range list {
			all = append(all, fmt.Sprint(one))
		}
		return strings.Join(all, fmt.Sprint(separator))
	},
	"default": func(otherwise, value any) any {
		if truth, _ := template.IsTrue(value); truth {
			return value
		}
		return otherwise
	},
	"required": func(message string, value any) (any, error) {
		if value == "" {
			return nil, errors.New(message)
		}
		return value, nil
	},
}

// FuzzTemplatesWithData is for what users may write: it ends in time, without a panic, with no value in an error, and with what
// text/template makes of it.
func FuzzTemplatesWithData(f *testing.F) {
	for _, source := range []string{
		`{{ .Host }}:{{ .Password | urlquery }}`, `{{ range $i, $e := .Endpoints }}{{ if $i }},{{ end }}{{ $e.Host }}:{{ $e.Port }}{{ end }}`,
		`{{ range .Endpoints }}{{ if eq .Component "pg" }}{{ continue }}{{ end }}{{ break }}{{ else }}none{{ end }}`, `{{ with .Host }}{{ . }}{{ $.Database }}{{ end }}`,
		`{{ join "," .Nodes | quote | squote }}`, `{{ required "a" .Database }}`, `{{ default .Host .Database | upper | lower | trim }}`, `{{ toJson . }}`,
		`{{ .CACert | nindent 4 }}{{ indent 64 "a" }}`, `{{ b64dec (b64enc .Password) }}`, `{{ b64dec .Password }}`, `{{ pathescape "a b" }}`,
		`{{ index .Endpoints 0 "Host" }}{{ (index .Endpoints 1).Port }}{{ index . "Host" }}`, `{{ len .Endpoints | lt 2 }}{{ ge "a" .Host }}{{ le 1.5 2.0 }}{{ gt 1 1 }}`,
		`{{ $x := .Host }}{{ if and $x (or .Database "y") }}{{ $x = "z" }}{{ end }}{{ $x }}`, `{{ replace "." "" .Host }}{{ not .None }}`, `{{ $.Host }}{{ ne "a" "b" }}`,
		`{{ range $e = .Endpoints }}{{ end }}`, `{{ index .Nodes 9 }}`, `{{ .Password.X }}`, `{{ indent .Password 1 }}`, `{{ eq .Password 1 }}`, `{{ index .Password .Password }}`,
		`{{ required .Password "" }}`, `{{ range $.Endpoints }}{{ range $.Endpoints }}{{ .Host }}{{ end }}{{ end }}`, `{{ urlquery .Host 1 }}`, `{{ quote 1.0 'a' 0x10 true }}`,
		`{{ index .Endpoints }}`, `{{ with $x := .Host }}{{ $x }}{{ end }}`, `{{ 1 | indent 2 }}`, `{{ define "x" }}{{ end }}`, `{{ len .Host }}{{ print }}`,
	} {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		_, got, err := timed(t, source, data())
		if err != nil {
			assert.NotContains(t, err.Error(), "Tr0ub4dor")
			return
		}
		theirs, err := template.New("value").Option("missingkey=error").Funcs(reference).Parse(source)
		require.NoError(t, err)
		var want strings.Builder
		if err := theirs.Execute(&want, data()); err == nil {
			assert.Equal(t, want.String(), got)
		}
	})
}
