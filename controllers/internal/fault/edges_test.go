package fault

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	avngen "github.com/aiven/go-client-codegen"
	"github.com/stretchr/testify/assert"
)

func TestTheLongerWaitOfTwoErrorsCounts(t *testing.T) {
	longer, shorter := result{class: RateLimited, retryAfter: 5 * time.Second}, result{class: RateLimited, retryAfter: 3 * time.Second}
	assert.Equal(t, longer, preferred(longer, shorter))
	assert.Equal(t, longer, preferred(shorter, longer))
}

func TestAnAnswerIsFoundByValueAndByPointer(t *testing.T) {
	answer := avngen.Error{OperationID: "ServiceGet", Status: 400, Message: "no such plan"}
	var none *avngen.Error
	assert.True(t, FromAiven(fmt.Errorf("calling: %w", answer)))
	assert.True(t, FromAiven(fmt.Errorf("calling: %w", &answer)))
	_, ok := answerOf(none)
	assert.False(t, ok)
}

func TestARefusalIsAsLongAsAMessageMayBe(t *testing.T) {
	var s *Secrets
	long := avngen.Error{OperationID: "ServiceCreate", Status: 400, Message: strings.Repeat("no ", longestMessage)}
	refusal := s.Refusal(long, "Aiven rejected spec.plan", "")
	assert.LessOrEqual(t, len(refusal), longestMessage)
	assert.Greater(t, len(refusal), longestMessage-10)
	assert.Contains(t, refusal, "(400 ServiceCreate)")
}

func TestATextIsCutOnlyIfItIsTooLong(t *testing.T) {
	assert.Equal(t, "abcdef", cut("abcdef", 6))
	assert.Equal(t, "abc…", cut("abcdefg", 6))
	assert.Equal(t, "ab…", cut("abéfgh", 6), "a character isn't split")
}

func TestWhichTextsCountAsSecrets(t *testing.T) {
	for value, want := range map[string]bool{
		`""`:                    false,
		`"a`:                    false,
		`"a"`:                   true,
		`'a'`:                   true,
		"abcdef1":               false,
		"abcdefg1":              true,
		"abcdefgh":              false,
		strings.Repeat("a", 31): false,
		strings.Repeat("a", 32): true,
	} {
		assert.Equal(t, want, resemblesSecret(value), value)
	}
}

func TestAValueIsHiddenInEveryFormItIsWrittenIn(t *testing.T) {
	assert.Contains(t, formsOf("<\"\x7fabcdefgh"), "<\\\"\x7fabcdefgh", "JSON that doesn't escape HTML")
	line := strings.Repeat("x", longLine)
	assert.Contains(t, formsOf("a\n "+line+" \nb"), line, "a line that is long enough")
	assert.NotContains(t, formsOf("a\n "+line[1:]+" \nb"), line[1:])
}

func TestBase64IsHiddenIfItIsLongEnough(t *testing.T) {
	value := strings.Repeat("a", longEncoding*6/8)
	assert.Contains(t, base64Of(value), base64.RawStdEncoding.EncodeToString([]byte(value)))
	assert.Empty(t, base64Of(value[1:]))
}
