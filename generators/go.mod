module github.com/aero-operator/aero/generators

go 1.26.0

require (
	github.com/aiven/go-api-schemas v1.234.0
	github.com/dave/jennifer v1.7.1
	github.com/stretchr/testify v1.12.1
	go.yaml.in/yaml/v3 v3.0.5
)
