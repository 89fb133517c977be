package resource

import (
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/ownership"
)

// earlierCreatePending reports whether an earlier process may have created what isn't found.
func (c *controller[T, R]) earlierCreatePending(o controllers.Observation, obj T) bool {
	return !o.Remote.Exists && c.mayExistTwice(obj) && c.env.Client.EarlierWritesPending()
}

// mayExistTwice is for a resource that may have been created, and has no name of its own: Aiven would make a second one. What
// has a name is refused.
func (c *controller[T, R]) mayExistTwice(obj T) bool {
	return c.definition.LookupOnDelete && ownership.Attempted(obj)
}

// expectEarlierCreate makes what was read within the lag of an earlier process be read again after it.
func (c *controller[T, R]) expectEarlierCreate(obj T) {
	if !c.mayExistTwice(obj) {
		return
	}
	if item, listed := c.item(obj); listed {
		c.env.Client.ExpectEarlierListWrite(item.List, item.Key)
	}
	for _, end := range c.definition.Place.endsOf(obj) {
		c.env.Client.ExpectEarlierWrite(end.Project, end.Service, c.own(obj))
	}
}
