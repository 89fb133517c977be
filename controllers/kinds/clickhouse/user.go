package clickhouse

import (
	"cmp"
	"context"
	"fmt"

	avnclickhouse "github.com/aiven/go-client-codegen/handler/clickhouse"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse/internal/lists"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=clickhouseusers,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=clickhouseusers/status,verbs=patch
// +kubebuilder:rbac:groups=aiven.io,resources=clickhouseusers/finalizers,verbs=update

// User is a user of ClickHouse. Aiven returns its password in the answers to a creation and a reset, and never again.
var User = resource.Definition[*v1alpha1.ClickhouseUser, lists.User]{
	Object: &v1alpha1.ClickhouseUser{},
	Place:  resource.InService("clickhouse"),
	Free:   func(_ *v1alpha1.ClickhouseUser, found *lists.User) bool { return found.Required },
	Identity: func(obj *v1alpha1.ClickhouseUser) controllers.Identity {
		return controllers.Identity{Name: obj.Spec.Project + "/" + obj.Spec.ServiceName + "/" + obj.GetUsername()}
	},
	Item: func(obj *v1alpha1.ClickhouseUser) aiven.Item {
		return lists.Item(&obj.Spec.ServiceDependant, lists.Users, obj.GetUsername())
	},
	References:     []reference.Declaration{resource.PasswordSource(passwordOf)},
	LookupOnDelete: true,
	Find:           findUser,
	Diff:           diffUser,
	WriteOnly:      unrecorded,
	Create:         createUser,
	Update:         updateUser,
	Reset:          resetUser,
	Delete:         deleteUser,
	Details:        userDetails,
	SetPassword:    setPassword,
}.Kind()

// findUser finds the user by its name: the id in the status may be lost.
func findUser(ctx context.Context, s resource.Scope, obj *v1alpha1.ClickhouseUser) (*lists.User, error) {
	deleting := obj.GetDeletionTimestamp() != nil
	if !deleting { // a password that can't be set doesn't hold back a deletion
		if _, err := declaredPassword(s, obj); err != nil {
			return nil, err
		}
	}
	users, err := lists.ReadUsers(ctx, s, obj.GetUsername())
	if err != nil {
		return nil, err
	}
	found, exists := users[obj.GetUsername()]
	if renamed := lists.NameOf(users, obj.Status.UUID); !deleting && renamed != "" && renamed != obj.GetUsername() {
		return nil, fault.InvalidSpec("spec.username", fmt.Sprintf("the user of this object, %s, has the name %q. Recreate the object",
			obj.Status.UUID, renamed))
	}
	recordID(s, obj, found.UUID)
	if !exists {
		return nil, nil
	}
	if found.IsPrimary() {
		found.Password = connection.Shown(s.Service.URIParams["password"])
	}
	return &found, nil
}

func createUser(ctx context.Context, s resource.Scope, obj *v1alpha1.ClickhouseUser) (*lists.User, error) {
	password, err := declaredPassword(s, obj)
	if err != nil {
		return nil, err
	}
	in := &avnclickhouse.ServiceClickHouseUserCreateIn{Name: obj.GetUsername(), Password: aiven.Optional(password)}
	start := s.Client.BeginWrite()
	out, err := s.Client.API().ServiceClickHouseUserCreate(ctx, s.Project, s.ServiceName, in)
	if err != nil {
		return nil, fmt.Errorf("creating user: %w", userFields(obj).Of(err))
	}
	if out.Name != in.Name || out.Uuid == "" {
		return nil, nil // about another user, or none: it is read, and its password set or reset
	}
	lists.RecordNewUser(s, out.Name, start)
	made := &lists.User{Name: out.Name, UUID: out.Uuid, Required: out.Required}
	made.Password = cmp.Or(password, ptr.Deref(out.Password, "")) // Aiven may hide one that was sent
	recordID(s, obj, made.UUID)
	return made, nil
}

// recordID keeps the id of an earlier user of the name for as long as its password is published: the Secret may not have it.
func recordID(s resource.Scope, obj *v1alpha1.ClickhouseUser, id string) {
	if s.Published.MayBeOf(id) {
		obj.Status.UUID = id
	}
}

// updateUser sets the password that the spec brings along. Nothing else of a user can be changed.
func updateUser(
	ctx context.Context, s resource.Scope, obj *v1alpha1.ClickhouseUser, found *lists.User, _ controllers.Diff,
) (*lists.User, error) {
	password, err := declaredPassword(s, obj)
	if err != nil || password == "" {
		return found, err
	}
	return setPassword(ctx, s, obj, found, password)
}

// resetUser makes Aiven generate a password.
func resetUser(ctx context.Context, s resource.Scope, obj *v1alpha1.ClickhouseUser, found *lists.User) (*lists.User, error) {
	return setPassword(ctx, s, obj, found, "")
}

// deleteUser leaves the users that Aiven itself needs.
func deleteUser(ctx context.Context, s resource.Scope, _ *v1alpha1.ClickhouseUser, found *lists.User) error {
	if found == nil || found.UsedByAiven() {
		return s.LookupErr
	}
	if err := s.Client.API().ServiceClickHouseUserDelete(ctx, s.Project, s.ServiceName, found.UUID); err != nil {
		return fmt.Errorf("deleting user: %w", err)
	}
	lists.InvalidateGrants(s)
	return nil
}
