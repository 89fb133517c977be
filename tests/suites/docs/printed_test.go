package docs

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write what kubectl prints of the examples: run make generate afterwards")

// printedFolder has what the pages of the kinds show of their examples. The pages are made of it.
const printedFolder = "generators/pages/printed"

// printExamples writes what kubectl prints of each example, behind the command, into a file of the folder printed. The kinds that make no
// calls to Aiven need the others, and a second user.
const printExamples = `
sed 's/name: orders-app$/name: orders-app-2/' docs/examples/serviceuser.yaml | kubectl apply -f -
kubectl wait --for=condition=Ready --timeout=1m serviceuser/orders-app-2
kubectl apply -f docs/examples/aero-operator.io
kubectl wait --for=condition=Ready --timeout=1m connectionsecret,serviceuserrotation --all
mkdir printed
for example in docs/examples/*.yaml docs/examples/aero-operator.io/*.yaml; do
  kind=$(basename "$example" .yaml)
  name=$(sed -n '/^  name: /{s///p;q}' "$example")
  echo "$ kubectl get $kind $name" > "printed/$kind.txt"
  kubectl get "$kind" "$name" >> "printed/$kind.txt"
done
`

// ageInLine is the last column that kubectl prints.
var ageInLine = regexp.MustCompile(`(?m) \d+[smhd](\d+[smh])?$`)

// timeInLine is a time in a column, such as that of the next rotation. The pages have shownTime instead, which is as long.
var timeInLine = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)

const shownTime = "2026-12-24T12:00:00Z"

// printedExamples compares what printExamples has written with what the pages are made of, whatever the ages and times.
func (m *machine) printedExamples() {
	m.t.Helper()
	seen := textsIn(m.t, filepath.Join(m.dir, "printed"))
	require.NotEmpty(m.t, seen)
	for name, text := range seen {
		seen[name] = timeInLine.ReplaceAllString(text, shownTime)
	}
	folder := filepath.Join(root, printedFolder)
	if *update {
		require.NoError(m.t, os.RemoveAll(folder))
		require.NoError(m.t, os.Mkdir(folder, 0o755))
		for name, text := range seen {
			text = ageInLine.ReplaceAllString(text, " 5m")
			require.NoError(m.t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
		}
	}
	shown := textsIn(m.t, folder)
	for name := range shown {
		assert.Contains(m.t, seen, name, "no example prints it: run this test with -update")
	}
	for name, text := range seen {
		assert.Equal(m.t, timeless(text), timeless(shown[name]), "%s: run this test with -update, and make generate", name)
	}
}

// textsIn are the files of a folder by their names.
func textsIn(t *testing.T, folder string) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	require.NoError(t, err)
	texts := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		texts[filepath.Base(path)] = string(text)
	}
	return texts
}
