package main

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/tests/localaiven"
)

func TestProgressIsShownDuringAWait(t *testing.T) {
	var out bytes.Buffer
	withoutTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
			return slog.Attr{}
		}
		return a
	}
	p := progress{log: slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: withoutTime}))}
	start := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for second := range 40 {
		state := "RUNNING"
		if second < 25 {
			state = "REBUILDING"
		}
		services := []localaiven.ServiceState{{Project: "p", Name: "a", Type: "pg", State: state}}
		if second > 38 {
			services = nil
		}
		p.record(start.Add(time.Duration(second)*time.Second), services)
	}
	assert.Equal(t, strings.Join([]string{
		`msg=REBUILDING service=p/a type=pg`,
		`msg="Still REBUILDING" service=p/a type=pg elapsed=10s`,
		`msg="Still REBUILDING" service=p/a type=pg elapsed=20s`,
		`msg=RUNNING service=p/a type=pg after=25s`,
		`msg=Deleted service=p/a`,
		``,
	}, "\n"), out.String())
}
