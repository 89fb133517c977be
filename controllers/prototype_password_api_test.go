package controllers_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
)

const (
	getUsers   = "GET /v1/project/demo/service/my-ch/clickhouse/user"
	postUser   = "POST /v1/project/demo/service/my-ch/clickhouse/user"
	putUser    = "PUT /v1/project/demo/service/my-ch/clickhouse/user/{uuid}/password"
	deleteUser = "DELETE /v1/project/demo/service/my-ch/clickhouse/user/{uuid}"
)

// passwords is an API with a ClickHouse service that has at most one user.
type passwords struct {
	*api
	current string // empty without a user
	made    int    // users that were made under the name, which each have an id of their own
	state   string // of the service
}

func newPasswords(t *testing.T, obj chUser, others ...client.Object) (*passwords, *controllers.Prototype[chUser]) {
	return newPasswordsOf(t, chUserKind, obj, others...)
}

func newPasswordsOf[T controllers.Object](t *testing.T, kind controllers.Kind[T], obj T, others ...client.Object) (*passwords, *controllers.Prototype[T]) {
	a := &passwords{api: newAPI(t), state: "RUNNING"}
	user := func(password any) fields {
		return fields{"name": "app", "uuid": fmt.Sprintf("u%d", a.made), "password": password}
	}
	choose := func(r *http.Request, made string) {
		a.current = made
		if wanted, _ := decode[fields](t, r)["password"].(string); wanted != "" {
			a.current = wanted
		}
	}
	a.on("GET /v1/project/demo/service/my-ch", func(*http.Request) (any, int) {
		return service("my-ch", "clickhouse", a.state, nil), http.StatusOK
	})
	a.on(getUsers, func(*http.Request) (any, int) {
		if a.current == "" {
			return fields{"users": []any{}}, http.StatusOK
		}
		return fields{"users": []any{user(nil)}}, http.StatusOK
	})
	a.on(postUser, func(r *http.Request) (any, int) {
		a.made++
		choose(r, "made-by-create"+strings.Repeat("-again", a.made-1))
		return fields{"user": user(a.current)}, http.StatusOK
	})
	a.on(putUser, func(r *http.Request) (any, int) {
		choose(r, fmt.Sprintf("made-by-reset-%d", a.calls[putUser]))
		return fields{"password": a.current}, http.StatusOK
	})
	a.on(deleteUser, func(*http.Request) (any, int) {
		a.current = ""
		return fields{"message": "deleted"}, http.StatusOK
	})
	return a, controllers.NewPrototype(t, kind, runtime.NewScheme(), a, append([]client.Object{obj}, others...)...)
}

func newChUser(changes ...func(chUser)) chUser {
	obj := &v1alpha1.ServiceUser{ObjectMeta: named("app")}
	obj.Spec.Project, obj.Spec.ServiceName = "demo", "my-ch"
	for _, change := range changes {
		change(obj)
	}
	return obj
}

func fromSecret(obj chUser) {
	obj.Spec.ConnInfoSecretSource = &v1alpha1.ConnInfoSecretSource{Name: "pw", PasswordKey: "password"}
}

func secretNamed(name string, data map[string]string) *corev1.Secret {
	secret := &corev1.Secret{ObjectMeta: named(name), Data: map[string][]byte{}}
	for key, value := range data {
		secret.Data[key] = []byte(value)
	}
	return secret
}

// publishedPassword is empty without a Secret.
func publishedPassword(t *testing.T, p *controllers.Prototype[chUser]) string {
	secret := &corev1.Secret{}
	if p.Cluster().Get(t.Context(), types.NamespacedName{Namespace: "ns", Name: "app"}, secret) != nil {
		return ""
	}
	return string(secret.Data["SERVICEUSER_PASSWORD"])
}
