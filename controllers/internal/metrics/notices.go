package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
)

// ofObject are the labels of a series of one object.
var ofObject = []string{"kind", "namespace", "name"}

// noticeDescs are the metrics of what Aiven announces and of the dates of credentials. They are times, so that an alert compares them
// with the present; an object has a series only if the time is known.
var (
	credentialExpiryDesc = prometheus.NewDesc("aero_credential_expiry_timestamp_seconds",
		"Unix time until which a certificate is valid, by object: the client certificate in the connection Secret (certificate), the previous one (old_certificate), or that of the project's CA (ca).",
		append(ofObject[:len(ofObject):len(ofObject)], "credential"), nil)
	credentialUpdatedDesc = prometheus.NewDesc("aero_credential_updated_timestamp_seconds",
		"Unix time at which the password in a connection Secret was last set, by object.", ofObject, nil)
	backupDesc = prometheus.NewDesc("aero_service_latest_backup_timestamp_seconds",
		"Unix time of the latest backup of a service, by object. Services that are powered off, and paused objects, have no series.", ofObject, nil)
	endOfLifeDesc = prometheus.NewDesc("aero_service_end_of_life_timestamp_seconds",
		"Unix time of the end of life of the version of a service, by object.", ofObject, nil)
	maintenanceDesc = prometheus.NewDesc("aero_service_maintenance_timestamp_seconds",
		"Unix time at which the first pending maintenance update of a service starts, or its deadline before it is scheduled, by object. Paused objects have no series.", ofObject, nil)
	removalDesc = prometheus.NewDesc("aero_service_removal_timestamp_seconds",
		"Unix time at which Aiven deletes a service that is powered off, by object.", ofObject, nil)
)

var noticeDescs = []*prometheus.Desc{credentialExpiryDesc, credentialUpdatedDesc, backupDesc, maintenanceDesc, endOfLifeDesc, removalDesc}

// noticeSeries is one of a time.
type noticeSeries struct {
	desc       *prometheus.Desc
	object     driftSeries
	credential string // of credentialExpiryDesc only
}

func (s noticeSeries) labels() []string {
	labels := []string{s.object.kind, s.object.namespace, s.object.name}
	if s.credential != "" {
		labels = append(labels, s.credential)
	}
	return labels
}

// addNotices adds the times in the status of an object. Those of a paused one are as true as before, but for the latest backup and for
// maintenance: the operator sees neither a later backup nor the end of the maintenance.
func (t *totals) addNotices(kind string, obj object, paused bool) {
	series := driftSeries{kind, obj.GetNamespace(), obj.GetName()}
	add := func(desc *prometheus.Desc, credential string, at *metav1.Time) {
		if at != nil {
			t.notices[noticeSeries{desc, series, credential}] = at.Time
		}
	}
	if c := obj.GetCommonStatus().Credentials; c != nil {
		add(credentialExpiryDesc, "certificate", c.CertificateNotAfter)
		add(credentialExpiryDesc, "old_certificate", c.ExpiringCertificateNotAfter)
		add(credentialExpiryDesc, "ca", c.CANotAfter)
		add(credentialUpdatedDesc, "", c.PasswordUpdatedAt)
	}
	service, is := obj.(interface {
		GetServiceStatus() *v1alpha1.ServiceStatus
	})
	if !is {
		return
	}
	status := service.GetServiceStatus()
	add(removalDesc, "", status.RemovalTime)
	if status.EndOfLife != nil {
		add(endOfLifeDesc, "", status.EndOfLife.Time)
	}
	if status.Maintenance != nil && !paused {
		add(maintenanceDesc, "", firstMaintenance(status.Maintenance.Pending))
	}
	if status.Backups != nil && status.State != aiven.StatePoweroff && !paused { // no backups are taken without power
		add(backupDesc, "", status.Backups.Latest)
	}
}

// firstMaintenance is nil while no update has a time: an optional one may have none.
func firstMaintenance(pending []v1alpha1.MaintenanceUpdate) *metav1.Time {
	var first *metav1.Time
	for _, update := range pending {
		at := update.StartAt
		if at == nil {
			at = deadlineOf(update.Deadline)
		}
		if at != nil && (first == nil || at.Before(first)) {
			first = at
		}
	}
	return first
}

// deadlineOf reads a time, or a day, which begins at midnight; nil for any other text.
func deadlineOf(deadline string) *metav1.Time {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, deadline); err == nil {
			return &metav1.Time{Time: at}
		}
	}
	return nil
}
