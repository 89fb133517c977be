package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/clickhouse"
	"github.com/aero-operator/aero/tests/localaiven/engine/kafka"
	"github.com/aero-operator/aero/tests/localaiven/engine/mysql"
	"github.com/aero-operator/aero/tests/localaiven/engine/postgres"
	"github.com/aero-operator/aero/tests/localaiven/engine/valkey"
)

// engines are all there are, by their names on the command line.
var engines = map[string]func() engine.Engine{
	"clickhouse": func() engine.Engine { return clickhouse.New() },
	"kafka":      func() engine.Engine { return kafka.New() },
	"mysql":      func() engine.Engine { return mysql.New() },
	"postgresql": func() engine.Engine { return postgres.New() },
	"valkey":     func() engine.Engine { return valkey.New() },
}

func names() string { return strings.Join(slices.Sorted(maps.Keys(engines)), ",") }

// choose returns the engines of a flag's value. One that was asked for by name must be available; auto takes what there is.
func choose(value string) ([]engine.Engine, error) {
	var chosen []engine.Engine
	switch value {
	case "none":
		return nil, nil
	case "auto":
		for _, name := range slices.Sorted(maps.Keys(engines)) {
			chosen = append(chosen, engines[name]())
		}
		return chosen, nil
	}
	for _, name := range list(value) {
		create, ok := engines[name]
		if !ok {
			return nil, fmt.Errorf("unknown engine %q in --engines: have auto, none, %s", name, names())
		}
		e := create()
		if err := e.Available(); err != nil {
			return nil, fmt.Errorf("engine %s: %w", name, err)
		}
		chosen = append(chosen, e)
	}
	return chosen, nil
}
