package postgres

import (
	"cmp"
	"context"
	"fmt"
	"net/url"

	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/resource"
)

// poolDetails are the address of the pool and the name of its user. A pool without one takes every user; the details
// are those of the service's own then.
func poolDetails(ctx context.Context, s resource.Scope, obj *v1alpha1.ConnectionPool, pool *foundPool) (connection.Info, error) {
	uri, err := url.Parse(pool.ConnectionUri)
	if err != nil {
		return connection.Info{}, fmt.Errorf("reading the address of pool %s: it is no URI", pool.PoolName)
	}
	user, known := s.Service.User(cmp.Or(ptr.Deref(pool.Username, ""), s.Service.URIParams["user"]))
	if !known || user.Password == "" || uri.Host == "" {
		return connection.Info{}, nil
	}
	ca, err := s.Client.CA(ctx, s.Project)
	if err != nil {
		return connection.Info{}, err
	}
	mode := cmp.Or(uri.Query().Get("sslmode"), s.Service.URIParams["sslmode"])
	info := connection.Info{
		Type: s.Service.Type, Address: connection.Address{Host: uri.Hostname(), Port: uri.Port()}, Database: pool.Database, User: user.Username,
		Password: user.Password, TLSMode: mode, URI: pool.ConnectionUri, CACert: ca, Pool: obj.GetName(), Endpoints: s.Service.Components, Layout: layout(),
		Fixed: "it is that of user " + user.Username + ", whom this pool logs in as. Rotate it with the ServiceUser, or the service, that has the user",
	}
	info.Layout.Prefixed["NAME"] = connection.Pool
	return resource.Dated(info, &user), nil
}
