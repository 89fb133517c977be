package service

import (
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
)

// Info is what the main user of a service connects with, as far as all types have it. Any of it may be missing.
func Info(s *aiven.Service, layout connection.Layout) connection.Info {
	return connection.Info{
		Type:      s.Type,
		Address:   connection.Address{Host: s.URIParams["host"], Port: s.URIParams["port"]},
		Database:  s.URIParams["dbname"],
		User:      s.URIParams["user"],
		Password:  s.URIParams["password"],
		URI:       s.URI,
		Endpoints: s.Components,
		Layout:    layout,
	}
}

// Layout has these keys of a service, and none for what Aiven doesn't return. The legacy ones are there a second time, without
// the prefix.
func Layout(keys map[string]connection.Value, legacy ...string) connection.Layout {
	layout := connection.Layout{Prefixed: keys, OmitEmpty: true}
	if len(legacy) == 0 {
		return layout
	}
	return layout.Twice(legacy...)
}
