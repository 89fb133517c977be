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
