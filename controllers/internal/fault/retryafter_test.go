package fault

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestRetryAfterIsReadInBothForms(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		header string
		want   time.Duration
	}{
		"none":                             {"", 0},
		"seconds":                          {"7", 7 * time.Second},
		"seconds with white space":         {" 7 ", 7 * time.Second},
		"an hour, which the caller bounds": {"3600", time.Hour},
		"fractions are rounded up":         {"1.5", 2 * time.Second},
		"a date":                           {"Fri, 01 May 2026 12:00:28 GMT", 28 * time.Second},
		"a date that is over":              {"Fri, 01 May 2026 11:00:00 GMT", 0},
		"a negative number":                {"-1", 0},
		"a negative fraction":              {"-1.5", 0},
		"an exponent":                      {"1e3", 0},
		"no number":                        {"NaN", 0},
		"infinity":                         {"Inf", 0},
		"a word without a meaning":         {"soon", 0},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tc.want, RetryAfter(tc.header, now)) })
	}
}

func TestReviewM12_AHugeRetryAfterIsTheLongestWait(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for _, header := range []string{
		"301", "4294967295", "4294967296", "9223372036", "9223372037", "99999999999999999999", "4294967296.5",
		"Fri, 31 Dec 9999 23:59:59 GMT",
	} {
		t.Run(header, func(t *testing.T) {
			answer := &http.Response{StatusCode: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {header}}}
			assert.Equal(t, longestWait, Of(Throttled("ServiceGet", answer, []byte(`{"message": "no"}`), now)).RetryAfter)
		})
	}
}

func TestTheWaitInATextIsReadWithItsUnits(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"try again in 28s":                             28 * time.Second,
		"try again in 900ms":                           900 * time.Millisecond,
		"try again in 1.5s":                            1500 * time.Millisecond,
		"try again in 0.5 minutes":                     30 * time.Second,
		"try again in 2m30s":                           150 * time.Second,
		"try again in 2 minutes and 30 seconds":        150 * time.Second,
		"try again in 1 min, 1 sec":                    61 * time.Second,
		"Retry After 7":                                7 * time.Second,
		"try again in 3 Minutes.":                      3 * time.Minute,
		"try again in 28s or ask for a higher limit":   28 * time.Second,
		"try again in 1h":                              longestWait,
		"try again in 2 hours":                         longestWait,
		"try again in 1h30m":                           longestWait,
		"try again in 1 day":                           longestWait,
		"try again in 0.01h":                           36 * time.Second,
		"try again in 99999999999s":                    longestWait,
		"try again in 99999999999999999999999 minutes": longestWait,
		"try again in 3 attempts":                      0,
		"try again in 5 business days":                 0,
		"try again in 1m5x":                            0,
		"try again in a moment":                        0,
		"try again in -5s":                             0,
	} {
		t.Run(text, func(t *testing.T) { assert.Equal(t, want, waitInText("Rate limit 120 exceeded - "+text)) })
	}
}

func TestTheWaitIsNoPartOfTheMessage(t *testing.T) {
	for _, wait := range []string{"28s", "1.5s", "2m30s", "2 hours", "1 hour, 5 minutes and 3 seconds", "7"} {
		t.Run(wait, func(t *testing.T) {
			assert.Equal(t, "Slow down: try again later, please", clean("Slow down: try again in "+wait+", please", nil))
		})
	}
}
