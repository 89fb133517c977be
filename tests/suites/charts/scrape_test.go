package charts_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/aero-operator/aero/tests/harness/helm"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven/pki"
)

// mount does what the kubelet does for a container: it puts the Secrets and ConfigMaps of its volumes into folders. It
// returns the container's arguments with these folders in them.
func (i *installed) mount(container corev1.Container) []string {
	i.t.Helper()
	args := strings.Join(container.Args, "\n")
	for _, mounted := range container.VolumeMounts {
		dir := i.t.TempDir()
		for name, content := range i.content(mounted.Name) {
			require.NoError(i.t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
		}
		require.Contains(i.t, args, mounted.MountPath, "nothing needs what is mounted there")
		args = strings.ReplaceAll(args, mounted.MountPath, dir)
	}
	return strings.Split(args, "\n")
}

// content are the files of a volume.
func (i *installed) content(volume string) map[string][]byte {
	i.t.Helper()
	for _, v := range i.deployment.Spec.Template.Spec.Volumes {
		switch {
		case v.Name != volume:
		case v.Secret != nil:
			secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: i.release.Namespace, Name: v.Secret.SecretName}}
			i.Get(secret)
			return secret.Data
		case v.ConfigMap != nil:
			found := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: i.release.Namespace, Name: v.ConfigMap.Name}}
			i.Get(found)
			files := map[string][]byte{}
			for name, text := range found.Data {
				files[name] = []byte(text)
			}
			return files
		}
	}
	require.Fail(i.t, "No volume", volume)
	return nil
}

// reader is a token of an account that has the chart's role for those who read metrics, or of one that hasn't.
func (i *installed) reader(account string, may bool) string {
	i.t.Helper()
	subject := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: i.Namespace, Name: account}}
	i.Create(subject)
	if may {
		binding := &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: i.Namespace + "-" + account},
			RoleRef: rbacv1.RoleRef{
				APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: i.release.Namespace + "-aero-metrics-reader",
			},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: i.Namespace, Name: account}},
		}
		i.Create(binding)
		i.t.Cleanup(func() { require.NoError(i.t, i.Client.Delete(context.Background(), binding)) })
	}
	request := &authenticationv1.TokenRequest{}
	require.NoError(i.t, i.Client.SubResource("token").Create(i.t.Context(), subject, request))
	i.Plant(request.Status.Token)
	return request.Status.Token
}

// scraper reads metrics as Prometheus does.
type scraper struct {
	scheme, token string
	certificate   []tls.Certificate
	authorities   *x509.CertPool // nil to trust any server
	serverName    string
}

// scrape reads the metrics of the latest pod. It returns an error if there is no connection.
func (i *installed) scrape(s scraper) (status int, body string, err error) {
	i.t.Helper()
	i.Until(func() bool { // the pod is ready before that, for it makes a key
		connection, err := (&net.Dialer{}).DialContext(i.t.Context(), "tcp", i.metrics)
		return err == nil && connection.Close() == nil
	}, func() string { return "no metrics at " + i.metrics })
	request, err := http.NewRequestWithContext(i.t.Context(), http.MethodGet, s.scheme+"://"+i.metrics+"/metrics", http.NoBody)
	require.NoError(i.t, err)
	if s.token != "" {
		request.Header.Set("Authorization", "Bearer "+s.token)
	}
	answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{
		Certificates: s.certificate, RootCAs: s.authorities, InsecureSkipVerify: s.authorities == nil, ServerName: s.serverName,
	}}}).Do(request)
	if err != nil {
		return 0, "", err
	}
	defer func() { require.NoError(i.t, answer.Body.Close()) }()
	content, err := io.ReadAll(answer.Body)
	require.NoError(i.t, err)
	return answer.StatusCode, string(content), nil
}

// shows waits until a scrape shows how many objects there are, which the pod that works knows, soon after it began to.
func (i *installed) shows(s scraper) {
	i.t.Helper()
	var status int
	var body string
	i.Until(func() bool {
		var err error
		status, body, err = i.scrape(s)
		require.NoError(i.t, err)
		return status == http.StatusOK && strings.Contains(body, "\naero_objects{")
	}, func() string { return fmt.Sprintf("metrics aren't there: %d %s", status, body) })
}

// readByToken reads metrics with the permissions of the chart's role, and fails if it takes less.
func (i *installed) readByToken() {
	i.t.Helper()
	for token, want := range map[string]int{
		"": http.StatusUnauthorized, i.reader("stranger", false): http.StatusForbidden,
	} {
		status, body, err := i.scrape(scraper{scheme: "https", token: token})
		require.NoError(i.t, err)
		assert.Equal(i.t, want, status, body)
	}
	s := i.monitor()
	assert.Equal(i.t, "/var/run/secrets/kubernetes.io/serviceaccount/token", s.token)
	s.token = i.reader("prometheus", true)
	i.shows(s)
}

