package conformance_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

// silent is a service that doesn't answer, and crowd how many objects of a team live in it.
const (
	silent = "silent"
	crowd  = 1000
)

func TestReviewL4_ATeamWhoseServiceDoesNotAnswerHoldsNoOtherUp(t *testing.T) {
	for name, held := range map[string]localaiven.Match{
		"no read is answered":  {Path: "/service/" + silent},
		"no write is answered": {Path: "/service/" + silent + "/", Method: "POST"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := testenv.New(t, testenv.Options{
				Second: true, Kinds: []string{"ServiceUser"}, Config: func(c *config.Config) { c.CallTimeout = time.Hour },
			})
			e.Create(&corev1.Secret{
				ObjectMeta: metav1.ObjectMeta{Namespace: e.Second, Name: testenv.TokenSecret},
				StringData: map[string]string{testenv.TokenKey: e.Token},
			})
			e.Aiven.Service(e.Project, serviceName)
			e.Aiven.Service(e.Project, silent)
			e.Aiven.AddFault(localaiven.Fault{Match: held, Effect: localaiven.Effect{Hold: localaiven.BeforeApply}})
			for n := range crowd {
				one := e.Example("serviceuser").(*v1alpha1.ServiceUser)
				one.Name, one.Spec.ServiceName = fmt.Sprint("crowd-", n), silent
				one.Spec.ConnInfoSecretTarget.Name = one.Name
				e.Create(one)
			}
			e.Until(func() bool { return e.Aiven.Faults()[0].Held }, func() string { return "no call of the crowd was held" })
			other := e.Example("serviceuser")
			other.SetNamespace(e.Second)
			e.Create(other)
			e.Wait(other, testenv.Ready())
			require.Len(t, e.Aiven.Faults(), 1)
			assert.True(t, e.Aiven.Faults()[0].Held, "the others still wait")
			e.Aiven.RemoveFaults()
			first := e.Example("serviceuser")
			first.SetName("crowd-0")
			e.Wait(first, testenv.Ready())
		})
	}
}
