package kafka

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/aero-operator/aero/tests/localaiven/engine"
)

// iterations of SCRAM: the least that the protocol allows.
const iterations = 4096

var (
	errClosed  = errors.New("the broker is closed")
	errStopped = errors.New("the broker is stopped")
)

// login is how a user gets in: with the password, or with one of two certificates, in PEM; an empty one is any that names the user.
type login struct{ password, certificate, former string }

// mechanisms are how users log in with passwords.
var mechanisms = []kadm.ScramMechanism{kadm.ScramSha256, kadm.ScramSha512}

// cluster is one running service.
type cluster struct {
	name     string
	ports    serverConfigs
	visitor  *tls.Config // of connections to the broker
	password string      // the keeper's
	dir      string
	at       atomic.Pointer[addresses]
	logins   sync.Map // by the names of users

	mu      sync.Mutex
	closed  bool
	accepts engine.Logins
	fake    *kfake.Cluster // nil while it is stopped, and so are the others
	gates   *gates
	client  *kgo.Client
	admin   *kadm.Client
	users   map[string]bool
	topics  map[string]map[string]string // and what of their config was set
	acls    []engine.ACL
	native  []engine.NativeACL
	granted map[grant]bool // what the broker has
}

var (
	_ engine.Instance = (*cluster)(nil)
	_ engine.Kafka    = (*cluster)(nil)
)

// gates are the ports of the two ways to log in.
type gates struct{ certificate, sasl *gateway }

// admit lets in who logs in in these ways.
func (g *gates) admit(accepts engine.Logins) {
	g.certificate.admit(accepts.Certificates)
	g.sasl.admit(accepts.Passwords)
}

func (g *gates) close() {
	g.certificate.close()
	g.sasl.close()
}

// addresses are where clients connect to with certificates, and with passwords.
type addresses struct{ certificate, sasl engine.Endpoint }

// Endpoint is where clients show certificates.
func (c *cluster) Endpoint() engine.Endpoint { return c.at.Load().certificate }

// SASL is where clients log in with passwords.
func (c *cluster) SASL() engine.Endpoint { return c.at.Load().sasl }

// Databases are none.
func (*cluster) Databases() engine.Databases { return nil }

// Pools are none.
func (*cluster) Pools() engine.Pools { return nil }

// Users are those who may log in.
func (c *cluster) Users() engine.Users { return users{c} }

// Topics are the topics of the broker.
func (c *cluster) Topics() engine.Topics { return topics{c} }

// SetLogins changes how clients may log in.
func (c *cluster) SetLogins(_ context.Context, logins engine.Logins) error {
	return c.change(func() error {
		c.accepts = logins
		c.gates.admit(logins)
		return nil
	})
}

// SetACLs replaces all ACLs.
func (c *cluster) SetACLs(ctx context.Context, acls []engine.ACL) error {
	return c.change(func() error {
		c.acls = slices.Clone(acls)
		return c.grant(ctx)
	})
}

// SetNativeACLs replaces all Kafka-native ACLs.
func (c *cluster) SetNativeACLs(ctx context.Context, acls []engine.NativeACL) error {
	return c.change(func() error {
		c.native = slices.Clone(acls)
		return c.grant(ctx)
	})
}

// Close ends the broker.
func (c *cluster) Close(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.halt()
	return os.RemoveAll(c.dir)
}

// Stop ends the broker, which has its messages on disk.
func (c *cluster) Stop(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.halt()
	return nil
}

func (c *cluster) halt() {
	if c.fake != nil {
		c.client.Close()
		c.gates.close()
		c.fake.Close()
		c.fake, c.gates, c.client, c.admin = nil, nil, nil, nil
	}
}

// Resume runs the broker again.
func (c *cluster) Resume(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return errClosed
	case c.fake != nil:
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return c.run()
}

// change does something that must not meet another change, Stop or Close.
func (c *cluster) change(work func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return errClosed
	case c.fake == nil:
		return errStopped
	}
	return work()
}

type users struct{ *cluster }

