package site

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
)

const (
	root  = "../../.."
	built = root + "/bin/site"
	home  = "/latest/"
)

// page is a page of the built site: what it links to, what it loads, and the ids that links lead to.
type page struct {
	links, loads []string
	ids          map[string]bool
}

// pages are all pages of the site by their path on a server, such as /latest/install/.
func pages(t *testing.T) map[string]page {
	t.Helper()
	require.FileExists(t, built+home+"index.html", "make site builds it")
	found := map[string]page{}
	require.NoError(t, filepath.WalkDir(built+home, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(file) != ".html" {
			return err
		}
		at, err := filepath.Rel(built, filepath.Dir(file))
		require.NoError(t, err)
		found["/"+filepath.ToSlash(at)+"/"] = read(t, file)
		return nil
	}))
	return found
}

func read(t *testing.T, file string) page {
	t.Helper()
	content, err := os.Open(file)
	require.NoError(t, err)
	defer func() { _ = content.Close() }()
	document, err := html.Parse(content)
	require.NoError(t, err)
	p := page{ids: map[string]bool{}}
	for node := range document.Descendants() {
		if id := attribute(node, "id"); id != "" {
			p.ids[id] = true
		}
		switch at := attribute(node, "href"); {
		case node.Data == "a" && at != "":
			p.links = append(p.links, at)
		case node.Data == "link" && attribute(node, "rel") != "canonical":
			p.loads = append(p.loads, at)
		}
		if at := attribute(node, "src"); at != "" {
			p.loads = append(p.loads, at)
		}
	}
	return p
}

func attribute(node *html.Node, key string) string {
	for _, a := range node.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// resolve is where a link of a page leads.
func resolve(t *testing.T, at, link string) *url.URL {
	t.Helper()
	base, err := url.Parse(at)
	require.NoError(t, err)
	to, err := base.Parse(link)
	require.NoError(t, err, "%s: %s", at, link)
	return to
}

// exists reports whether the site has a file.
func exists(at string) bool {
	if strings.HasSuffix(at, "/") {
		at = path.Join(at, "index.html")
	}
	info, err := os.Stat(filepath.Join(built, at))
	return err == nil && !info.IsDir()
}

// serve serves the site as it is, but for the list of its versions.
func serve(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(built)))
	mux.HandleFunc("/versions.json", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`["v0.1","latest"]`)) })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}
