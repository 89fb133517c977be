package resource

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/ownership"
)

// resetPause is the least time between two resets of which Aiven returned no credentials: each takes those away that are in use.
const resetPause = 10 * time.Minute

// errUnreturned is the state after a reset that Aiven accepted, and in whose answer the credentials are missing or hidden.
var errUnreturned = errors.New("Aiven reset the credentials and didn't return them: let the token's user read secrets at Aiven, " +
	"or set " + PasswordPath + ". The next reset is 10 minutes later at the earliest")

// unreturnedReset is the key in controllers.Env.Memory of the time of a reset without an answer that can be published. A restart
// forgets it: that costs one more reset, as does an answer that is lost.
type unreturnedReset struct {
	uid        types.UID
	generation int64
}

// unclearReset is the key in controllers.Env.Memory of an object of which a reset may still be made: its answer was lost. A
// restart forgets it, too, and waits for the lag instead.
type unclearReset types.UID

// SetPassword implements rotation.PasswordSetter, for a Definition with SetPassword.
func (c *controller[T, R]) SetPassword(ctx context.Context, obj T, _ controllers.Observation, password string) (controllers.Observation, error) {
	answer, err := c.definition.SetPassword(ctx, c.scope, obj, c.found, password)
	o, err := c.written(ctx, obj, answer, condition.ReasonUpdating, err)
	if err == nil && o.Details.Password != password { // what was read is older
		o = controllers.Observation{Services: o.Services, Remote: pending(condition.ReasonUpdating)}
	}
	return o, err
}

// AcknowledgeRenewal implements rotation.RenewalAcknowledger, for a Definition with AcknowledgeRenewal.
func (c *controller[T, R]) AcknowledgeRenewal(ctx context.Context, obj T) error {
	if c.definition.AcknowledgeRenewal == nil {
		return nil
	}
	return c.definition.AcknowledgeRenewal(ctx, c.scope, obj)
}

// ResetCredentials implements controllers.CredentialsResetter, for a Definition with Reset.
func (c *controller[T, R]) ResetCredentials(ctx context.Context, obj T, _ controllers.Observation) (controllers.Observation, error) {
	key := unreturnedReset{obj.GetUID(), obj.GetGeneration()}
	if at, recorded := c.env.Memory.Load(key); recorded && c.env.Client.Now().Sub(at.(time.Time)) < resetPause {
		return controllers.Observation{}, errUnreturned
	}
	unclear := unclearReset(obj.GetUID())
	_, before := c.env.Memory.Load(unclear)
	earlier := ownership.Attempted(obj) && c.scope.Reads.EarlierWritesPending() // by a process that had no time to publish
	if earlier || before && c.writePending(obj) {
		return controllers.Observation{}, fault.NotYet("an earlier reset of the credentials may still be made, and would take away what this one returns")
	}
	c.env.Memory.Delete(key)
	c.env.Memory.Delete(unclear)
	reset, err := c.definition.Reset(ctx, c.scope, obj, c.found)
	if err != nil && aiven.MayHaveApplied(err) {
		c.env.Memory.Store(unclear, true)
	}
	o, err := c.written(ctx, obj, reset, condition.ReasonUpdating, err)
	if err == nil && o.Details.Empty() {
		c.env.Memory.Store(key, c.env.Client.Now())
		err = errUnreturned
	}
	return o, err
}
