// Package tree finds what belongs to an object, from a list of all objects, and writes it as a tree. It has no I/O but the writer.
package tree

import (
	"cmp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/controllers/view"
)

// Node is an object or a connection Secret, and what belongs to it.
type Node struct {
	Kind      string                 `json:"kind"`
	Namespace string                 `json:"namespace,omitempty"`
	Name      string                 `json:"name"`
	Ready     metav1.ConditionStatus `json:"ready"`
	Reason    string                 `json:"reason,omitempty"`
	Message   string                 `json:"message,omitempty"`
	Paused    bool                   `json:"paused,omitempty"`
	// Created is the time of creation; of a Secret it isn't known, as no Secret is read.
	Created  *metav1.Time `json:"created,omitempty"`
	Children []*Node      `json:"children,omitempty"`
}

// Of makes the tree of an object: what its resource contains, what refers to it, and the same of these. Each object is in it once,
// as near to the root as it can be.
func Of(root *view.Object, all []*view.Object) *Node {
	b := &builder{below: childrenByPlace(all), used: map[view.Place]bool{root.Place(): true}}
	top := b.node(root)
	level := []placed{{root, top}}
	for len(level) > 0 {
		var next []placed
		for _, parent := range level {
			for _, child := range b.childrenOf(parent.object) {
				node := b.node(child)
				parent.node.Children = append(parent.node.Children, node)
				next = append(next, placed{child, node})
			}
		}
		level = next
	}
	return top
}

// placed is an object with its node.
type placed struct {
	object *view.Object
	node   *Node
}

type builder struct {
	below map[view.Place][]*view.Object
	used  map[view.Place]bool
}

// childrenByPlace are the objects that belong to each place. What is in a service of the list is below that, and not below its project.
func childrenByPlace(all []*view.Object) map[view.Place][]*view.Object {
	managed := map[view.Place]bool{}
	for _, o := range all {
		if o.IsService() {
			managed[o.Manages()] = true
		}
	}
	below := map[view.Place][]*view.Object{}
	for _, o := range all {
		services := o.Services()
		places := slices.Concat(o.References(), services)
		if !slices.ContainsFunc(services, func(service view.Place) bool { return managed[service] }) {
			places = append(places, o.Project())
		}
		for _, place := range places {
			below[place] = append(below[place], o)
		}
	}
	return below
}

// childrenOf takes the children of an object, which are in no other place of the tree then.
func (b *builder) childrenOf(parent *view.Object) (children []*view.Object) {
	for _, o := range slices.Concat(b.below[parent.Place()], b.below[parent.Manages()]) {
		if !b.used[o.Place()] {
			b.used[o.Place()] = true
			children = append(children, o)
		}
	}
	slices.SortFunc(children, func(a, b *view.Object) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Name, b.Name), strings.Compare(a.Namespace, b.Namespace))
	})
	return children
}

// node is that of an object, with its connection Secret. Whether that is published, the status of the object has.
func (b *builder) node(o *view.Object) *Node {
	ready := o.Ready()
	n := &Node{
		Kind: o.Kind, Namespace: o.Namespace, Name: o.Name,
		Ready: ready.Status, Reason: ready.Reason, Message: ready.Message, Paused: o.Paused(), Created: &o.CreationTimestamp,
	}
	if secret, has := o.Secret(); has {
		state := secret.State
		n.Children = append(n.Children, &Node{
			Kind: "Secret", Namespace: o.Namespace, Name: secret.Name, Ready: state.Status, Reason: state.Reason, Message: state.Message,
		})
	}
	return n
}
