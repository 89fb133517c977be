// Package export reads what exists at Aiven and writes the objects that manage it. It is for kubectl aero: nothing of it is in
// the operator.
//
//	export.go      options and result, and the order in which a project is read
//	read.go        reads of Aiven: those that are repeated, and those that are denied
//	draft.go       an object that is exported, and the comparison of its kind's controller
//	names.go       names of objects, and of the Secrets that they publish
//	write.go       manifests, none of which holds a secret
//	options.go     user options, from what Aiven reports
//	trees.go       which options a type has, and which are secret
//	services.go    services of all types
//	<family>.go    what is in a service or a project
package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/oneshot"
	"github.com/aero-operator/aero/controllers/kinds"
)

// Options are what is exported, and how.
type Options struct {
	oneshot.Login

	Project string
	Service string   // empty for all of the project, and the project itself
	Kinds   []string // empty for all
	// Namespace and AuthSecret are what each object gets; empty and nil for none.
	Namespace  string
	AuthSecret *v1alpha1.AuthSecretReference
	// Manage leaves out the management policy Observe, so that the operator corrects drift at once.
	Manage              bool
	Labels, Annotations map[string]string
	// IncludeDefaults keeps options that have the default of their schema, and settings of topics that are the broker's.
	IncludeDefaults bool
	// Verify compares each object with Aiven as its controller does.
	Verify bool
}

// Result is what an export has found. Its lists are in the order of what was read.
type Result struct {
	Manifests []Manifest
	// Left is what isn't exported.
	Left []Note
	// Unread is what couldn't be read, with the remedy.
	Unread []Note
	// Differences are those between an object and Aiven, where there should be none, and what kept them from being compared.
	Differences []Note
	// Uncompared is what can't be compared for now, such as what is in a service that is powered off.
	Uncompared []Note
}

// Manifest is one object.
type Manifest struct {
	Kind, Name string
	Service    string // that it is, or is in; empty for what is in none
	YAML       []byte
}

// Note is a sentence about something at Aiven, or a field of it.
type Note struct{ What, Text string }

func (n Note) String() string { return n.What + ": " + n.Text }

// Kinds are the names of all kinds, sorted.
func Kinds() []string {
	var names []string
	for _, kind := range kinds.All() {
		names = append(names, kindOf(kind.GetObject()))
	}
	return names
}

func kindOf(obj any) string { return reflect.TypeOf(obj).Elem().Name() }

// Check returns what is wrong with the options, before anything is read.
func (o Options) Check() error {
	switch {
	case o.Project == "":
		return errors.New("--project is needed: the name of a project at Aiven")
	case !aiven.FitsPath(o.Project):
		return fmt.Errorf("--project: %q can't be a project", o.Project)
	case o.Service != "" && !aiven.FitsPath(o.Service):
		return fmt.Errorf("--service: %q can't be a service", o.Service)
	}
	for _, name := range o.Kinds {
		if !slices.ContainsFunc(Kinds(), func(kind string) bool { return strings.EqualFold(kind, name) }) {
			return fmt.Errorf("--kinds: %q is no kind: use %s", name, strings.Join(Kinds(), ", "))
		}
	}
	return o.Login.Check()
}

// Run reads Aiven and returns manifests. It writes nothing there. The error is about the whole: a project that can't be read, or a
// token that Aiven rejects.
func Run(ctx context.Context, o Options) (*Result, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	client, err := o.Client() // what was read serves the comparison, too
	if err != nil {
		return nil, err
	}
	return export(ctx, client, o)
}

// exporter is one export.
type exporter struct {
	Options
	client   *aiven.Client
	memories map[string]*sync.Map      // of kinds
	schemas  map[string]map[string]any // of options, by type of service; nil where not known
	secrets  []string                  // that Aiven has returned
	drafts   []*draft
	drafted  map[string]bool // by kind and draft.what
	result   *Result
}

func export(ctx context.Context, client *aiven.Client, o Options) (*Result, error) {
	e := &exporter{
		Options: o, client: client, result: &Result{},
		memories: map[string]*sync.Map{}, schemas: map[string]map[string]any{}, drafted: map[string]bool{},
	}
	services, err := e.serviceNames(ctx)
	if err != nil {
		return nil, err
	}
	if o.Service == "" {
		e.account(ctx)
		e.endpoints(ctx)
	}
	linked := links{}
	for _, name := range services {
		found, read := ask(ctx, e, "service "+name, func(ctx context.Context) (*aiven.Service, error) {
			return client.Service(ctx, o.Project, name)
		})
		if read {
			e.service(ctx, found)
			linked.add(found)
		} else if o.Service != "" {
			return nil, nothingRead(e.result.Unread)
		}
	}
	e.integrations(linked)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	taken := newNames()
	if o.AuthSecret != nil {
		taken.secrets[o.AuthSecret.Name] = true // no object publishes into it
	}
	taken.assign(e)
	for _, d := range e.drafts {
		e.finish(ctx, d)
	}
	e.scrub()
	if len(e.drafts) == 0 && len(e.result.Unread) > 0 {
		return nil, nothingRead(e.result.Unread)
	}
	return e.result, ctx.Err()
}

// nothingRead is the error of an export without an object, such as that of a project that doesn't exist.
func nothingRead(notes []Note) error {
	all := make([]error, 0, len(notes))
	for _, note := range notes {
		all = append(all, errors.New("reading "+note.String()))
	}
	return errors.Join(all...)
}

// scrub replaces notes that would show a secret that stands where none belongs, such as in a name, or a tag that differs.
func (e *exporter) scrub() {
	const reason = "the reason isn't shown, as a secret is in it"
	for _, notes := range [][]Note{e.result.Left, e.result.Unread, e.result.Differences, e.result.Uncompared} {
		for i, note := range notes {
			switch {
			case e.shows(note.What):
				notes[i] = Note{"something whose name holds a secret", reason}
			case e.shows(note.Text):
				notes[i].Text = reason
			}
		}
	}
}

// wants reports whether one of some kinds is asked for.
func (e *exporter) wants(kinds ...string) bool {
	return len(e.Kinds) == 0 || slices.ContainsFunc(kinds, func(kind string) bool {
		return slices.ContainsFunc(e.Kinds, func(asked string) bool { return strings.EqualFold(asked, kind) })
	})
}

// leave notes what isn't exported.
func (e *exporter) leave(what, reason string) {
	e.result.Left = append(e.result.Left, Note{what, reason})
}

// finish compares a draft, and makes a manifest of it.
func (e *exporter) finish(ctx context.Context, d *draft) {
	if d.unnamed != "" {
		e.leave(d.what, d.unnamed)
		return
	}
	for _, note := range d.notes {
		e.leave(cmp.Or(note.What, d.what), note.Text)
	}
	e.decorate(d)
	manifest, err := e.write(d)
	if err != nil {
		e.leave(d.what, err.Error())
		return
	}
	if e.Verify {
		e.verify(ctx, d)
	}
	e.result.Manifests = append(e.result.Manifests, manifest)
}
