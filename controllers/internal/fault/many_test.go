package fault_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	avngen "github.com/aiven/go-client-codegen"
	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

// allocated is how much memory a function takes, in bytes, whether it keeps it or not.
func allocated(work func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	work()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// shortValues are of five signs each, which URLs and JSON escape.
func shortValues(n int) []string {
	const signs = `<>&"\^{}|%`
	values := make([]string, n)
	for i := range values {
		for at := i; len(values[i]) < 5; at /= len(signs) {
			values[i] += signs[at%len(signs) : at%len(signs)+1]
		}
	}
	return values
}

func TestManyValuesOfSecretsTakeLittleMemoryAndHideTheWholeText(t *testing.T) {
	values := append(shortValues(20_000), "the-last-password")
	s := &fault.Secrets{}
	assert.Less(t, allocated(func() { s.Add(values...) }), instrumented*20<<20)
	assert.Less(t, allocated(func() { s.Add(values...) }), instrumented*20<<20, "again")
	const notice = "Not shown, as the object has more than 1000 secret values. " +
		"Put fewer into its spec, such as spec.userConfig, and into the Secrets that it names"
	for _, text := range []string{"refused: " + values[0], "refused: the-last-password", "a word"} {
		assert.Equal(t, notice, s.Scrub(text))
		assert.Equal(t, notice, s.Hide(text))
		assert.Equal(t, notice, s.Of(errors.New(text)).Message)
		assert.NotContains(t, s.Refusal(avngen.Error{OperationID: "Op", Status: 400, Message: text}, "Aiven rejected the change", ""), text)
	}
	assert.LessOrEqual(t, len(notice), 200)
	assert.Empty(t, s.Scrub(""))
}

func TestAsManyValuesAsAreKnownAreHiddenOneByOne(t *testing.T) {
	values := shortValues(997)
	s := &fault.Secrets{}
	assert.Less(t, allocated(func() { s.Add(append(values, "a-password", "ab")...) }), instrumented*20<<20)
	for range 3 {
		s.Add(values...) // those that are known don't count
	}
	for _, value := range append(values, "ab") {
		assert.Equal(t, "pin='***' was refused", s.Scrub("pin='"+value+"' was refused"))
	}
	assert.Equal(t, "*** is no word", s.Scrub("a-password is no word"))
	s.Add(" ")
	assert.Equal(t, "a word", s.Scrub("a word"), "no value is left of white space")
}

func TestManyKeysOfAConfigTakeLittleMemoryToNameOne(t *testing.T) {
	fields := fault.Fields{}
	for i := range 2000 {
		key := fmt.Sprintf("some_long_key_of_a_config.%04d", i)
		fields[key] = fault.Field{Path: "spec.userConfig." + key}
	}
	for _, text := range []string{"Invalid some_long_key_of_a_config.1500: no", "The value of some_long_key_of_a_config.1500 is bad", "Something is wrong " + strings.Repeat("x", 1000)} {
		answer := avngen.Error{OperationID: "Op", Status: 400, Message: text}
		var err error
		assert.Less(t, allocated(func() { err = fields.Of(answer) }), 4<<20)
		if strings.Contains(text, "1500") {
			assert.Contains(t, (*fault.Secrets)(nil).Refusal(err, "", ""), "Aiven rejected spec.userConfig.some_long_key_of_a_config.1500: ")
		} else {
			assert.Equal(t, answer, err)
		}
	}
}
