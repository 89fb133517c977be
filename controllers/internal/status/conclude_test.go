package status

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// moment is a reconcile, so long after the one before.
type moment struct {
	after time.Duration
	finds finding
}

// situation is one row of the table: what happened to an object before, what a reconcile finds, what it concludes.
type situation struct {
	service bool // the object is a service
	given   []moment
	edited  bool // the spec was changed before
	when    moment
	want    columns
}

var (
	bornReady   = []moment{{0, created}}
	serviceBorn = []moment{{0, serviceCreated}, {5 * time.Minute, serviceInSync}}
)

func requireSituations(t *testing.T, situations map[string]situation) {
	for name, s := range situations {
		t.Run(name, func(t *testing.T) {
			o := newObject(s.service)
			for _, m := range s.given {
				o.now = o.now.Add(m.after)
				o.reconcile(t, m.finds)
			}
			if s.edited {
				o.generation++
			}
			o.now = o.now.Add(s.when.after)
			c := o.reconcile(t, s.when.finds)
			assert.Equal(t, s.want, columnsOf(&c))
		})
	}
}
