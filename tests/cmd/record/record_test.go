package main

import (
	"encoding/xml"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recording is what the README shows.
const recording = "../../../docs/user/pictures/session.svg"

// shown are the lines of a picture, if it is well-formed.
func shown(t *testing.T, picture string) string {
	t.Helper()
	var root struct {
		Groups []struct {
			Groups []struct {
				Lines []struct {
					Parts []string `xml:"tspan"`
				} `xml:"text"`
			} `xml:"g"`
		} `xml:"g"`
	}
	require.NoError(t, xml.Unmarshal([]byte(picture), &root))
	var lines []string
	for _, line := range root.Groups[0].Groups[0].Lines {
		lines = append(lines, strings.Join(line.Parts, ""))
	}
	return strings.Join(lines, "\n")
}

func TestTheRecordingShowsTheSession(t *testing.T) {
	picture, err := os.ReadFile(recording)
	require.NoError(t, err)
	text := shown(t, string(picture))
	for _, command := range commands {
		assert.Contains(t, text, strings.Join(folded("$ "+command), "\n"), "make recording")
	}
	for _, printed := range []string{
		"postgresql.aiven.io/my-pg condition met", "└─ Secret/orders-app     True    Published", " orders-app   | orders",
		"PostgreSQL/my-pg is not ready: InvalidSpec", "Invalid plan 'startup-400'",
	} {
		assert.Contains(t, text, printed)
	}
}

func TestTheRecordingHasNoSecretAndNothingOfTheMachine(t *testing.T) {
	picture, err := os.ReadFile(recording)
	require.NoError(t, err)
	assert.NotRegexp(t, `AVNS_|://[^/\s]*@|BEGIN|[Pp]assword|PGPASS|eyJ`, string(picture), "a secret")
	assert.NotRegexp(t, `/(tmp|root|home|dev|var|usr|Users)/|127\.0\.0\.1|localhost`, string(picture), "a path or an address of the machine")
	assert.NotRegexp(t, `<script|href=|@import|url\(http`, string(picture), "something that a picture on a page must not load")
}

// example has a wait, a line that is too long, and characters with a meaning in XML.
var example = []entry{
	{"kubectl wait <name>", []line{{time.Second, "a & b"}, {time.Minute, strings.Repeat("x", columns+1)}}},
	{"true", nil},
}

func TestWaitsAreShortened(t *testing.T) {
	all, length := layOut(example)
	require.Len(t, all, 5)
	typed := 3*perWord + beforeRun
	assert.Equal(t, []part{{typed + time.Second, "a & b"}}, all[1].parts)
	assert.Equal(t, typed+time.Second+longest, all[2].parts[0].at, "a minute is shortened")
	assert.Equal(t, []part{{all[2].parts[0].at, "x"}}, all[3].parts, "the end of the line above")
	assert.Equal(t, all[3].parts[0].at+afterRun, all[4].parts[0].at)
	assert.Greater(t, length, all[4].parts[0].at+atTheEnd)
}

func TestAPictureWithoutMotionIsTheEndOfTheSession(t *testing.T) {
	long := slices.Repeat(example, rows)
	picture := draw(long)
	all, _ := layOut(long)
	assert.Equal(t, len(all), strings.Count(shown(t, picture), "\n")+1)
	assert.Contains(t, shown(t, picture), "$ kubectl wait <name>\na & b\n")
	assert.Contains(t, picture, "#scroll{transform:"+lifted(len(all)-rows)+"}")
	assert.Contains(t, picture, "@media (prefers-reduced-motion:reduce){.a{animation:none!important}}")
}

func TestEachChangeIsLaterThanTheOneBefore(t *testing.T) {
	picture := draw(slices.Repeat(example, rows))
	scroll := regexp.MustCompile(`animation-name:(k\d+)">\n`).FindStringSubmatch(picture)
	require.NotNil(t, scroll)
	steps := regexp.MustCompile(`@keyframes ` + scroll[1] + `\{(.*)\}\n`).FindStringSubmatch(picture)
	require.NotNil(t, steps)
	var times []string
	for _, step := range regexp.MustCompile(`(\d+\.\d+)%`).FindAllStringSubmatch(steps[1], -1) {
		times = append(times, strings.Repeat("0", 6-len(step[1]))+step[1])
	}
	require.NotEmpty(t, times)
	assert.True(t, slices.IsSorted(times), "%v", times)
	assert.Less(t, times[len(times)-1], "100.00")
}

func TestLinesAreTimedWhenTheyEnd(t *testing.T) {
	w := &stopwatch{began: time.Now().Add(-time.Hour)}
	for _, written := range []string{"one ", "line \nand an", "other\n", "no end"} {
		n, err := w.Write([]byte(written))
		require.NoError(t, err)
		assert.Len(t, written, n)
	}
	require.Len(t, w.lines, 2)
	assert.Equal(t, "one line", w.lines[0].text)
	assert.Equal(t, "and another", w.lines[1].text)
	assert.GreaterOrEqual(t, w.lines[0].after, time.Hour)
}

func TestACommandThatFailsEndsTheRecording(t *testing.T) {
	_, err := run(t.Context(), t.TempDir(), nil, "echo because; false")
	assert.ErrorContains(t, err, "because")
}
