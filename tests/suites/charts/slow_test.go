package charts_test

import (
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// lag is how far watches are behind.
const lag = time.Second

// slowWatches is a proxy before an API server that hands on what a watch of the group aiven.io says a while later, as a busy
// server does. Who asks through it is known by a token, which clients send over TLS only.
func slowWatches(t *testing.T, config *rest.Config) *clientcmdapi.Cluster {
	t.Helper()
	target, err := url.Parse(config.Host)
	require.NoError(t, err)
	transport, err := rest.TransportFor(rest.AnonymousClientConfig(config))
	require.NoError(t, err)
	server := httptest.NewTLSServer(&httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:     transport,
		FlushInterval: -1,
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
		ModifyResponse: func(r *http.Response) error {
			if r.Request.URL.Query().Has("watch") && strings.HasPrefix(r.Request.URL.Path, "/apis/aiven.io/") {
				r.Body = newDelayed(r.Body)
			}
			return nil
		},
	})
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return &clientcmdapi.Cluster{Server: server.URL, CertificateAuthorityData: authority}
}

// delayed is a stream whose parts come later than they were read.
type delayed struct {
	io.Closer

	parts chan part
	rest  []byte
	err   error
}

type part struct {
	data []byte
	err  error
	due  time.Time
}

func newDelayed(body io.ReadCloser) *delayed {
	d := &delayed{Closer: body, parts: make(chan part, 4096)}
	go func() {
		defer close(d.parts)
		for {
			buffer := make([]byte, 64<<10)
			n, err := body.Read(buffer)
			d.parts <- part{buffer[:n], err, time.Now().Add(lag)}
			if err != nil {
				return
			}
		}
	}()
	return d
}

func (d *delayed) Read(to []byte) (int, error) {
	for len(d.rest) == 0 {
		if d.err != nil {
			return 0, d.err
		}
		next := <-d.parts
		<-time.After(time.Until(next.due))
		d.rest, d.err = next.data, next.err
	}
	n := copy(to, d.rest)
	d.rest = d.rest[n:]
	return n, nil
}
