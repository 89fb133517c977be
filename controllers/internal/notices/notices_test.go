package notices_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/notices"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func at(t time.Time) *metav1.Time { return &metav1.Time{Time: t} }

func TestNoticesOfAService(t *testing.T) {
	eol := aiven.Notification{Type: aiven.NotificationEndOfLife}
	eol.Metadata.ServiceEndOfLifeTime, eol.Metadata.UpgradeToVersion = ptr.To(noon), ptr.To("17")
	eol.Metadata.UpgradeToServiceType, eol.Metadata.EndOfLifeHelpArticleUrl = ptr.To("pg"), ptr.To("https://help.example.org")
	other := eol
	other.Metadata.UpgradeToServiceType, other.Metadata.EndOfLifeHelpArticleUrl = ptr.To("valkey"), nil
	other.Metadata.EndOfLifePolicyUrl = ptr.To("https://policy.example.org")
	removal := aiven.Notification{Type: aiven.NotificationRemoval}
	removal.Metadata.ServiceEndOfLifeTime = ptr.To(noon)
	version := map[string]any{"pg_version": "17.6"}
	for name, tc := range map[string]struct {
		found aiven.Service
		known string
		want  v1alpha1.ServiceNotices
	}{
		"nothing": {},
		"the version that runs": {
			found: aiven.Service{State: aiven.StateRunning, Notices: aiven.Notices{Metadata: version}, UserConfig: map[string]any{"pg_version": "17"}},
			known: "16.4", want: v1alpha1.ServiceNotices{Version: "17.6"},
		},
		"the version of the options, where nothing else shows one": {
			found: aiven.Service{State: aiven.StateRunning, UserConfig: map[string]any{"pg_version": "17"}}, want: v1alpha1.ServiceNotices{Version: "17"},
		},
		"no version while the service is built": {
			found: aiven.Service{State: aiven.StateRebuilding, UserConfig: map[string]any{"pg_version": "17"}},
		},
		"the version before, while the service is upgraded": {
			found: aiven.Service{State: aiven.StateRebuilding, UserConfig: map[string]any{"pg_version": "17"}},
			known: "16.4", want: v1alpha1.ServiceNotices{Version: "16.4"},
		},
		"the version of an answer, while the service is upgraded": {
			found: aiven.Service{State: aiven.StateRebuilding, Notices: aiven.Notices{Metadata: map[string]any{"pg_version": "16.5"}}},
			known: "16.4", want: v1alpha1.ServiceNotices{Version: "16.5"},
		},
		"the version before, where an answer has only that of the options": {
			found: aiven.Service{State: aiven.StateRunning, UserConfig: map[string]any{"pg_version": "17"}}, known: "17.6", want: v1alpha1.ServiceNotices{Version: "17.6"},
		},
		"no version before that is another one": {
			found: aiven.Service{State: aiven.StateRunning, UserConfig: map[string]any{"pg_version": "17"}}, known: "170.6", want: v1alpha1.ServiceNotices{Version: "17"},
		},
		"a version that is no text": {
			found: aiven.Service{State: aiven.StateRunning, Notices: aiven.Notices{Metadata: map[string]any{"pg_version": 17.0}}},
		},
		"updates, in the order of their deadlines": {
			found: aiven.Service{Notices: aiven.Notices{Updates: []aiven.Update{
				{Description: ptr.To("later"), Deadline: ptr.To("2026-08-01")}, {Description: ptr.To("sooner\nor not"), Deadline: ptr.To("2026-06-01"), Impact: ptr.To("none"), StartAt: ptr.To(noon.Add(time.Millisecond))}, {},
			}}},
			want: v1alpha1.ServiceNotices{Maintenance: &v1alpha1.Maintenance{Pending: []v1alpha1.MaintenanceUpdate{
				{}, {Description: "sooner or not", Deadline: "2026-06-01", Impact: "none", StartAt: at(noon)}, {Description: "later", Deadline: "2026-08-01"},
			}}},
		},
		"no update": {found: aiven.Service{Notices: aiven.Notices{Updates: []aiven.Update{}}}},
		"the end of life": {
			found: aiven.Service{Notices: aiven.Notices{Notifications: []aiven.Notification{eol}}},
			want:  v1alpha1.ServiceNotices{EndOfLife: &v1alpha1.EndOfLife{Time: at(noon), UpgradeTo: "17", URL: "https://help.example.org"}},
		},
		"the end of life, with another type": {
			found: aiven.Service{Notices: aiven.Notices{Notifications: []aiven.Notification{other}}},
			want:  v1alpha1.ServiceNotices{EndOfLife: &v1alpha1.EndOfLife{Time: at(noon), UpgradeTo: "valkey 17", URL: "https://policy.example.org"}},
		},
		"the removal": {
			found: aiven.Service{Notices: aiven.Notices{Notifications: []aiven.Notification{removal, {Type: "something_new"}}}},
			want:  v1alpha1.ServiceNotices{RemovalTime: at(noon)},
		},
		"a removal without a time": {found: aiven.Service{Notices: aiven.Notices{Notifications: []aiven.Notification{{Type: aiven.NotificationRemoval}}}}},
		"backups": {
			found: aiven.Service{Notices: aiven.Notices{Backups: []aiven.Backup{{BackupTime: noon.Add(-time.Hour)}, {BackupTime: noon}, {}}}},
			want:  v1alpha1.ServiceNotices{Backups: &v1alpha1.Backups{Latest: at(noon), Count: 3}},
		},
		"no backup": {
			found: aiven.Service{Notices: aiven.Notices{Backups: []aiven.Backup{}}}, want: v1alpha1.ServiceNotices{Backups: &v1alpha1.Backups{}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tc.found.Type, tc.found.Project, tc.found.Name = "pg", "my project", "orders"
			tc.want.ConsoleURL = "https://console.aiven.io/project/my%20project/services/orders"
			assert.Equal(t, tc.want, notices.OfService(&tc.found, tc.known))
		})
	}
}

