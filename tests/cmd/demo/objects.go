package main

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
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

// object is what all kinds of aiven.io have in common.
type object interface {
	client.Object
	GetCommonStatus() *v1alpha1.CommonStatus
}

// watched is an object that the demo follows.
type watched struct {
	kind string
	object
}

func (w watched) title() string { return w.kind + "/" + w.GetName() }

// examples are the objects of docs/examples that the demo declares first.
func examples() []watched {
	return []watched{
		{"PostgreSQL", &v1alpha1.PostgreSQL{ObjectMeta: named(serviceName)}},
		{"Database", &v1alpha1.Database{ObjectMeta: named(database)}},
		{"ServiceUser", &v1alpha1.ServiceUser{ObjectMeta: named(username)}},
		{"ConnectionPool", &v1alpha1.ConnectionPool{ObjectMeta: named("orders-pool")}},
	}
}

// kafkaExamples are those of its second act.
func kafkaExamples() []watched {
	return []watched{
		{"Kafka", &v1alpha1.Kafka{ObjectMeta: named(kafkaName)}},
		{"KafkaTopic", &v1alpha1.KafkaTopic{ObjectMeta: named(topic)}},
		{"KafkaSchema", &v1alpha1.KafkaSchema{ObjectMeta: named("orders-value")}},
		{"ServiceUser", &v1alpha1.ServiceUser{ObjectMeta: named(kafkaSecret)}},
		{"KafkaACL", &v1alpha1.KafkaACL{ObjectMeta: named(username)}},
	}
}

func named(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name, Namespace: namespace} }

// follow reads the objects again and gives a row for each. done says when one is.
func (d *demo) follow(objects []watched, done func(watched) bool) func(context.Context) ([]row, error) {
	return func(ctx context.Context) ([]row, error) {
		rows := make([]row, 0, len(objects))
		for _, o := range objects {
			if err := d.kube.Get(ctx, client.ObjectKeyFromObject(o), o.object); err != nil {
				return nil, fmt.Errorf("reading %s: %w", o.title(), err)
			}
			r := row{name: o.title(), state: describe(o), done: done(o)}
			if r.done {
				r.state = string(o.GetCommonStatus().Phase)
			}
			rows = append(rows, r)
		}
		return rows, nil
	}
}

// isReady reports whether the present spec is ready, not an earlier one.
func isReady(o watched) bool {
	status := o.GetCommonStatus()
	return status.ObservedGeneration == o.GetGeneration() && meta.IsStatusConditionTrue(status.Conditions, conditionReady)
}

// isRejected holds for a spec that Aiven doesn't accept.
func isRejected(o watched) bool {
	ready := meta.FindStatusCondition(o.GetCommonStatus().Conditions, conditionReady)
	return ready != nil && ready.Status == metav1.ConditionFalse && ready.Reason == "InvalidSpec"
}

// describe is phase, reason and message in a line.
func describe(o watched) string {
	status := o.GetCommonStatus()
	ready := meta.FindStatusCondition(status.Conditions, conditionReady)
	if ready == nil {
		return "not reconciled yet"
	}
	return fmt.Sprintf("%s, %s: %s", status.Phase, ready.Reason, ready.Message)
}

// conditions shows the conditions of an object as a table.
func (d *demo) conditions(o watched) {
	rows := [][]string{{"CONDITION", "STATUS", "REASON", "MESSAGE"}}
	for _, c := range o.GetCommonStatus().Conditions {
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
	return map[string]client.ObjectList{
		"PostgreSQL":     &v1alpha1.PostgreSQLList{},
		"Database":       &v1alpha1.DatabaseList{},
		"ServiceUser":    &v1alpha1.ServiceUserList{},
		"ConnectionPool": &v1alpha1.ConnectionPoolList{},
		"Kafka":          &v1alpha1.KafkaList{},
		"KafkaACL":       &v1alpha1.KafkaACLList{},
		"KafkaSchema":    &v1alpha1.KafkaSchemaList{},
		"KafkaTopic":     &v1alpha1.KafkaTopicList{},
	}
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
