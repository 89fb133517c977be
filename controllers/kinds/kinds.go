// Package kinds lists every kind that the operator serves.
package kinds

import (
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/kinds/account"
	"github.com/aero-operator/aero/controllers/kinds/kafka"
	"github.com/aero-operator/aero/controllers/kinds/postgres"
	"github.com/aero-operator/aero/controllers/kinds/shared"
)

// All returns the kinds, sorted by name.
func All() []controllers.Registration {
	return []controllers.Registration{
		postgres.Pool,
		shared.Database,
		kafka.Service,
		kafka.ACL,
		kafka.Topic,
		postgres.Service,
		account.VPC,
		shared.User,
	}
}
