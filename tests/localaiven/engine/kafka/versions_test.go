package kafka_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"io"
	"net"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// librdkafka logs in with a password only where the broker announces the first version of the handshake.
func TestTheHandshakeIsAnnouncedAsByKafka(t *testing.T) {
	s := start(t)
	for version, answered := range map[int16]int16{0: 0, 2: 2, 3: 3, 5: 5, 99: 0} {
		answer := s.versions(version, answered)
		found := false
		for _, key := range answer.ApiKeys {
			if kmsg.Key(key.ApiKey) == kmsg.SASLHandshake {
				found = true
				assert.Zero(t, key.MinVersion, version)
				assert.EqualValues(t, 1, key.MaxVersion, version)
			}
		}
		assert.Equal(t, version != 99, found, "to a version that it doesn't know, a broker answers with those of the request: %d", version)
	}
}

// versions asks for the requests that the broker knows, as a client does before it logs in.
func (s *service) versions(version, answered int16) *kmsg.ApiVersionsResponse {
	s.t.Helper()
	authority := x509.NewCertPool()
	require.True(s.t, authority.AppendCertsFromPEM([]byte(s.ca.CertPEM())))
	at := s.kafka().SASL()
	conn, err := tls.Dial("tcp", net.JoinHostPort(at.Host, strconv.Itoa(at.Port)), &tls.Config{RootCAs: authority, MinVersion: tls.VersionTLS12})
	require.NoError(s.t, err)
	defer func() { require.NoError(s.t, conn.Close()) }()
	request := kmsg.NewPtrApiVersionsRequest()
	request.ClientSoftwareName, request.ClientSoftwareVersion = "librdkafka", "2.0.2"
	request.Version = version
	_, err = conn.Write(kmsg.NewRequestFormatter().AppendRequest(nil, request, 7))
	require.NoError(s.t, err)
	head := make([]byte, 8) // the size of the answer, and the id, which is repeated
	_, err = io.ReadFull(conn, head)
	require.NoError(s.t, err)
	require.EqualValues(s.t, 7, binary.BigEndian.Uint32(head[4:]))
	body := make([]byte, binary.BigEndian.Uint32(head)-4)
	_, err = io.ReadFull(conn, body)
	require.NoError(s.t, err)
	answer := kmsg.NewPtrApiVersionsResponse()
	answer.Version = answered
	require.NoError(s.t, answer.ReadFrom(body))
	return answer
}
