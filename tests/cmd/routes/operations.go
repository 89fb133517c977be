package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"

	aiven "github.com/aiven/go-client-codegen"

	"github.com/aero-operator/aero/tests/localaiven"
)

// operation is one method of the public client.
type operation struct {
	id, method, path string // the path has {} for each parameter
	served           bool
}

// placeholder is what every parameter of a path is called with.
const placeholder = "placeholder"

// operations calls each method of the client, and asks the local Aiven what it makes of the request.
func operations() ([]operation, error) {
	server, err := localaiven.New(localaiven.Options{})
	if err != nil {
		return nil, err
	}
	var caught *http.Request
	client, err := aiven.NewClient(aiven.HostOpt("http://localhost"), aiven.TokenOpt("t"), aiven.DebugOpt(false),
		aiven.EnableSingleFlightOpt(false), aiven.DoerOpt(doer(func(r *http.Request) { caught = r })))
	if err != nil {
		return nil, err
	}
	var all []operation
	methods := reflect.ValueOf(client)
	for i := range methods.NumMethod() {
		caught = nil
		name := methods.Type().Method(i).Name
		call(methods.Method(i))
		if caught == nil {
			return nil, fmt.Errorf("method %s of the client makes no request", name)
		}
		path := strings.ReplaceAll(caught.URL.Path, placeholder, "{}")
		all = append(all, operation{name, caught.Method, path, server.Operation(caught) == name})
	}
	return all, server.Close()
}

// call calls a method with a placeholder for each text, and nothing for all else.
func call(method reflect.Value) {
	var args []reflect.Value
	kind := method.Type()
	for i := range kind.NumIn() {
		switch in := kind.In(i); {
		case kind.IsVariadic() && i == kind.NumIn()-1:
		case in == reflect.TypeFor[context.Context]():
			args = append(args, reflect.ValueOf(context.Background()))
		case in.Kind() == reflect.String:
			args = append(args, reflect.ValueOf(placeholder).Convert(in))
		case in.Kind() == reflect.Pointer:
			args = append(args, reflect.New(in.Elem()))
		default:
			args = append(args, reflect.Zero(in))
		}
	}
	method.Call(args)
}

// doer sees requests, and answers with nothing.
type doer func(*http.Request)

// Do implements aiven.Doer.
func (d doer) Do(r *http.Request) (*http.Response, error) {
	d(r)
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewBufferString("{}")), Header: http.Header{}}, nil
}
