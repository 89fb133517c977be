package fault

import (
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
		"a date":                           {"Fri, 01 May 2026 12:00:28 GMT", 28 * time.Second},
		"a date that is over":              {"Fri, 01 May 2026 11:00:00 GMT", 0},
		"a negative number":                {"-1", 0},
		"a word without a meaning":         {"soon", 0},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tc.want, RetryAfter(tc.header, now)) })
	}
}
