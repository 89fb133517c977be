// Package notices turns what Aiven reports beside the state of a service, and the dates of credentials, into status fields. All of it comes
// from answers that are read anyway. What can't be understood is left out: no notice is worth an error.
package notices

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

const (
	// maxUpdates and maxText bound what is stored: Aiven writes these texts, and bounds neither.
	maxUpdates, maxText = 20, 1024
	// console is where Aiven serves its console.
	console = "https://console.aiven.io"
)

// OfService returns the notices of a service as it was read. known is its latest known version, which is kept while Aiven reports none or
// still builds the service.
func OfService(s *aiven.Service, known string) v1alpha1.ServiceNotices {
	n := v1alpha1.ServiceNotices{Version: versionOf(s, known), ConsoleURL: consoleURL(s), Maintenance: maintenanceOf(s), Backups: backupsOf(s)}
	for _, notification := range s.Notices.Notifications {
		about := notification.Metadata
		switch until := timeOf(about.ServiceEndOfLifeTime); notification.Type {
		case aiven.NotificationEndOfLife:
			end := &v1alpha1.EndOfLife{
				Time: until, UpgradeTo: upgradeOf(s, about.UpgradeToServiceType, about.UpgradeToVersion),
				URL: line(cmp.Or(text(about.EndOfLifeHelpArticleUrl), text(about.EndOfLifePolicyUrl))),
			}
			if n.EndOfLife == nil || compareEnds(end, n.EndOfLife) < 0 {
				n.EndOfLife = end
			}
		case aiven.NotificationRemoval:
			if earlier(until, n.RemovalTime) {
				n.RemovalTime = until
			}
		}
	}
	return n
}

// earlier reports whether a is before b, where no time is later than any: of two notifications the first to come counts, in whatever order
// Aiven returns them.
func earlier(a, b *metav1.Time) bool { return a != nil && (b == nil || a.Before(b)) }

// compareEnds puts the first to come before others, and those of the same time in an order of their own.
func compareEnds(a, b *v1alpha1.EndOfLife) int {
	switch {
	case earlier(a.Time, b.Time):
		return -1
	case earlier(b.Time, a.Time):
		return 1
	}
	return cmp.Or(cmp.Compare(a.UpgradeTo, b.UpgradeTo), cmp.Compare(a.URL, b.URL))
}

// compareTimes puts no time before all others.
func compareTimes(a, b *metav1.Time) int {
	var first, second metav1.Time
	if a != nil {
		first = *a
	}
	if b != nil {
		second = *b
	}
	return first.Compare(second.Time)
}

// versionOf returns the version that the service runs. What its options ask for is one only where it runs: an upgrade shows them first.
func versionOf(s *aiven.Service, known string) string {
	key := s.Type + "_version"
	running, _ := s.Notices.Metadata[key].(string)
	if running == "" && s.Operational() {
		running, _ = s.UserConfig[key].(string)
		if strings.HasPrefix(known, running+".") { // less exact, and no other version
			running = known
		}
	}
	return cmp.Or(line(running), known)
}

func consoleURL(s *aiven.Service) string {
	return fmt.Sprintf("%s/project/%s/services/%s", console, url.PathEscape(s.Project), url.PathEscape(s.Name))
}

// maintenanceOf is in the order of their deadlines, so that it stays the same whatever the order of the answer.
func maintenanceOf(s *aiven.Service) *v1alpha1.Maintenance {
	var pending []v1alpha1.MaintenanceUpdate
	for _, update := range s.Notices.Updates {
		pending = append(pending, v1alpha1.MaintenanceUpdate{
			Description: line(text(update.Description)), Impact: line(text(update.Impact)), Deadline: line(text(update.Deadline)), StartAt: timeOf(update.StartAt),
		})
	}
	if len(pending) == 0 {
		return nil
	}
	slices.SortStableFunc(pending, func(a, b v1alpha1.MaintenanceUpdate) int {
		return cmp.Or(cmp.Compare(a.Deadline, b.Deadline), cmp.Compare(a.Description, b.Description), cmp.Compare(a.Impact, b.Impact), compareTimes(a.StartAt, b.StartAt))
	})
	return &v1alpha1.Maintenance{Pending: pending[:min(len(pending), maxUpdates)]}
}

// backupsOf is nil where the answer has no list, and has the count 0 where there is no backup.
func backupsOf(s *aiven.Service) *v1alpha1.Backups {
	if s.Notices.Backups == nil {
		return nil
	}
	var latest *metav1.Time
	for i := range s.Notices.Backups {
		if taken := timeOf(&s.Notices.Backups[i].BackupTime); compareTimes(taken, latest) > 0 {
			latest = taken
		}
	}
	return &v1alpha1.Backups{Latest: latest, Count: len(s.Notices.Backups)}
}

// upgradeOf names a type only where it differs from that of the service.
func upgradeOf(s *aiven.Service, serviceType, version *string) string {
	upgrade := []string{text(serviceType), text(version)}
	if upgrade[0] == s.Type {
		upgrade[0] = ""
	}
	return line(strings.TrimSpace(strings.Join(upgrade, " ")))
}

// lastYear is the last one that RFC 3339 can write.
const lastYear = 9999

// timeOf is in whole seconds, as the cluster stores times; nil for no time, and for one that the cluster can't store: it would refuse the
// whole status.
func timeOf(t *time.Time) *metav1.Time {
	if t == nil {
		return nil
	}
	at := t.UTC().Truncate(time.Second)
	if at.IsZero() || at.Year() < 1 || at.Year() > lastYear {
		return nil
	}
	return &metav1.Time{Time: at}
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// line is one of bounded length, without secrets and what terminals would act upon.
func line(s string) string {
	s = fault.OneLine(strings.Join(strings.Fields(fault.Redact(s)), " "))
	if len(s) > maxText {
		s = strings.ToValidUTF8(s[:maxText], "")
	}
	return s
}
