package controllers

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/enqueue"
)

func TestI04_WhatEnqueuesAnObject(t *testing.T) {
	type user = v1alpha1.ServiceUser
	tests := map[string]struct {
		before, change func(*user)
		want           bool
	}{
		"nothing, as in a resync":             {change: func(*user) {}},
		"a new spec":                          {change: func(u *user) { u.Generation++ }, want: true},
		"a deletion":                          {change: func(u *user) { u.DeletionTimestamp = &metav1.Time{Time: time.Now()} }, want: true},
		"an annotation of a user":             {change: annotated(annotation.Paused, "true"), want: true},
		"the end of an annotation of a user":  {before: annotated(annotation.Paused, "true"), change: func(u *user) { u.Annotations = nil }, want: true},
		"a request to reconcile":              {change: annotated(annotation.Requested, "now"), want: true},
		"our own status":                      {change: func(u *user) { u.Status.Phase = v1alpha1.PhaseReady }},
		"our own finalizer":                   {change: finalized},
		"our own marker":                      {change: annotated(annotation.Processed, "1")},
		"our own annotation of readiness":     {change: annotated(annotation.Running, "true")},
		"a label":                             {change: func(u *user) { u.Labels = map[string]string{"a": "b"} }},
		"the removal of our marker":           {before: annotated(annotation.Processed, "1"), change: func(u *user) { u.Annotations = nil }, want: true},
		"the removal of an older marker":      {before: annotated(annotation.Processed, "0"), change: func(u *user) { u.Annotations = nil }, want: true},
		"the removal of the one of readiness": {before: annotated(annotation.Running, "true"), change: func(u *user) { u.Annotations = nil }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			before := newUser()
			if tt.before != nil {
				tt.before(before)
			}
			after := before.DeepCopy()
			tt.change(after)
			assert.Equal(t, tt.want, enqueue.UserChanges().Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after}))
		})
	}
	assert.True(t, enqueue.UserChanges().Create(event.CreateEvent{Object: newUser()}))
	assert.True(t, enqueue.UserChanges().Delete(event.DeleteEvent{Object: newUser()}))
	assert.False(t, enqueue.UserChanges().Generic(event.GenericEvent{Object: newUser()}))
}
