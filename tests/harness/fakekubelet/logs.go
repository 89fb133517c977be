package fakekubelet

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"k8s.io/client-go/util/cert"
)

// headerTimeout is how long a client may take to say which log it asks for.
const headerTimeout = 5 * time.Second

// serveLogs answers what the API server asks for `kubectl logs`. There is no other node on loopback.
func (n *Node) serveLogs() error {
	certificate, key, err := cert.GenerateSelfSignedCertKey(n.name, []net.IP{n.address()}, nil)
	if err != nil {
		return fmt.Errorf("making a certificate: %w", err)
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return fmt.Errorf("making a certificate: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", n.answerLog)
	server := &http.Server{
		Handler: mux, ReadHeaderTimeout: headerTimeout,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12},
	}
	n.work.Go(func() {
		if err := server.ServeTLS(n.listener, "", ""); !errors.Is(err, http.ErrServerClosed) {
			n.report("serving logs", err)
		}
	})
	n.work.Go(func() {
		<-n.ctx.Done()
		_ = server.Close() // the reader of a log then gets less of it
	})
	return nil
}

func (n *Node) answerLog(w http.ResponseWriter, r *http.Request) {
	p, err := n.find(r.PathValue("namespace"), r.PathValue("pod"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	query := r.URL.Query()
	restarts := p.restarts.Load()
	if query.Get("previous") == "true" {
		restarts--
	}
	content, err := os.ReadFile(p.log(restarts))
	if errors.Is(err, os.ErrNotExist) && restarts == p.restarts.Load() { // it waits to be started again
		content, err = os.ReadFile(p.log(restarts - 1))
	}
	if err != nil {
		http.Error(w, "there is no such log", http.StatusBadRequest)
		return
	}
	text := string(content)
	if tail, err := strconv.Atoi(query.Get("tailLines")); err == nil {
		lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
		text = strings.Join(lines[max(0, len(lines)-tail):], "") + "\n"
	}
	_, _ = w.Write([]byte(text)) // who went away needs no answer
}
