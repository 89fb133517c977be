package localaiven_test

import (
	"crypto/x509"
	"encoding/pem"
	"testing"
	"time"

	client "github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

func TestNoticesOfAServiceAreSetAndRemovedAtTheConsole(t *testing.T) {
	h := running(t, localaiven.Options{})
	found := h.read(t, svcName)
	assert.Empty(t, found.Maintenance.Updates)
	assert.Empty(t, found.ServiceNotifications)
	assert.Len(t, found.Backups, 1)
	assert.Equal(t, "17", found.Metadata["pg_version"])

	then := h.clock.Now().Add(time.Hour).UTC().Truncate(time.Second)
	require.NoError(t, h.Patch(proj, svcName, map[string]any{
		"maintenance_updates":   []any{map[string]any{"description": "d", "deadline": "2027-01-01", "start_at": then}},
		"service_notifications": []any{map[string]any{"type": "service_end_of_life", "level": "warning", "message": "m", "metadata": map[string]any{"service_end_of_life_time": then}}},
		"backups":               []any{then, then.Add(time.Hour)},
	}))
	found = h.read(t, svcName)
	assert.Equal(t, "d", *found.Maintenance.Updates[0].Description)
	assert.Equal(t, then, *found.Maintenance.Updates[0].StartAt)
	assert.Equal(t, then, *found.ServiceNotifications[0].Metadata.ServiceEndOfLifeTime)
	assert.Equal(t, then.Add(time.Hour), found.Backups[1].BackupTime)

	require.NoError(t, h.Patch(proj, svcName, map[string]any{"maintenance_updates": []any{}, "service_notifications": []any{}, "backups": []any{}}))
	found = h.read(t, svcName)
	assert.Empty(t, found.Maintenance.Updates)
	assert.Empty(t, found.ServiceNotifications)
	assert.Empty(t, found.Backups)
}

func TestAServiceWithoutPowerIsAnnouncedToBeRemoved(t *testing.T) {
	h := running(t, localaiven.Options{})
	h.update(t, client.ServiceUpdateIn{Powered: ptr(false)})
	off := h.clock.Now()
	h.clock.Advance(24 * time.Hour)
	found := h.read(t, svcName)
	require.Len(t, found.ServiceNotifications, 1)
	removal := found.ServiceNotifications[0]
	assert.Equal(t, client.ServiceNotificationTypeServicePoweredOffRemoval, removal.Type)
	assert.Equal(t, off.Add(180*24*time.Hour).UTC().Truncate(time.Second), removal.Metadata.ServiceEndOfLifeTime.UTC())
	h.update(t, client.ServiceUpdateIn{Powered: ptr(true)})
	assert.Empty(t, h.read(t, svcName).ServiceNotifications)
	assert.Empty(t, h.read(t, svcName).Metadata, "it is built again")
}

func TestACertificateIsRenewedAtTheConsole(t *testing.T) {
	h := runningKafka(t, localaiven.Options{})
	admin := func() client.UserOut { return h.getKafka(t).Users[0] }
	before := admin()
	assert.NotNil(t, before.PasswordUpdatedTime)
	assert.Nil(t, before.ExpiringCertNotValidAfterTime)
	until := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	renew := func(certificate map[string]any) error {
		return h.Patch(proj, kafkaName, map[string]any{"users": []any{map[string]any{"username": "avnadmin", "certificate": certificate}}})
	}
	require.NoError(t, renew(map[string]any{"until": until, "previous_until": *before.AccessCertNotValidAfterTime}))
	after := admin()
	assert.NotEqual(t, *before.AccessCert, *after.AccessCert)
	assert.Equal(t, until, after.AccessCertNotValidAfterTime.UTC())
	assert.Equal(t, *before.AccessCertNotValidAfterTime, *after.ExpiringCertNotValidAfterTime)
	block, _ := pem.Decode([]byte(*after.AccessCert))
	parsed, err := x509.ParseCertificate(block.Bytes)
	require.NoError(t, err)
	assert.Equal(t, until, parsed.NotAfter.UTC())
	require.NoError(t, renew(map[string]any{"until": until}))
	assert.Nil(t, admin().ExpiringCertNotValidAfterTime)
	require.ErrorContains(t, renew(map[string]any{}), "certificate.until is required")

	h.clock.Advance(time.Hour)
	password := "a-password-of-our-own"
	_, err = h.client.ServiceUserCredentialsModify(t.Context(), proj, kafkaName, "avnadmin", &client.ServiceUserCredentialsModifyIn{
		Operation: client.ServiceUserCredentialsModifyOperationTypeResetCredentials, NewPassword: &password,
	})
	require.NoError(t, err)
	assert.Equal(t, h.clock.Now().UTC(), admin().PasswordUpdatedTime.UTC())

	pg := running(t, localaiven.Options{})
	err = pg.Patch(proj, svcName, map[string]any{"users": []any{map[string]any{"username": "avnadmin", "certificate": map[string]any{"until": until}}}})
	require.ErrorContains(t, err, "only users of Kafka have a certificate")
}
