package main

import (
	"debug/buildinfo"
	"debug/dwarf"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// module writes a module with one program, which fails to compile where broken.
func module(t *testing.T, body string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "hello"), 0o755))
	for name, content := range map[string]string{
		"go.mod":        "module hello.test\n\ngo 1.26.0\n",
		"go.sum":        "",
		"hello/main.go": "package main\n\nfunc main() {" + body + "}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	return dir
}

func TestAProgramIsBuiltAgainOnlyWhenSomethingChanged(t *testing.T) {
	dir, out := module(t, ""), t.TempDir()
	args := []string{"--module", dir, "--out", out, "--skip-current", "./hello"}
	program := filepath.Join(out, "hello")
	require.NoError(t, run(t.Context(), args))
	first, err := os.Stat(program)
	require.NoError(t, err)

	require.NoError(t, run(t.Context(), args))
	second, err := os.Stat(program)
	require.NoError(t, err)
	assert.True(t, os.SameFile(first, second), "nothing changed, yet it was built again")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "hello", "main.go"), []byte("package main\n\nfunc main() { println() }\n"), 0o644))
	require.NoError(t, run(t.Context(), args))
	third, err := os.Stat(program)
	require.NoError(t, err)
	assert.False(t, os.SameFile(first, third), "the source changed, yet it wasn't built again")

	require.NoError(t, os.Mkdir(filepath.Join(dir, "other"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "other", "other.go"), []byte("package other\n"), 0o644))
	require.NoError(t, run(t.Context(), args))
	fourth, err := os.Stat(program)
	require.NoError(t, err)
	assert.False(t, os.SameFile(third, fourth), "another package of the module changed, yet it wasn't built again")
}

func TestAProgramThatIsCurrentIsNotLinkedAgain(t *testing.T) {
	o := order{module: module(t, ""), out: t.TempDir()}
	p := program{name: "hello", pkg: "./hello"}
	require.NoError(t, os.WriteFile(filepath.Join(o.out, "hello"), []byte("no program"), 0o755))
	built, err := o.build(t.Context(), []program{p})
	require.NoError(t, err, "what isn't a program is replaced")
	assert.Equal(t, 1, built)

	built, err = o.build(t.Context(), []program{p})
	require.NoError(t, err)
	assert.Zero(t, built, "nothing changed")

	require.NoError(t, os.WriteFile(filepath.Join(o.module, "hello", "main.go"), []byte("package main\n\nfunc main() { println() }\n"), 0o644))
	built, err = o.build(t.Context(), []program{p})
	require.NoError(t, err)
	assert.Equal(t, 1, built, "the source changed")
}

func TestProgramsAreBuiltTogether(t *testing.T) {
	dir, out := module(t, ""), t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "other"), 0o755))
	source := filepath.Join(dir, "other", "main.go")
	require.NoError(t, os.WriteFile(source, []byte("package main\n\nfunc main() { println() }\n"), 0o644))
	args := []string{"--module", dir, "--out", out, "--skip-current", "./hello", "./other"}
	require.NoError(t, run(t.Context(), args))
	first, err := os.Stat(filepath.Join(out, "hello"))
	require.NoError(t, err)
	for _, name := range []string{"hello", "other"} {
		require.NoError(t, exec.CommandContext(t.Context(), filepath.Join(out, name)).Run())
	}

	require.NoError(t, os.WriteFile(source, []byte("package main\n\nfunc main() { undefined() }\n"), 0o644))
	require.ErrorContains(t, run(t.Context(), args), "undefined: undefined")
	second, err := os.Stat(filepath.Join(out, "hello"))
	require.NoError(t, err)
	assert.True(t, os.SameFile(first, second), "a failed build keeps all programs")
}