func TestTheOrderOfAnAnswerDoesNotChangeTheStatus(t *testing.T) {
	late, soon := aiven.Notification{Type: aiven.NotificationEndOfLife}, aiven.Notification{Type: aiven.NotificationEndOfLife}
	late.Metadata.ServiceEndOfLifeTime, soon.Metadata.ServiceEndOfLifeTime = ptr.To(noon.Add(time.Hour)), ptr.To(noon)
	lateRemoval, soonRemoval := late, soon
	lateRemoval.Type, soonRemoval.Type = aiven.NotificationRemoval, aiven.NotificationRemoval
	none := aiven.Notification{Type: aiven.NotificationEndOfLife}
	twin, later := soon, soon // at the same second
	twin.Metadata.UpgradeToVersion, later.Metadata.EndOfLifePolicyUrl = ptr.To("18"), ptr.To("https://policy.example.org")
	later.Metadata.ServiceEndOfLifeTime = ptr.To(noon.Add(time.Millisecond))
	answer := aiven.Notices{
		Notifications: []aiven.Notification{late, soon, twin, later, none, lateRemoval, soonRemoval},
		Updates: []aiven.Update{
			{Description: ptr.To("u"), Impact: ptr.To("none"), StartAt: ptr.To(noon.Add(time.Hour))}, {Description: ptr.To("u"), Impact: ptr.To("none"), StartAt: ptr.To(noon)},
			{Description: ptr.To("u"), Impact: ptr.To("none")}, {Description: ptr.To("u"), Impact: ptr.To("a restart")},
		},
	}
	first := notices.OfService(&aiven.Service{Notices: answer}, "")
	assert.Equal(t, at(noon), first.EndOfLife.Time)
	assert.Equal(t, at(noon), first.RemovalTime)
	slices.Reverse(answer.Notifications)
	slices.Reverse(answer.Updates)
	assert.Equal(t, first, notices.OfService(&aiven.Service{Notices: answer}, ""))
}

func TestTextsOfAivenAreBounded(t *testing.T) {
	updates := slices.Repeat([]aiven.Update{{Description: ptr.To(strings.Repeat("ä", 2000))}}, 100)
	pending := notices.OfService(&aiven.Service{Notices: aiven.Notices{Updates: updates}}, "").Maintenance.Pending
	assert.Len(t, pending, 20)
	assert.Len(t, pending[0].Description, 1024)
}

