package main

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// group is a heading with its requirements, in the order of the file.
type group struct {
	title        string
	requirements []requirement
}

type requirement struct {
	id, says string
	na       string // why it can't apply; empty if it can
}

// read keeps the order that a map would lose.
func read(text []byte) ([]group, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("reading the requirements: %w", err)
	}
	var groups []group
	top := document.Content[0].Content
	for i := 0; i+1 < len(top); i += 2 {
		g := group{title: top[i].Value}
		entries := top[i+1].Content
		for k := 0; k+1 < len(entries); k += 2 {
			r := requirement{id: entries[k].Value}
			var detailed struct{ Says, NA string }
			if err := entries[k+1].Decode(&r.says); err != nil {
				if err := entries[k+1].Decode(&detailed); err != nil {
					return nil, fmt.Errorf("reading requirement %s: %w", r.id, err)
				}
				r.says, r.na = detailed.Says, detailed.NA
			}
			g.requirements = append(g.requirements, r)
		}
		groups = append(groups, g)
	}
	return groups, nil
}
