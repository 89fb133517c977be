package testenv

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/aero-operator/aero/api/v1alpha1"
)

// Each list has a watch of its own, and one of them may be late: a status would seem to have come before its Secret.
func TestARecorderThatLacksASecretHasNotCaughtUp(t *testing.T) {
	secret := corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "published", UID: types.UID("s"), ResourceVersion: "7"}}
	user := &v1alpha1.ServiceUser{ObjectMeta: metav1.ObjectMeta{Name: "user", UID: types.UID("u"), ResourceVersion: "8"}}
	r := newRecorder()
	caughtUp := func() bool { return r.caughtUp([]Object{user}, []corev1.Secret{secret}) }

	r.note(watch.Event{Type: watch.Modified, Object: user})
	assert.False(t, caughtUp(), "the Secret wasn't seen")
	older := secret.DeepCopy()
	older.ResourceVersion = "6"
	r.note(watch.Event{Type: watch.Added, Object: older})
	assert.False(t, caughtUp(), "it was changed since")
	r.note(watch.Event{Type: watch.Modified, Object: &secret})
	assert.True(t, caughtUp())
}

func TestAWaitReadsAnObjectWhereAWatchHasShownAWrite(t *testing.T) {
	user := &v1alpha1.ServiceUser{ObjectMeta: metav1.ObjectMeta{Name: "user", ResourceVersion: "7"}}
	e, reads := &Env{recorder: newRecorder()}, 0
	holds := e.ifChanged(user, func() bool { reads++; return false })
	after := func(ticks int) int {
		reads = 0
		for range ticks {
			holds()
		}
		return reads
	}
	shows := func(revision string) {
		seen := user.DeepCopy()
		seen.ResourceVersion = revision
		e.recorder.note(watch.Event{Type: watch.Modified, Object: seen})
	}

	assert.Equal(t, 3, after(3), "no watch has shown it")
	shows("6")
	assert.Equal(t, 0, after(3), "a watch may be behind a read")
	shows("8")
	assert.Equal(t, 2, after(2), "a read may be behind a watch")
	user.ResourceVersion = "8"
	assert.Equal(t, 1, after(3))
	assert.Equal(t, 1, after(rereads), "a watch may have ended")
}
