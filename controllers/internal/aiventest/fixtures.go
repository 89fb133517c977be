package aiventest

import "maps"

// Namespace is where objects and Secrets live.
const Namespace = "default"

// Object is a map as JSON has it.
type Object = map[string]any

// Service is the response to a read of a PostgreSQL service called my-pg that runs, with some fields changed.
func Service(changes Object) Answer { return OK(Object{"service": ServiceFields(changes)}) }

// ServiceFields are the fields of Service, as an answer to creating or updating one has them too.
func ServiceFields(changes Object) Object {
	fields := Object{
		"service_name": "my-pg", "service_type": "pg", "plan": "startup-4", "cloud_name": "google-europe-west1",
		"state": "RUNNING", "disk_space_mb": 81920,
		"maintenance": Object{"dow": "sunday", "time": "03:00:00", "enabled": true, "updates": []any{}},
		"user_config": Object{"pg_version": "17", "ip_filter": []any{"0.0.0.0/0"}},
		"service_uri": "postgres://avnadmin:pass-word@pg.test:5432/defaultdb?sslmode=require",
		"service_uri_params": Object{
			"host": "pg.test", "port": "5432", "dbname": "defaultdb", "user": "avnadmin", "password": "pass-word",
			"sslmode": "require",
		},
		"components": []any{
			Object{"component": "pg", "host": "pg.test", "port": 5432, "route": "dynamic", "usage": "primary"},
		},
		"users":            []any{Object{"username": "avnadmin", "type": "primary", "password": "pass-word"}},
		"databases":        []any{"defaultdb"},
		"connection_pools": []any{}, "service_integrations": []any{},
	}
	maps.Copy(fields, changes)
	return fields
}

// Missing is the response to a read of what doesn't exist.
func Missing() Answer { return Refused(404, "Service does not exist") }
