package resource

import (
	"fmt"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// checkName refuses a name of which a path would make another resource. A creation may have it in its body: Aiven would
// accept it there.
func (c *controller[T, R]) checkName(obj T) error {
	if c.definition.Named == nil {
		return nil
	}
	path, name := c.definition.Named(obj)
	if aiven.FitsPath(name) {
		return nil
	}
	return fault.InvalidSpec(path, fmt.Sprintf("%q can't be a name at Aiven: it would change the paths of calls. %s", name, fault.Fixed(path).Remedy))
}
