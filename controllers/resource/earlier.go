package resource

import (
	"github.com/aero-operator/aero/controllers/internal/ownership"
)

// expectEarlierCreate reports whether what is read from now on may lack what an earlier process has created, and makes it be
// read again after the lag. It is for resources without a name of their own, of which Aiven would make a second one: what has
// a name is refused.
func (c *controller[T, R]) expectEarlierCreate(obj T) bool {
	if !c.definition.LookupOnDelete || !ownership.Owns(obj) {
		return false
	}
	if item, listed := c.item(obj); listed {
		c.env.Client.ExpectEarlierListWrite(item.List, item.Key)
	}
	for _, end := range c.holders(obj) {
		c.env.Client.ExpectEarlierWrite(end.Project, end.Service, c.own(obj))
	}
	return c.env.Client.BeginReads().EarlierWritesPending()
}
