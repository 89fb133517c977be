package aiventest

import (
	"net/http"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
)

// Slow is an Aiven whose answers take time by the clock of its clients, and none by that of the test.
type Slow struct {
	*Aiven
	Now   time.Time
	Delay time.Duration // of each answer
}

// RoundTrip implements http.RoundTripper.
func (s *Slow) RoundTrip(req *http.Request) (*http.Response, error) {
	s.Now = s.Now.Add(s.Delay)
	return s.Aiven.RoundTrip(req)
}

// Clients are fresh clients whose reads may lag behind writes for a time.
func (s *Slow) Clients(lag time.Duration) *aiven.Clients {
	return aiven.New(aiven.Options{Transport: s, ReadLag: lag, Now: func() time.Time { return s.Now }})
}

// ClientWithLag is one of them.
func (s *Slow) ClientWithLag(lag time.Duration) *aiven.Client {
	client, err := s.Clients(lag).ForToken("a-token")
	require.NoError(s.t, err)
	return client
}