// certificate is a self-signed one, in PEM.
func certificate(t *testing.T, notAfter time.Time) string {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: noon.Add(-time.Hour), NotAfter: notAfter}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func TestDatesOfCredentials(t *testing.T) {
	soon, later := certificate(t, noon), certificate(t, noon.Add(time.Hour))
	broken := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("no certificate")}))
	key := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("key")}))
	user := &aiven.User{AccessCertNotValidAfterTime: ptr.To(noon.Add(2 * time.Hour)), ExpiringCertNotValidAfterTime: ptr.To(noon.Add(3 * time.Hour)), PasswordUpdatedTime: ptr.To(noon.Add(4 * time.Hour))}
	for name, tc := range map[string]struct {
		details map[string]string
		user    *aiven.User
		want    *v1alpha1.Credentials
	}{
		"nothing":                  {},
		"a user without dates":     {user: &aiven.User{}},
		"a CA":                     {map[string]string{"CA_CERT": soon}, nil, &v1alpha1.Credentials{CANotAfter: at(noon)}},
		"several CAs":              {map[string]string{"CA_CERT": later + soon}, nil, &v1alpha1.Credentials{CANotAfter: at(noon)}},
		"a CA behind something":    {map[string]string{"CA_CERT": "text\n" + key + later}, nil, &v1alpha1.Credentials{CANotAfter: at(noon.Add(time.Hour))}},
		"a CA that can't be read":  {map[string]string{"CA_CERT": broken}, nil, nil},
		"one of two can't be read": {map[string]string{"CA_CERT": soon + broken}, nil, nil},
		"a CA that is no PEM":      {map[string]string{"CA_CERT": "-----BEGIN CERTIFICATE-----\nAAAA"}, nil, nil},
		"a password":               {map[string]string{"PASSWORD": "p"}, user, &v1alpha1.Credentials{PasswordUpdatedAt: at(noon.Add(4 * time.Hour))}},
		"a certificate that is new": {
			map[string]string{"ACCESS_CERT": later}, user,
			&v1alpha1.Credentials{CertificateNotAfter: at(noon.Add(time.Hour)), ExpiringCertificateNotAfter: at(noon.Add(3 * time.Hour)), PasswordUpdatedAt: at(noon.Add(4 * time.Hour))},
		},
		"a certificate that only Aiven can read": {
			map[string]string{"ACCESS_CERT": broken}, &aiven.User{AccessCertNotValidAfterTime: ptr.To(noon)}, &v1alpha1.Credentials{CertificateNotAfter: at(noon)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, notices.OfCredentials(tc.details, tc.user))
		})
	}
}

// A cluster refuses a status with a time that RFC 3339 can't write, and stores null for one that rounds to no time: no status would be written
// any more, or one with each poll.
func TestATimeThatNoClusterStoresIsNone(t *testing.T) {
	for name, odd := range map[string]time.Time{
		"of year 10000 in UTC": time.Date(9999, 12, 31, 23, 59, 59, 0, time.FixedZone("", -3600)),
		"before year 0 in UTC": time.Date(0, 1, 1, 0, 0, 0, 0, time.FixedZone("", 3600)),
		"a fraction of none":   time.Time{}.Add(time.Millisecond),
	} {
		t.Run(name, func(t *testing.T) {
			removal := aiven.Notification{Type: aiven.NotificationRemoval}
			removal.Metadata.ServiceEndOfLifeTime = &odd
			n := notices.OfService(&aiven.Service{Notices: aiven.Notices{
				Notifications: []aiven.Notification{removal}, Backups: []aiven.Backup{{BackupTime: odd}}, Updates: []aiven.Update{{StartAt: &odd}},
			}}, "")
			assert.Nil(t, n.RemovalTime)
			assert.Nil(t, n.Backups.Latest)
			assert.Nil(t, n.Maintenance.Pending[0].StartAt)
			assert.Nil(t, notices.OfCredentials(nil, &aiven.User{PasswordUpdatedTime: &odd}))
		})
	}
	last := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	assert.Equal(t, &v1alpha1.Credentials{CANotAfter: at(last)}, notices.OfCredentials(map[string]string{"CA_CERT": certificate(t, last)}, nil), "what never ends")
}

func TestTextsOfAivenHoldNoSecretAndControlNoTerminal(t *testing.T) {
	eol := aiven.Notification{Type: aiven.NotificationEndOfLife}
	eol.Metadata.EndOfLifeHelpArticleUrl = ptr.To("https://user:s3cr3t@help.example.org/?token=s3cr3t")
	n := notices.OfService(&aiven.Service{Type: "pg", Notices: aiven.Notices{
		Notifications: []aiven.Notification{eol}, Metadata: map[string]any{"pg_version": "17\x1b[31m"},
		Updates: []aiven.Update{{Description: ptr.To("restart\x1b]0;x\a of postgres://avnadmin:s3cr3t@h:1/db\u202e with AVNS_s3cr3t"), Impact: ptr.To("-----BEGIN PRIVATE KEY-----\ns3cr3t\n-----END PRIVATE KEY-----")}},
	}}, "")
	update := n.Maintenance.Pending[0]
	for _, text := range []string{n.EndOfLife.URL, n.Version, update.Description, update.Impact} {
		assert.NotContains(t, text, "s3cr3t")
		assert.False(t, strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }), "%q", text)
	}
	assert.Equal(t, "restart ]0;x of postgres://avnadmin:***@h:1/db with AVNS_***", update.Description)
	assert.Equal(t, "https://user:***@help.example.org/?token=***", n.EndOfLife.URL)
}
