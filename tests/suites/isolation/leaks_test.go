package isolation_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// nothingLeaked searches what the tenant can read for secrets of others, and its Secrets for what isn't its own.
func (v *visit) nothingLeaked() {
	private := slices.Concat([]string{defaultToken, bankToken, namespaceToken}, passwords(v.secretsIn(bank)))
	secrets := slices.Concat(private, passwords(v.secretsIn(commons)), v.orphaned)
	search := func(where string, value any, secrets []string) {
		text, err := json.Marshal(value)
		require.NoError(v.t, err)
		for _, secret := range secrets {
			if strings.Contains(string(text), secret) {
				v.breach("%s has a secret of another", where)
			}
		}
	}
	check := func(where string, value any) { search(where, value, secrets) }
	for _, obj := range v.objects {
		if err := v.Get(v.t.Context(), client.ObjectKeyFromObject(obj), obj); err == nil {
			check(describe(obj), obj)
		}
	}
	var events eventsv1.EventList
	require.NoError(v.t, v.WriteEvents(v.t.Context()))
	require.NoError(v.t, v.List(v.t.Context(), &events, client.InNamespace(v.namespace)))
	v.outcomes["reported"] = v.outcomes["reported"] || len(events.Items) > 0
	for i := range events.Items {
		check("an event of "+events.Items[i].Regarding.Name, events.Items[i])
	}
	for _, obj := range v.readers {
		if err := v.Get(v.t.Context(), client.ObjectKeyFromObject(obj), obj); err == nil {
			check(describe(obj), obj)
			v.outcomes["published"] = v.outcomes["published"] || obj.(interface{ GetSecretStatus() *aero.SecretStatus }).GetSecretStatus().Binding != nil
		}
	}
	for _, secret := range v.secretsIn(v.namespace) {
		data := map[string]string{}
		for key, value := range secret.Data {
			data[key] = string(value)
		}
		if v.isDerived(&secret) { // who may use a project may make a pool for its users, and a copy of its services
			search("Secret "+secret.Name, data, private)
		} else {
			check("Secret "+secret.Name, data)
		}
		for _, step := range v.Steps {
			made, isSecret := step.Object.(*corev1.Secret)
			if isSecret && made.Name == secret.Name && made.Annotations["controllers.aiven.io/adopt-secret"] == "" &&
				fmt.Sprint(made.Data) != fmt.Sprint(secret.Data) {
				v.breach("Secret %s, which isn't the operator's, was written", secret.Name)
			}
		}
	}
}

// isDerived reports whether a Secret is that of a ConnectionPool, of a copy of a service or in one, or is made of such a Secret.
func (v *visit) isDerived(secret *corev1.Secret) bool {
	owner := metav1.GetControllerOf(secret)
	if owner == nil {
		return false
	}
	kind, name := owner.Kind, owner.Name
	for _, obj := range v.readers {
		if reader, is := obj.(*aero.ConnectionSecret); is && reader.UID == owner.UID {
			kind, name = reader.Spec.SourceRef.Kind, reader.Spec.SourceRef.Name
		}
	}
	return kind == "ConnectionPool" || slices.ContainsFunc(v.objects, func(obj testenv.Object) bool {
		return reflect.TypeOf(obj).Elem().Name() == kind && obj.GetName() == name && v.copiesAService(obj)
	})
}

// copiesAService reports whether an object is a replica or a fork of a service, or in one: it has the passwords of the source.
func (v *visit) copiesAService(obj testenv.Object) bool {
	text, project, service := v.place(obj)
	return strings.Contains(text, `"read_replica"`) || strings.Contains(text, `"service_to_fork_from"`) ||
		service != "" && slices.ContainsFunc(v.objects, func(other testenv.Object) bool {
			_, at, in := v.place(other)
			return in == "" && at == project && other.GetName() == service && v.copiesAService(other)
		})
}

// place is an object as text, its project, and the service that it is in, if it names any.
func (v *visit) place(obj testenv.Object) (text, project, service string) {
	encoded, err := json.Marshal(obj)
	require.NoError(v.t, err)
	var at struct {
		Spec struct{ Project, ServiceName string }
	}
	require.NoError(v.t, json.Unmarshal(encoded, &at))
	return string(encoded), at.Spec.Project, at.Spec.ServiceName
}
