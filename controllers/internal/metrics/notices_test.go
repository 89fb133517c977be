package metrics

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
)

func at(seconds int64) *metav1.Time { return &metav1.Time{Time: time.Unix(seconds, 0)} }

func TestTimesOfNoticesAreMetrics(t *testing.T) {
	user := &v1alpha1.ServiceUser{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "orders"}}
	user.Status.Credentials = &v1alpha1.Credentials{
		CertificateNotAfter: at(1), ExpiringCertificateNotAfter: at(2), PasswordUpdatedAt: at(3), CANotAfter: at(4),
	}
	pg := &v1alpha1.PostgreSQL{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "pg"}}
	pg.Status.ServiceNotices = v1alpha1.ServiceNotices{
		EndOfLife: &v1alpha1.EndOfLife{Time: at(5)}, RemovalTime: at(6), Backups: &v1alpha1.Backups{Latest: at(7), Count: 1},
	}
	off := pg.DeepCopy()
	off.Name, off.Status.State = "off", "POWEROFF"
	paused := pg.DeepCopy() // nothing reads its backups
	paused.Name, paused.Status.Conditions = "paused", []metav1.Condition{{Type: "Paused", Status: metav1.ConditionTrue}}
	of := func(desc *prometheus.Desc, kind, name, credential string) noticeSeries {
		return noticeSeries{desc, driftSeries{kind, "apps", name}, credential}
	}
	total := newTotals()
	for kind, objects := range map[string][]object{
		"ServiceUser": {user, &v1alpha1.ServiceUser{}}, "PostgreSQL": {pg, off, paused, &v1alpha1.PostgreSQL{}}, "Database": {&v1alpha1.Database{}},
	} {
		for _, obj := range objects {
			total.add(objectSeries{kind: kind}, obj)
		}
	}
	got := map[noticeSeries]int64{}
	for series, when := range total.notices {
		got[series] = when.Unix()
	}
	assert.Equal(t, map[noticeSeries]int64{
		of(credentialExpiryDesc, "ServiceUser", "orders", "certificate"):     1,
		of(credentialExpiryDesc, "ServiceUser", "orders", "old_certificate"): 2,
		of(credentialUpdatedDesc, "ServiceUser", "orders", ""):               3,
		of(credentialExpiryDesc, "ServiceUser", "orders", "ca"):              4,
		of(endOfLifeDesc, "PostgreSQL", "pg", ""):                            5,
		of(removalDesc, "PostgreSQL", "pg", ""):                              6,
		of(backupDesc, "PostgreSQL", "pg", ""):                               7,
		of(endOfLifeDesc, "PostgreSQL", "off", ""):                           5,
		of(removalDesc, "PostgreSQL", "off", ""):                             6,
		of(endOfLifeDesc, "PostgreSQL", "paused", ""):                        5,
		of(removalDesc, "PostgreSQL", "paused", ""):                          6,
	}, got)
}

func TestMaintenanceIsTheFirstOfWhatIsPending(t *testing.T) {
	noon := time.Date(2027, 2, 1, 12, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		pending []v1alpha1.MaintenanceUpdate
		want    *metav1.Time
	}{
		"nothing is pending":              {nil, nil},
		"neither start nor deadline":      {[]v1alpha1.MaintenanceUpdate{{Description: "an optional one"}}, nil},
		"a deadline that isn't a time":    {[]v1alpha1.MaintenanceUpdate{{Deadline: "soon"}}, nil},
		"a day":                           {[]v1alpha1.MaintenanceUpdate{{Deadline: "2027-02-01"}}, at(noon.Add(-12 * time.Hour).Unix())},
		"a time":                          {[]v1alpha1.MaintenanceUpdate{{Deadline: "2027-02-01T13:00:00.5+01:00"}}, at(noon.Unix())},
		"a start wins over the deadline":  {[]v1alpha1.MaintenanceUpdate{{Deadline: "2027-02-01", StartAt: at(noon.Unix())}}, at(noon.Unix())},
		"the first, whatever their order": {[]v1alpha1.MaintenanceUpdate{{}, {Deadline: "2027-03-01"}, {StartAt: at(noon.Unix())}, {Deadline: "2027-02-02"}}, at(noon.Unix())},
	} {
		t.Run(name, func(t *testing.T) {
			pg := &v1alpha1.PostgreSQL{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "pg"}}
			if test.pending != nil {
				pg.Status.Maintenance = &v1alpha1.Maintenance{Pending: test.pending}
			}
			paused := pg.DeepCopy() // nothing sees when it is over
			paused.Status.Conditions = []metav1.Condition{{Type: "Paused", Status: metav1.ConditionTrue}}
			total, ofPaused := newTotals(), newTotals()
			total.add(objectSeries{kind: "PostgreSQL"}, pg)
			ofPaused.add(objectSeries{kind: "PostgreSQL"}, paused)
			want := map[noticeSeries]time.Time{}
			if test.want != nil {
				want[noticeSeries{maintenanceDesc, driftSeries{"PostgreSQL", "apps", "pg"}, ""}] = test.want.UTC()
			}
			for series, when := range total.notices {
				total.notices[series] = when.UTC().Truncate(time.Second)
			}
			assert.Equal(t, want, total.notices)
			assert.Empty(t, ofPaused.notices)
		})
	}
}

func TestTimesOfNoticesAreScraped(t *testing.T) {
	user := &v1alpha1.ServiceUser{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "orders", CreationTimestamp: metav1.NewTime(time.Unix(100, 0))}}
	user.Status.Credentials = &v1alpha1.Credentials{CertificateNotAfter: at(1700000000), PasswordUpdatedAt: at(1600000000)}
	families, err := gatherOf(t, collectorOf(t, false, user))
	assert.NoError(t, err)
	assert.Equal(t, map[string]float64{
		"aero_credential_expiry_timestamp_seconds certificate": 1700000000, "aero_credential_updated_timestamp_seconds ": 1600000000,
	}, families)
}

// gatherOf are the values of the notices of one scrape, by metric and credential.
func gatherOf(t *testing.T, collector *ObjectCollector) (map[string]float64, error) {
	t.Helper()
	c := &registry{collectors: map[*ObjectCollector]struct{}{collector: {}}}
	pedantic := prometheus.NewPedanticRegistry()
	pedantic.MustRegister(c)
	families, err := pedantic.Gather()
	values := map[string]float64{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			credential := ""
			for _, label := range metric.GetLabel() {
				if label.GetName() == "credential" {
					credential = label.GetValue()
				}
			}
			if name := family.GetName(); name != "aero_objects" && name != "aero_unready_since_timestamp_seconds" {
				values[name+" "+credential] = metric.GetGauge().GetValue()
			}
		}
	}
	return values, err
}
