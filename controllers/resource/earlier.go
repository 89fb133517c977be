package resource

import (
	"github.com/aero-operator/aero/controllers/internal/ownership"
)

// mayExistTwice is for a resource that may have been created, and has no name of its own: Aiven would make a second one. What
// has a name is refused.
func (c *controller[T, R]) mayExistTwice(obj T) bool {
	return c.definition.LookupOnDelete && ownership.Attempted(obj)
}

// expectEarlierCreate reports whether what is read from now on may lack what an earlier process has created, and makes it be
// read again after the lag.
func (c *controller[T, R]) expectEarlierCreate(obj T) bool {
	if !c.mayExistTwice(obj) {
		return false
	}
	if item, listed := c.item(obj); listed {
		c.env.Client.ExpectEarlierListWrite(item.List, item.Key)
	}
	for _, end := range c.definition.Place.endsOf(obj) {
		c.env.Client.ExpectEarlierWrite(end.Project, end.Service, c.own(obj))
	}
	return c.env.Client.EarlierWritesPending()
}
