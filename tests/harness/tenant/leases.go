package tenant

import (
	"math"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Leases are the names of the leases by which aero and aiven-operator elect their leaders.
var Leases = []string{"aero.aiven.io", "40db2fac.aiven.io"}

// Pod is the name of the pod that holds them in the namespace of a tenant. It needn't run.
const Pod = "aiven-operator"

// leases are those of leaders in the namespace of a tenant, held for ever by a pod that exists.
func (g *generator) leases() []client.Object {
	made := []client.Object{&corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: g.around.Namespace, Name: Pod},
		Spec: corev1.PodSpec{
			AutomountServiceAccountToken: new(false), Containers: []corev1.Container{{Name: "manager", Image: "aiven-operator"}},
		},
	}}
	for _, name := range Leases {
		made = append(made, &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Namespace: g.around.Namespace, Name: name},
			Spec: coordinationv1.LeaseSpec{
				HolderIdentity: new(Pod + "_0b1c"), LeaseDurationSeconds: new(int32(math.MaxInt32)),
				RenewTime: &metav1.MicroTime{Time: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)},
			},
		})
	}
	return made
}
