package clickhouse

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// revoking are tables that do what a REVOKE says, after a tenth of a second.
type revoking struct {
	*tables
	mu sync.Mutex
}

// RoundTrip implements http.RoundTripper.
func (r *revoking) RoundTrip(req *http.Request) (*http.Response, error) {
	<-time.After(100 * time.Millisecond)
	r.mu.Lock()
	defer r.mu.Unlock()
	before := len(r.statements)
	answer, err := r.tables.RoundTrip(req)
	for _, statement := range r.statements[before:] {
		list := "grants"
		if strings.Contains(statement, "team") {
			list = "role_grants"
		}
		r.rows[list] = slices.DeleteFunc(slices.Clone(r.rows[list]), func(row []any) bool {
			return strings.HasSuffix(statement, fmt.Sprintf("FROM `%s`", row[0]))
		})
	}
	return answer, err
}

// bothNamed is an object that is being deleted, about a user whose name a role has, too.
func (r *revoking) bothNamed(name string) *v1alpha1.ClickhouseGrant {
	r.users, r.rows["roles"] = append(r.users, name), append(r.rows["roles"], []any{name})
	r.rows["grants"] = append(r.rows["grants"], []any{name, nil, "SELECT", "db", nil, nil, 0, 0})
	r.rows["role_grants"] = append(r.rows["role_grants"], []any{name, nil, "team", 0})
	obj, to := grantOf([]string{"SELECT"}, nil), []v1alpha1.ClickhouseGrantee{{User: name}}
	obj.UID, obj.Name, obj.DeletionTimestamp = types.UID(name), name, &metav1.Time{Time: time.Now()}
	obj.Spec.PrivilegeGrants[0].Grantees = to
	obj.Spec.RoleGrants = []v1alpha1.ClickhouseRoleGrant{{Roles: []string{"team"}, Grantees: to}}
	hasGranted(obj, obj.Spec.ClickhouseGrants.DeepCopy())
	return obj
}

// All objects of a service share its lists: what one deletion reads again must not take the turns of the others.
func TestDeletionsOfGrantsToOneOfTwoOfANameLetEachOtherEnd(t *testing.T) {
	for _, objects := range []int{1, 2, 3} {
		for _, burst := range []int{1, 4} {
			synctest.Test(t, func(t *testing.T) {
				x := &revoking{tables: newTables(t)}
				x.On(services, aiventest.OK(aiventest.Object{"services": []any{clickhouseFields(nil)}}))
				env := x.env()
				client, err := aiven.New(aiven.Options{Transport: x, QPS: 1, Burst: burst, WatchInterval: time.Minute, ReadLag: lag}).ForToken("a-token")
				require.NoError(t, err)
				env.Client = client
				var all sync.WaitGroup
				begin, ended := time.Now(), make([]bool, objects)
				for i := range objects {
					obj := x.bothNamed(fmt.Sprint("app", i))
					all.Go(func() {
						for !ended[i] && time.Since(begin) < 2*time.Minute {
							ctx := aiven.WithPriority(aiven.WithCaller(t.Context(), obj.Name))
							if err := Grant.New(env).Delete(ctx, obj.DeepCopy()); err != nil {
								<-time.After(max(lag, fault.Of(err).RetryAfter))
								continue
							}
							ended[i] = true
						}
					})
				}
				all.Wait()
				assert.NotContains(t, ended, false, "%d objects, %d calls at once", objects, burst)
				assert.Len(t, x.statements, 2*objects)
			})
		}
	}
}
