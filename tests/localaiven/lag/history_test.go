package lag_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/lag"
)

func value[T any](v T) func() T { return func() T { return v } }

func TestAReaderSeesWhatWasTrue(t *testing.T) {
	start := time.Now()
	h := lag.History[string]{Lag: time.Minute}
	h.Remember(start, value("first"))
	h.Remember(start.Add(time.Second), value("second"))
	for name, c := range map[string]struct {
		at    time.Duration
		want  string
		known bool
	}{
		"before all":          {-1, "", false},
		"from the first on":   {0, "first", true},
		"just before another": {time.Second - 1, "first", true},
		"from the second on":  {time.Second, "second", true},
		"long after":          {time.Hour, "second", true},
	} {
		t.Run(name, func(t *testing.T) {
			got, known := h.At(start.Add(c.at))
			assert.Equal(t, c.known, known)
			assert.Equal(t, c.want, got)
		})
	}
}

func TestWhatNoReaderSeesIsForgotten(t *testing.T) {
	start := time.Now()
	h := lag.History[int]{Lag: time.Minute}
	h.Remember(start, value(1))
	h.Remember(start.Add(time.Minute), value(2))
	h.Remember(start.Add(2*time.Minute), value(3))
	_, known := h.At(start)
	assert.False(t, known)
	got, known := h.At(start.Add(time.Minute))
	require.True(t, known, "a reader at the time of the last change sees it")
	assert.Equal(t, 2, got)
}

func TestNothingIsKeptWithoutALag(t *testing.T) {
	var h lag.History[int]
	h.Remember(time.Now(), func() int { t.Error("was asked for a copy"); return 0 })
	_, known := h.At(time.Now())
	assert.False(t, known)
}
