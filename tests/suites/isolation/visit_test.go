package isolation_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/fakecluster"
	"github.com/aero-operator/aero/tests/harness/tenant"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// visit is the life of one tenant in a world, and what it reached beyond its namespace.
type visit struct {
	*world
	tenant.Tenant
	boundaries
	rand      *rand.Rand
	namespace string
	objects   []testenv.Object
	readers   []client.Object   // that ask for Secrets of logins
	before    map[string]int    // resources of all others, by their types and names
	withID    map[string]string // those of them that calls name by an id, by that
	breaches  []string
}

// visit lets the tenant of a seed come, act and leave.
func (w *world) visit(seed uint64, draw *rand.Rand) *visit {
	w.t.Helper()
	project := fmt.Sprintf("team-%d", seed)
	v := &visit{world: w, boundaries: drawBoundaries(draw, project, commons, legacy), rand: draw, namespace: fmt.Sprintf("tenant-%d", seed)}
	w.namespace(v.namespace, v.labels, v.annotations)
	if draw.IntN(2) == 0 {
		w.makeServices(project)
	}
	v.Tenant = tenant.New(seed, tenant.Surroundings{
		Examples: w.variants, Namespace: v.namespace, Namespaces: []string{bank, commons}, Project: project,
		Projects: []string{bank, bank, commons, legacy, "my-project", "my-organization-project"}, IDs: w.ids(), Token: tenantToken,
		Shared: v.allowed(commons, legacy),
	})
	v.before, v.withID = w.resources(), w.resourcesByID()
	for _, step := range v.Steps {
		if draw.IntN(8) == 0 {
			require.NoError(w.t, w.Restart())
		}
		v.take(step)
		v.reconcileAll()
		v.othersAreUntouched()
	}
	v.nothingLeaked()
	v.othersCanLeave()
	return v
}

// end ends the visit: the tenant leaves, and all is there that isn't its own.
func (v *visit) end() {
	v.leave()
	now := v.resources()
	for r, n := range v.before {
		if now[r] < n && !v.isFree(r) {
			v.breach("%s of another is gone at Aiven", r)
		}
	}
}

func (v *visit) breach(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(v.breaches, text) {
		v.breaches = append(v.breaches, text)
	}
}

// take takes a step. What an API server would refuse fails, and changes nothing.
func (v *visit) take(step tenant.Step) {
	obj, ctx := step.Object.DeepCopyObject().(client.Object), v.t.Context()
	switch step.Verb {
	case tenant.Create:
		if v.admits(nil, obj) != nil || v.Create(ctx, obj) != nil {
			return
		}
		switch made := obj.(type) {
		case testenv.Object:
			v.objects = append(v.objects, made)
		case *aero.ConnectionSecret, *aero.ServiceUserRotation:
			v.readers = append(v.readers, made)
		}
	case tenant.Edit:
		var before client.Object
		_ = v.Change(ctx, obj, func() error {
			before = obj.DeepCopyObject().(client.Object)
			step.Change.Do(obj)
			return v.admits(before, obj)
		})
	case tenant.Delete:
		_ = v.Delete(ctx, obj)
	}
}

// admits is what the admission policies refuse tenants that have no more than the role edit: see config/admission.
func (v *visit) admits(before, now client.Object) error {
	for name, value := range now.GetAnnotations() {
		if before != nil && before.GetAnnotations()[name] == value {
			continue
		}
		switch short := strings.TrimPrefix(name, "controllers.aiven.io/"); {
		case short == "adoption-policy" && value != "Never",
			before != nil && slices.Contains([]string{"create-attempted", "taken-over", "generation-was-processed", "instance-is-running"}, short):
			return fmt.Errorf("annotation %s is refused", name)
		}
	}
	return nil
}

// reconcileAll reconciles what the tenant has, twice, in any order.
func (v *visit) reconcileAll() {
	for range 2 {
		v.rand.Shuffle(len(v.objects), func(i, j int) { v.objects[i], v.objects[j] = v.objects[j], v.objects[i] })
		for _, obj := range v.objects {
			requests, _ := v.reconcile(obj)
			for _, request := range requests {
				v.checkRequest(obj, request)
			}
			for _, call := range v.calls() {
				v.checkCall(obj, call)
			}
		}
		others := slices.Clone(v.readers)
		for _, secret := range v.secretsIn(v.namespace) {
			others = append(others, &secret)
		}
		for _, obj := range others {
			requests, _ := v.reconcile(obj)
			for _, request := range requests {
				v.checkRequest(obj, request)
			}
			if len(v.calls()) > 0 {
				v.breach("For %s the operator called Aiven: %v", describe(obj), v.calls())
			}
		}
	}
}

// checkRequest wants all writes, and all reads of Secrets, within the namespace.
func (v *visit) checkRequest(obj client.Object, request fakecluster.Request) {
	if request.Namespace == v.namespace || !request.Writes() && request.Kind != "Secret" {
		return
	}
	if v.named && !request.Writes() && request.Namespace == system && request.Name == "tenants" {
		return
	}
	v.breach("For %s the operator asked the API server: %s", describe(obj), request)
}