// readInPod reads metrics as a user in the pod can. No other client reaches them, by the arguments of the Deployment.
func (i *installed) readInPod() {
	i.t.Helper()
	assert.Contains(i.t, i.deployment.Spec.Template.Spec.Containers[0].Args, "--metrics-bind-address=127.0.0.1:8080")
	i.shows(scraper{scheme: "http"})
}

// monitor is what the release's ServiceMonitor asks Prometheus to do. Its token is the file of one.
func (i *installed) monitor() (s scraper) {
	i.t.Helper()
	monitor := &unstructured.Unstructured{}
	monitor.SetGroupVersionKind(serviceMonitor.WithVersion("v1"))
	monitor.SetNamespace(i.release.Namespace)
	monitor.SetName("aero")
	i.Get(monitor)
	content, err := json.Marshal(monitor.Object["spec"])
	require.NoError(i.t, err)
	var spec struct{ Endpoints []endpoint }
	require.NoError(i.t, json.Unmarshal(content, &spec))
	require.Len(i.t, spec.Endpoints, 1)
	e := spec.Endpoints[0]
	s = scraper{scheme: e.Scheme, token: e.BearerTokenFile, serverName: e.TLSConfig.ServerName}
	if ca := e.TLSConfig.CA.Secret; ca.Name != "" {
		s.authorities = x509.NewCertPool()
		require.True(i.t, s.authorities.AppendCertsFromPEM(i.secret(ca)))
	}
	require.Equal(i.t, s.authorities == nil, e.TLSConfig.InsecureSkipVerify)
	if key := e.TLSConfig.KeySecret; key.Name != "" {
		pair, err := tls.X509KeyPair(i.secret(e.TLSConfig.Cert.Secret), i.secret(key))
		require.NoError(i.t, err)
		s.certificate = []tls.Certificate{pair}
	}
	return s
}

// endpoint is what a ServiceMonitor says of an endpoint.
type endpoint struct {
	Scheme, BearerTokenFile string

	TLSConfig struct {
		CA, Cert           struct{ Secret corev1.SecretKeySelector }
		KeySecret          corev1.SecretKeySelector
		ServerName         string
		InsecureSkipVerify bool
	}
}

// secret is what a Secret of the release's namespace has under a key.
func (i *installed) secret(at corev1.SecretKeySelector) []byte {
	i.t.Helper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: i.release.Namespace, Name: at.Name}}
	i.Get(secret)
	require.NotEmpty(i.t, secret.Data[at.Key], "%s has no %s", at.Name, at.Key)
	return secret.Data[at.Key]
}

// certificate is a Secret of type kubernetes.io/tls in the namespace of the release, as cert-manager makes it.
func (i *installed) certificate(name string, authority *pki.Authority, hosts ...string) {
	i.t.Helper()
	cert, key, err := authority.Issue(name, hosts...)
	require.NoError(i.t, err)
	i.Create(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: i.release.Namespace, Name: name}, Type: corev1.SecretTypeTLS,
		StringData: map[string]string{"tls.crt": cert, "tls.key": key, "ca.crt": authority.CertPEM()},
	})
}

func TestInNamespacesMetricsAreForThoseWithAClientCertificate(t *testing.T) {
	e := world(t, testenv.Options{Outside: true})
	prometheusKinds(t, e)
	i := install(t, e, helm.Values{
		"watchedNamespaces": []any{e.Namespace}, "rbac": helm.Values{"clusterScope": false},
		"metrics":        helm.Values{"certificateSecret": "metrics", "clientCA": helm.Values{"secret": "prometheus"}},
		"serviceMonitor": helm.Values{"enabled": true, "clientCertificateSecret": "prometheus"},
	})
	ours := authority(t)
	i.certificate("metrics", ours, "aero-metrics."+i.release.Namespace+".svc")
	i.certificate("prometheus", ours, "prometheus")
	e.Create(e.Example("database")) // something to count

	i.run("pod")
	prometheus := i.monitor()
	i.shows(prometheus)
	stranger := prometheus
	stranger.certificate = nil
	_, _, err := i.scrape(stranger)
	require.Error(t, err, "no certificate")
	cert, key, err := authority(t).Issue("prometheus", "prometheus")
	require.NoError(t, err)
	pair, err := tls.X509KeyPair([]byte(cert), []byte(key))
	require.NoError(t, err)
	stranger.certificate = []tls.Certificate{pair}
	_, _, err = i.scrape(stranger)
	require.Error(t, err, "the certificate of another CA")
}

func authority(t *testing.T) *pki.Authority {
	t.Helper()
	made, err := pki.New(t.Name())
	require.NoError(t, err)
	return made
}
