package clickhouse

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	avnclickhouse "github.com/aiven/go-client-codegen/handler/clickhouse"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse/internal/lists"
	"github.com/aero-operator/aero/controllers/resource"
)

const keyPassword = "PASSWORD"

// passwordOf names the Secret with the password, nil without one.
func passwordOf(obj *v1alpha1.ClickhouseUser) *v1alpha1.ConnInfoSecretSource {
	return obj.Spec.ConnInfoSecretSource
}

// declaredPassword is the password that the spec brings along, or "".
func declaredPassword(s resource.Scope, obj *v1alpha1.ClickhouseUser) (string, error) {
	return s.DeclaredPassword(obj, passwordOf(obj))
}

// userFields are the fields of a user by the parameters that they are sent as.
func userFields(obj *v1alpha1.ClickhouseUser) fault.Fields {
	return fault.Fields{
		"name":     fault.NameField("spec.username", obj.Spec.Username),
		"password": {Path: resource.PasswordPath, Remedy: "Change it in the Secret"},
	}
}

// diffUser compares a declared password with the one that Aiven returned, or else with the one that was published then.
func diffUser(s resource.Scope, obj *v1alpha1.ClickhouseUser, found *lists.User) controllers.Diff {
	declared, _ := declaredPassword(s, obj)
	known := found.Password
	if known == "" {
		known, _ = s.Published.Value(keyPassword, found.UUID)
	}
	var diff controllers.Diff
	unknowable := found.Password == "" && s.Published.Problem != nil // nothing records what was sent
	if declared != "" && declared != known && !unknowable {
		diff.AddSecret(resource.PasswordPath)
	}
	return diff
}

// unrecorded is the password of a user that publishes none: only a change of its source shows that it has to be sent again.
func unrecorded(obj *v1alpha1.ClickhouseUser, _ *lists.User) []string {
	if passwordOf(obj) == nil || !ptr.Deref(obj.Spec.ConnInfoSecretTargetDisabled, false) {
		return nil
	}
	return []string{resource.PasswordPath}
}

// setPassword sets a password, or lets Aiven generate one if it is empty.
func setPassword(
	ctx context.Context, s resource.Scope, obj *v1alpha1.ClickhouseUser, found *lists.User, password string,
) (*lists.User, error) {
	in := &avnclickhouse.ServiceClickHousePasswordResetIn{Password: aiven.Optional(password)}
	ctx, body := aiven.WithBody(ctx)
	set, err := s.Client.API().ServiceClickHousePasswordReset(ctx, s.Project, s.ServiceName, found.UUID, in)
	if err == nil && password != "" && !aiven.HasField(body.Bytes(), "password") {
		err = errors.New("unclear answer: Aiven has returned no password") // not even one that it hides
	}
	if err != nil {
		return nil, fmt.Errorf("resetting password: %w", userFields(obj).Of(err))
	}
	if found.IsPrimary() {
		s.Client.Invalidate(s.Project, s.ServiceName) // it shows the password that was replaced
	}
	changed := *found
	changed.Password = cmp.Or(password, set) // Aiven may hide one that was sent
	return &changed, nil
}

// userDetails are empty without a password that is known or published: half a Secret is of no use. A password that stays lost
// is one to reset, but for those of Aiven's own users.
func userDetails(
	_ context.Context, s resource.Scope, obj *v1alpha1.ClickhouseUser, user *lists.User,
) (connection.Info, error) {
	host := s.Service.URIParams["host"]
	if host == "" {
		return connection.Info{}, nil
	}
	password := user.Password
	if password == "" {
		password, _ = s.Published.Value(keyPassword, user.UUID)
	}
	switch {
	case password == "" && user.UsedByAiven():
		return connection.Info{}, checkRequired(s, obj, user)
	case password == "":
		password = connection.Missing
	}
	layout := connection.Layout{Prefixed: map[string]connection.Value{
		"HOST": connection.Host, "PORT": connection.Port, "USERNAME": connection.User, keyPassword: connection.Password,
	}}
	return connection.Info{
		Type: s.Service.Type, Address: connection.Address{Host: host, Port: s.Service.URIParams["port"]}, User: user.Name, Password: password,
		Endpoints: s.Service.Components, Layout: layout.Twice(), Keep: []string{keyPassword}, IssuedFor: user.UUID, Fixed: s.Fixed(passwordOf(obj)),
	}, nil
}

// checkRequired refuses to publish a user of Aiven's own whose password only a reset would show, unless the spec has one.
func checkRequired(s resource.Scope, obj *v1alpha1.ClickhouseUser, user *lists.User) error {
	if passwordOf(obj) != nil || user.IsPrimary() || s.Published.Problem != nil {
		return nil //nolint:nilerr // nothing is published, and the engine reports why
	}
	return fault.InvalidSpec(resource.PasswordPath, fmt.Sprintf("Aiven itself uses the user %s, and doesn't return its password. "+
		"Set the field, or spec.connInfoSecretTargetDisabled of a new object", user.Name))
}