// checkCall wants no call with a token of others, and all within the projects.
func (v *visit) checkCall(obj testenv.Object, call call) {
	if slices.Contains(v.forbidden, call.token) {
		v.breach("For %s the operator called Aiven with %s: %s", describe(obj), call.token, call)
	}
	for _, project := range call.projects() {
		if v.projects != nil && !slices.Contains(v.projects, project) {
			v.breach("For %s the operator called Aiven about project %s: %s", describe(obj), project, call)
		}
	}
	if r := v.writesTo(call); r != "" {
		v.breach("For %s the operator wrote to %s of another: %s", describe(obj), r, call)
	}
}

// writesTo is the resource of another that a call changes or deletes; empty for none. One is known by its path.
func (v *visit) writesTo(call call) string {
	if !call.writes() || strings.HasPrefix(call.project(), "team") {
		return ""
	}
	for _, part := range strings.Split(call.path, "/") {
		if r := v.withID[part]; r != "" && !v.isFree(r) {
			return r
		}
	}
	_, path, inService := strings.Cut(call.path, "/service/")
	if !inService {
		if project := "project " + call.project(); v.before[project] > 0 && strings.HasSuffix(call.path, "/project/"+call.project()) {
			return project
		}
		return ""
	}
	parts := strings.Split(path, "/")
	id := call.project() + "/" + parts[0]
	for r := range v.before {
		kind, name, _ := strings.Cut(r, " ")
		switch {
		case v.isFree(r):
		case kind == "service" && name == id && (len(parts) == 1 || parts[1] == "tags"):
			return r
		case kind == "opensearch_acl" && name == id && len(parts) == 3 && parts[2] == "acl":
			return r
		case strings.HasPrefix(name, id+"/") && slices.Contains(parts[1:], strings.TrimPrefix(name, id+"/")):
			return r
		}
	}
	return ""
}

// isFree reports whether no consent is needed for a resource that no object owns: it is nothing but its spec.
func (v *visit) isFree(resource string) bool {
	kind, id, _ := strings.Cut(resource, " ")
	return strings.HasPrefix(id, legacy+"/") && slices.Contains([]string{
		"kafka_acl", "kafka_native_acl", "schema_registry_acl", "kafka_quota", "clickhouse_grant", "service_integration", "upgrade_pipeline_step",
	}, kind)
}

// othersAreUntouched reconciles some of the others: they are ready, and nothing is to be done about them.
func (v *visit) othersAreUntouched() {
	for range 2 {
		obj := v.victims[v.anyVictim()]
		_, err := v.reconcile(obj)
		for _, call := range v.calls() {
			if call.writes() {
				v.breach("For %s, which is another's and at rest, the operator called Aiven: %s", describe(obj), call)
			}
		}
		if getErr := v.Get(v.t.Context(), client.ObjectKeyFromObject(obj), obj); err != nil || getErr != nil {
			v.breach("The reconcile of %s, which is another's, failed: %v, %v", describe(obj), err, getErr)
			continue
		}
		if ready := testenv.Find(obj, "Ready"); ready.Status != metav1.ConditionTrue {
			v.breach("%s, which is another's, isn't ready any more", describe(obj))
		}
	}
}

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
		if ready := testenv.Find(obj, "Ready"); ready != nil {
			v.outcomes[ready.Reason] = true
		}
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

// othersCanLeave deletes an object of the bank, and applies it again: neither is held up, and what it had at Aiven goes with it.
func (v *visit) othersCanLeave() {
	at := v.anyVictim()
	obj := v.victims[at]
	if obj.GetNamespace() != bank || !isLeaf(obj) {
		return
	}
	manifest, before := again(obj), len(v.aiven.Resources())
	require.NoError(v.t, v.Delete(v.t.Context(), obj))
	if !v.goes(obj) {
		v.breach("%s, which is another's, can't be deleted", describe(obj))
		return
	}
	if len(v.aiven.Resources()) >= before {
		v.breach("%s, which is another's, was deleted, and its resource is left at Aiven", describe(obj))
	}
	v.reconcileAll()
	require.NoError(v.t, v.Create(v.t.Context(), manifest))
	v.victims[at] = manifest
	for _, waits := range v.settle([]testenv.Object{manifest}) {
		v.breach("%s, which is another's and new, isn't ready", waits)
	}
}

// anyVictim is the index of an object of another, mostly of one of a kind that the tenant has objects of.
func (v *visit) anyVictim() int {
	var alike []int
	for i, victim := range v.victims {
		if slices.ContainsFunc(v.objects, func(obj testenv.Object) bool { return kindOf(obj) == kindOf(victim) }) {
			alike = append(alike, i)
		}
	}
	if len(alike) == 0 || v.rand.IntN(4) == 0 {
		return v.rand.IntN(len(v.victims))
	}
	return alike[v.rand.IntN(len(alike))]
}

// leave ends the tenant: its objects are deleted as the operator does it, and what stays then, by force.
func (v *visit) leave() {
	ctx := v.t.Context()
	for _, obj := range v.objects {
		_ = v.Delete(ctx, obj)
	}
	for _, obj := range v.readers {
		_ = v.Delete(ctx, obj)
	}
	for range 3 {
		v.reconcileAll()
	}
	for _, obj := range v.objects {
		_ = v.Change(ctx, obj, func() error { obj.SetFinalizers(nil); return nil })
		_ = v.Delete(ctx, obj)
	}
}
