package main

import (
	"context"
	"errors"
	"maps"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/tests/localaiven/admin"
	"github.com/aero-operator/aero/tests/localaiven/lockeddir"
	"github.com/aero-operator/aero/tests/localaiven/process"
)

// demo is one run.
type demo struct {
	options
	*screen
	begun   time.Time
	scratch *lockeddir.Folder
	// fail ends the run, with the reason.
	fail context.CancelCauseFunc

	// The programs, nil until they are started.
	plane, aiven, operator *process.Program

	kube  client.Client
	admin *admin.Client
	// noDatabase says why there is no real PostgreSQL; nil means that there is one.
	noDatabase error
	// seen are the processes that there have ever been, by id; nil where the system can't list them.
	seen map[int]string
	// serving is set once the user has been asked to interrupt: that is then no failure.
	serving bool
	// metrics is the address of the operator's metrics; 0 for none.
	metrics string
	// calls sums up what Aiven was asked.
	calls string
}

// step is a chapter of the story.
type step struct {
	title string
	act   func(context.Context) error
}

func (d *demo) steps() []step {
	if d.run {
		return []step{{"Start", d.start}, {"Your turn", d.serve}}
	}
	steps := []step{
		{"Start", d.start},
		{"Declare a service, a database, a user and a connection pool", d.declare},
		{"Read the status, the events and the Secret", d.inspect},
		{"Connect with what it has published", d.query},
		{"Change a password behind its back", d.interfere},
		{"Declare a Kafka service, a topic, a schema, a user and its permission", d.declareKafka},
		{"Produce and consume a message", d.exchange},
		{"Make mistakes", d.blunder},
	}
	if d.keep {
		return append(steps, step{"Your turn", d.linger})
	}
	return append(steps, step{"Delete everything", d.clear})
}

// play runs the whole story, and leaves nothing behind whatever happens. What went wrong is on the screen then.
func play(parent context.Context, s *screen, o options) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	d := &demo{options: o, screen: s, begun: time.Now(), fail: cancel}
	for _, line := range wrap(o.introduction(), s.width) {
		s.print(line)
	}
	err := d.prepare()
	if err == nil {
		err = d.play(ctx)
	}
	d.explain(err)
	stopped := d.stop()
	if stopped != nil {
		d.bad("%v", stopped)
	}
	if stopped == nil && d.serving && errors.Is(err, process.ErrInterrupted) {
		return nil
	}
	if err = errors.Join(err, stopped); err == nil {
		d.summarize()
	}
	return err
}

// introduction is what the command prints first.
func (o *options) introduction() string {
	if o.run {
		return "A Kubernetes control plane, the local Aiven and the operator, all on this machine, until you press Ctrl-C."
	}
	return "aero runs Aiven services from Kubernetes. This demo has a real Kubernetes API, a real PostgreSQL and " +
		"a local stand-in for Aiven: it needs no account, and nothing leaves this machine."
}

func (d *demo) prepare() error {
	if err := adoptOrphans(); err != nil {
		return err
	}
	var err error
	d.scratch, err = lockeddir.Temp("aero-demo-*")
	return err
}

// count remembers the processes of this moment.
func (d *demo) count() error {
	now, known, err := descendants()
	if known && d.seen == nil {
		d.seen = map[int]string{}
	}
	maps.Copy(d.seen, now)
	return err
}

func (d *demo) play(ctx context.Context) error {
	for _, step := range d.steps() {
		if ctx.Err() == nil {
			d.heading(step.title)
		}
		err := errors.Join(step.act(ctx), d.count())
		// Whatever a step made of it, the cause is why it was stopped.
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// explain says why the story ends early.
func (d *demo) explain(err error) {
	switch {
	case err == nil:
		return
	case errors.Is(err, process.ErrInterrupted):
		d.print("")
		d.say("Interrupted: cleaning up.")
		return
	}
	d.print("")
	d.bad("Failed: %v", err)
	for _, c := range d.suspects(err) {
		d.say("The log of %s ends with:", c.Title)
		for _, line := range c.Lines(tailLines) {
			for i, part := range wrap(cut(line, maxLogLine), d.width-2*len(margin)-2) {
				d.print(margin + margin + strings.Repeat(" ", 2*min(i, 1)) + part)
			}
		}
	}
}

// suspects are the programs whose logs may say why a step has failed: the one that died, or else the two that the steps
// are about, or else the control plane.
func (d *demo) suspects(err error) []*process.Program {
	var death *process.DeathError
	switch {
	case errors.As(err, &death):
		return []*process.Program{death.Program}
	case d.operator != nil:
		return []*process.Program{d.aiven, d.operator}
	case d.aiven != nil:
		return []*process.Program{d.aiven}
	case d.plane != nil:
		return []*process.Program{d.plane}
	default:
		return nil
	}
}

// tailLines of a log are shown when a step has failed, and maxLogLine characters of each.
const (
	tailLines  = 8
	maxLogLine = 180
)

func (d *demo) summarize() {
	d.print("")
	d.say("Done in %.0f seconds, with %s.", time.Since(d.begun).Seconds(), d.calls)
	d.say("Read next: docs/user/getting-started.md. Or try it yourself: make demo KEEP=1")
}
