package localaiven

import (
	"errors"
	"fmt"
	"time"
)

// removalTime is after how long without power Aiven deletes a service.
const removalTime = 180 * 24 * time.Hour

// notices are what Aiven announces of a service, as set at the console.
type notices struct {
	updates       []maintenanceUpdate
	notifications []notification
	backupTimes   []time.Time // nil for those that the service has by itself
}

// maintenanceUpdate is an update that waits for maintenance, as answers show it.
type maintenanceUpdate struct {
	Deadline    *string    `json:"deadline,omitempty"`
	Description *string    `json:"description,omitempty"`
	Impact      *string    `json:"impact,omitempty"`
	StartAfter  *string    `json:"start_after,omitempty"`
	StartAt     *time.Time `json:"start_at,omitempty"`
}

// notification is an announcement, as answers show it.
type notification struct {
	Level    string               `json:"level"`
	Message  string               `json:"message"`
	Metadata notificationMetadata `json:"metadata"`
	Type     string               `json:"type"`
}

type notificationMetadata struct {
	HelpArticle      *string    `json:"end_of_life_help_article_url,omitempty"`
	Policy           *string    `json:"end_of_life_policy_url,omitempty"`
	EndOfLife        *time.Time `json:"service_end_of_life_time,omitempty"`
	UpgradeToType    *string    `json:"upgrade_to_service_type,omitempty"`
	UpgradeToVersion *string    `json:"upgrade_to_version,omitempty"`
}

// consoleNotices are the notices that a change at the console sets, each as a whole.
type consoleNotices struct {
	MaintenanceUpdates   *[]maintenanceUpdate `json:"maintenance_updates"`
	ServiceNotifications *[]notification      `json:"service_notifications"`
	Backups              *[]time.Time         `json:"backups"`
}

func (n *notices) set(change consoleNotices) {
	if change.MaintenanceUpdates != nil {
		n.updates = *change.MaintenanceUpdates
	}
	if change.ServiceNotifications != nil {
		n.notifications = *change.ServiceNotifications
	}
	if change.Backups != nil {
		n.backupTimes = *change.Backups
	}
}

// notify adds the notices to an answer. A service without power is announced to be removed. The caller holds mu.
func (svc *service) notify(b *serviceBody, state string) {
	b.Maintenance.Updates = append([]maintenanceUpdate{}, svc.notices.updates...)
	b.ServiceNotifications = append([]notification{}, svc.notices.notifications...)
	if svc.off && state == statePoweroff {
		removed := svc.offSince.Add(removalTime).UTC().Truncate(time.Second)
		b.ServiceNotifications = append(b.ServiceNotifications, notification{
			Level: "warning", Type: "service_powered_off_removal", Metadata: notificationMetadata{EndOfLife: &removed},
			Message: fmt.Sprintf("Service '%s' is powered off, and is deleted at %s", svc.name, timestamp(removed)),
		})
	}
	if key := svc.kind.versionKey; key != "" && (state == stateRunning || state == stateRebalancing) {
		b.Metadata[key] = svc.userConfig[key]
	}
}

// consoleCertificate replaces the certificate of a user at the console.
type consoleCertificate struct {
	// Until is the end of the new one.
	Until time.Time `json:"until"`
	// PreviousUntil is the end of the one before, while Aiven shows that it is valid beside the new one. A real Kafka lets it in until
	// the certificate itself ends, or the next change here.
	PreviousUntil *time.Time `json:"previous_until"`

	issued *certificate
}

// renew issues another certificate for a user.
func (svc *service) renew(u *user, change *consoleCertificate) (err error) {
	switch {
	case change.Until.IsZero():
		return errors.New("certificate.until is required")
	case u == nil || u.certificate == nil:
		return errors.New("only users of Kafka have a certificate, once they are there")
	}
	if change.issued, err = svc.issue(u.name, change.Until); err != nil {
		return err
	}
	if change.PreviousUntil != nil {
		change.issued.former, change.issued.previousUntil = u.certificate.cert, timestamp(*change.PreviousUntil)
	}
	return nil
}
