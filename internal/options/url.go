package options

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path"
	"strings"
)

// checkURL refuses addresses of the Aiven API that could lose data or tokens: below a wrong path every resource is a 404,
// and HTTP sends tokens in plain text.
func (o *Options) checkURL() error {
	if o.AivenURL == "" {
		return nil
	}
	u, err := url.Parse(o.AivenURL)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" || strings.ContainsAny(o.AivenURL, "?#") {
		return errors.New("AIVEN_WEB_URL is not a base URL such as https://api.aiven.io") // the value may hold a password
	}
	const remedy = ". Correct the URL, or set --allow-insecure-aiven-url"
	switch {
	case u.User != nil:
		return errors.New("AIVEN_WEB_URL must not have a user name or password: the operator logs in with tokens")
	case strings.TrimSuffix(u.Path, "/") != strings.TrimSuffix(path.Clean("/"+u.Path), "/"):
		return errors.New("AIVEN_WEB_URL must not have an empty or dot segment in its path") // every call would be refused
	case o.allowInsecureURL:
		return nil
	case strings.Trim(u.Path, "/") != "":
		return fmt.Errorf("AIVEN_WEB_URL must not have a path, such as %s%s", u.Path, remedy)
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return fmt.Errorf("AIVEN_WEB_URL must use https: http would send tokens to %s unencrypted%s", u.Hostname(), remedy)
	}
	return nil
}

func isLoopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}
