package main

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Names in docs/examples.
const (
	namespace   = metav1.NamespaceDefault
	project     = "my-project"
	serviceName = "my-pg"
	username    = "orders-app"
	database    = "orders"
	userSecret  = "orders-app"
	poolSecret  = "orders-pool"
	kafkaName   = "my-kafka"
	topic       = "orders"
	kafkaSecret = "orders-kafka"
)

const conditionReady = "Ready"

// watched is an object of aiven.io that the demo follows. It has no Go type: to compile those of thirty kinds takes longer
// than the demo.
type watched struct {
	unstructured.Unstructured
	status commonStatus // as of the last read
}

// commonStatus is what the statuses of all kinds have in common.
type commonStatus struct {
	Phase              string             `json:"phase"`
	ObservedGeneration int64              `json:"observedGeneration"`
	Conditions         []metav1.Condition `json:"conditions"`
}

func example(kind, name string) *watched {
	w := &watched{}
	w.SetGroupVersionKind(schema.GroupVersionKind{Group: "aiven.io", Version: "v1alpha1", Kind: kind})
	w.SetNamespace(namespace)
	w.SetName(name)
	return w
}

func (w *watched) title() string { return w.GetKind() + "/" + w.GetName() }

// examples are the objects of docs/examples that the demo declares first.
func examples() []*watched {
	return []*watched{
		example("PostgreSQL", serviceName),
		example("Database", database),
		example("ServiceUser", username),
		example("ConnectionPool", "orders-pool"),
	}
}

// kafkaExamples are those of its second act.
func kafkaExamples() []*watched {
	return []*watched{
		example("Kafka", kafkaName),
		example("KafkaTopic", topic),
		example("KafkaSchema", "orders-value"),
		example("ServiceUser", kafkaSecret),
		example("KafkaACL", username),
	}
}

// read reads the object again.
func (d *demo) read(ctx context.Context, o *watched) error {
	if err := d.kube.Get(ctx, client.ObjectKeyFromObject(o), &o.Unstructured); err != nil {
		return fmt.Errorf("reading %s: %w", o.title(), err)
	}
	o.status = commonStatus{}
	status, found, err := unstructured.NestedMap(o.Object, "status")
	if err == nil && found {
		err = runtime.DefaultUnstructuredConverter.FromUnstructured(status, &o.status)
	}
	if err != nil {
		return fmt.Errorf("reading the status of %s: %w", o.title(), err)
	}
	return nil
}

// follow reads the objects again and returns a row for each. done says when one is.
func (d *demo) follow(objects []*watched, done func(*watched) bool) func(context.Context) ([]row, error) {
	return func(ctx context.Context) ([]row, error) {
		rows := make([]row, 0, len(objects))
		for _, o := range objects {
			if err := d.read(ctx, o); err != nil {
				return nil, err
			}
			r := row{name: o.title(), state: describe(o), done: done(o)}
			if r.done {
				r.state = o.status.Phase
			}
			rows = append(rows, r)
		}
		return rows, nil
	}
}

// isReady reports whether the present spec is ready, not an earlier one.
func isReady(o *watched) bool {
	return o.status.ObservedGeneration == o.GetGeneration() && meta.IsStatusConditionTrue(o.status.Conditions, conditionReady)
}

// isRejected holds for a spec that Aiven doesn't accept.
func isRejected(o *watched) bool {
	ready := meta.FindStatusCondition(o.status.Conditions, conditionReady)
	return ready != nil && ready.Status == metav1.ConditionFalse && ready.Reason == "InvalidSpec"
}

// describe is phase, reason and message in a line.
func describe(o *watched) string {
	ready := meta.FindStatusCondition(o.status.Conditions, conditionReady)
	if ready == nil {
		return "not reconciled yet"
	}
	return fmt.Sprintf("%s, %s: %s", o.status.Phase, ready.Reason, ready.Message)
}

// conditions shows the conditions of an object as a table.
func (d *demo) conditions(o *watched) {
	rows := [][]string{{"CONDITION", "STATUS", "REASON", "MESSAGE"}}
	for _, c := range o.status.Conditions {
		rows = append(rows, []string{c.Type, string(c.Status), c.Reason, c.Message})
	}
	d.table(rows...)
}

// secret reads a published Secret.
func (d *demo) secret(ctx context.Context, name string) (map[string][]byte, error) {
	var secret corev1.Secret
	if err := d.kube.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &secret); err != nil {
		return nil, fmt.Errorf("reading Secret %s: %w", name, err)
	}
	return secret.Data, nil
}

// keys shows what is in a Secret, and none of it.
func (d *demo) keys(data map[string][]byte) {
	names := make([]string, 0, len(data))
	for name := range data {
		names = append(names, name)
	}
	slices.Sort(names)
	rows := [][]string{{"KEY", "VALUE"}}
	for _, name := range names {
		rows = append(rows, []string{name, mask(data[name])})
	}
	d.table(rows...)
}

// mask shows that there is a value, and how long it is.
func mask(value []byte) string {
	if len(value) == 0 {
		return "(empty)"
	}
	return fmt.Sprintf("•••••••• (%d bytes)", len(value))
}

// objectLists are lists of all kinds that the demo uses.
func objectLists() map[string]client.ObjectList {
	lists := map[string]client.ObjectList{}
	for _, o := range append(examples(), kafkaExamples()...) {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(o.GroupVersionKind().GroupVersion().WithKind(o.GetKind() + "List"))
		lists[o.GetKind()] = list
	}
	return lists
}

// left lists what exists of some kinds, in any namespace.
func (d *demo) left(ctx context.Context, lists map[string]client.ObjectList) ([]string, error) {
	var found []string
	for kind, list := range lists {
		if err := d.kube.List(ctx, list); err != nil {
			return nil, fmt.Errorf("listing %s: %w", kind, err)
		}
		items, err := meta.ExtractList(list)
		if err != nil {
			return nil, fmt.Errorf("reading the list of %s: %w", kind, err)
		}
		for _, item := range items {
			found = append(found, kind+"/"+item.(client.Object).GetName())
		}
	}
	slices.Sort(found)
	return found, nil
}