func TestAVariantIsBuiltWithItsOwnRequirements(t *testing.T) {
	dir, out := module(t, " println(word) "), t.TempDir()
	for name, content := range map[string]string{
		"hello/word.go": "package main\n\nvar word = \"none\"\n",
		"go.other.mod":  "module hello.test\n\ngo 1.26.0\n\ngodebug default=go1.25\n",
		"go.other.sum":  "",
		"ldflags":       "-X main.word=usual",
		"ldflags.other": "-X main.word=other",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	for _, test := range []struct{ variant, word string }{{"", "usual"}, {"other", "other"}} {
		program := filepath.Join(out, "hello-"+test.word)
		args := []string{"--module", dir, "--out", out, "--skip-current", "--variant", test.variant, "hello-" + test.word + "=./hello"}
		require.NoError(t, run(t.Context(), args))
		output, err := exec.CommandContext(t.Context(), program).CombinedOutput()
		require.NoError(t, err)
		assert.Equal(t, test.word+"\n", string(output))
		info, err := buildinfo.ReadFile(program)
		require.NoError(t, err)
		assert.Equal(t, test.variant == "other", slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool {
			return s.Key == "DefaultGODEBUG" && strings.Contains(s.Value, "=")
		}), "requirements of another version of Go have other settings: %v", info.Settings)
	}
	_, err := parse([]string{"--module", dir, "--variant", "missing", "./hello"})
	require.ErrorContains(t, err, "there is no variant missing")
}

func TestAFailedBuildKeepsTheOldProgramAndShowsTheCompilersWords(t *testing.T) {
	dir, out := module(t, "undefined()"), t.TempDir()
	program := filepath.Join(out, "renamed")
	require.NoError(t, os.WriteFile(program, []byte("old"), 0o755))
	err := run(t.Context(), []string{"--module", dir, "--out", out, "renamed=./hello"})
	require.ErrorContains(t, err, "undefined: undefined")
	content, err := os.ReadFile(program)
	require.NoError(t, err)
	assert.Equal(t, "old", string(content))
	assert.NoDirExists(t, filepath.Join(out, ".partial"))
}

func TestADebuggableProgramKeepsItsSymbolsAndPaths(t *testing.T) {
	dir, out := module(t, ""), t.TempDir()
	t.Setenv("GOFLAGS", "-gcflags=all=-dwarf=false") // as make has it
	for name, c := range map[string]struct {
		flags []string
		keeps bool
	}{
		"stripped":   {nil, false},
		"debuggable": {[]string{"--debuggable"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, run(t.Context(), append(c.flags, "--module", dir, "--out", out, name+"=./hello")))
			info, err := buildinfo.ReadFile(filepath.Join(out, name))
			require.NoError(t, err)
			symbols, _ := exec.CommandContext(t.Context(), "go", "tool", "nm", filepath.Join(out, name)).Output() // it fails without any
			assert.Equal(t, c.keeps, strings.Contains(string(symbols), "main.main"))
			assert.Equal(t, c.keeps, isDebuggable(t, filepath.Join(out, name), "runtime.mallocgc"), "what it imports")
			assert.Equal(t, c.keeps, !slices.Contains(info.Settings, debug.BuildSetting{Key: "-trimpath", Value: "true"}), "paths of the source")
		})
	}
}

// isDebuggable reports whether a debugger knows a function of the program.
func isDebuggable(t *testing.T, path, function string) bool {
	t.Helper()
	file, err := elf.Open(path)
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	data, err := file.DWARF()
	if err != nil {
		return false // none at all
	}
	entries := data.Reader()
	for {
		entry, err := entries.Next()
		require.NoError(t, err)
		if entry == nil || entry.Tag == dwarf.TagSubprogram && entry.Val(dwarf.AttrName) == function {
			return entry != nil
		}
	}
}

func TestACommandLineWithoutANameForTheProgramIsRefused(t *testing.T) {
	for name, args := range map[string][]string{
		"no package":            {},
		"the folder itself":     {"."},
		"an empty name":         {"=./hello"},
		"a name that is a path": {"../hello=./hello"},
		"the folder above":      {".."},
		"two, one with a name":  {"./hello", "renamed=./other"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse(args)
			require.Error(t, err)
		})
	}
}