// Set implements engine.Users.
func (u users) Set(ctx context.Context, user engine.Credential) error {
	return u.change(func() error { return u.set(ctx, user) })
}

func (u users) set(ctx context.Context, user engine.Credential) error {
	if user.Password != "" {
		// One at a time: a request may name a user once.
		for _, mechanism := range mechanisms {
			altered, err := u.admin.AlterUserSCRAMs(ctx, nil, []kadm.UpsertSCRAM{{
				User: user.Username, Mechanism: mechanism, Iterations: iterations, Password: user.Password,
			}})
			if err := errors.Join(err, altered.Error()); err != nil {
				return fmt.Errorf("setting the password of %s: %w", user.Username, err)
			}
		}
		u.logins.Store(user.Username, login{user.Password, user.Certificate, user.Former})
	}
	u.users[user.Username] = true
	return u.grant(ctx)
}

// Remove implements engine.Users.
func (u users) Remove(ctx context.Context, name string) error {
	return u.change(func() error { return u.remove(ctx, name) })
}

func (u users) remove(ctx context.Context, name string) error {
	delete(u.users, name)
	u.logins.Delete(name)
	for _, mechanism := range mechanisms {
		altered, err := u.admin.AlterUserSCRAMs(ctx, []kadm.DeleteSCRAM{{User: name, Mechanism: mechanism}}, nil)
		if err == nil {
			err = altered.Error()
		}
		if err != nil && !errors.Is(err, kerr.ResourceNotFound) {
			return fmt.Errorf("removing %s: %w", name, err)
		}
	}
	return u.grant(ctx)
}

type topics struct{ *cluster }

// Set implements engine.Topics.
func (t topics) Set(ctx context.Context, topic engine.Topic) error {
	return t.change(func() error { return t.set(ctx, topic) })
}

func (t topics) set(ctx context.Context, topic engine.Topic) error {
	created, err := t.admin.CreateTopic(ctx, int32(topic.Partitions), 1, nil, topic.Name) // the API bounds it
	if err == nil {
		err = created.Err
	}
	if errors.Is(err, kerr.TopicAlreadyExists) {
		err = t.grow(ctx, topic)
	}
	if err != nil {
		return fmt.Errorf("setting topic %s: %w", topic.Name, err)
	}
	t.configure(ctx, topic)
	t.topics[topic.Name] = maps.Clone(topic.Config)
	return t.grant(ctx)
}

// grow adds partitions.
func (t topics) grow(ctx context.Context, topic engine.Topic) error {
	answers, err := t.admin.UpdatePartitions(ctx, topic.Partitions, topic.Name)
	if err == nil {
		err = answers.Error()
	}
	if errors.Is(err, kerr.InvalidPartitions) { // there are as many already
		return nil
	}
	return err
}

// configure changes each value by itself: one that the broker doesn't know must not keep the others out.
func (t topics) configure(ctx context.Context, topic engine.Topic) {
	for name, value := range topic.Config {
		_, _ = t.admin.AlterTopicConfigs(ctx, []kadm.AlterConfig{{Op: kadm.SetConfig, Name: name, Value: &value}}, topic.Name)
	}
	for name := range t.topics[topic.Name] {
		if _, named := topic.Config[name]; !named {
			_, _ = t.admin.AlterTopicConfigs(ctx, []kadm.AlterConfig{{Op: kadm.DeleteConfig, Name: name}}, topic.Name)
		}
	}
}

// Remove implements engine.Topics.
func (t topics) Remove(ctx context.Context, name string) error {
	return t.change(func() error { return t.remove(ctx, name) })
}

func (t topics) remove(ctx context.Context, name string) error {
	delete(t.topics, name)
	answers, err := t.admin.DeleteTopics(ctx, name)
	if err == nil {
		err = answers.Error()
	}
	if err != nil && !errors.Is(err, kerr.UnknownTopicOrPartition) {
		return fmt.Errorf("removing topic %s: %w", name, err)
	}
	return t.grant(ctx)
}
