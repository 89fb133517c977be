package valkey

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/daemon"
)

// probe is a user that no client can log in as, to try rules with.
const probe = "@aero-probe"

// forbidden is for no user, whatever the access control: it would change or end the server, or its users.
var forbidden = []string{
	"-acl|setuser", "-acl|deluser", "-acl|load", "-acl|save", "-acl|list", "-acl|getuser",
	"-bgrewriteaof", "-bgsave", "-config", "-debug", "-failover", "-migrate", "-module", "-pfdebug", "-psync",
	"-replconf", "-replicaof", "-save", "-shutdown", "-slaveof", "-sync",
}

// ownForm is a pattern of keys as the server writes it.
var ownForm = regexp.MustCompile(`^(~|%(R|W|RW)~)`)

// instance is one running service.
type instance struct {
	*daemon.Server
	admin *redis.Client
}

var _ engine.Instance = (*instance)(nil)

// Databases are none: they have numbers, and are there.
func (*instance) Databases() engine.Databases { return nil }

// Pools are none.
func (*instance) Pools() engine.Pools { return nil }

// Users are the users of the server.
func (i *instance) Users() engine.Users { return users{i} }

// Stop saves the users first, which the server doesn't do by itself.
func (i *instance) Stop(ctx context.Context) error {
	err := i.Change(func() error { return i.admin.Do(ctx, "ACL", "SAVE").Err() })
	if errors.Is(err, daemon.ErrStopped) {
		err = nil
	}
	return errors.Join(err, i.Server.Stop(ctx))
}

// Close ends the server, and with it all that it held.
func (i *instance) Close(ctx context.Context) error {
	err := i.admin.Close()
	if errors.Is(err, redis.ErrClosed) {
		err = nil
	}
	return errors.Join(err, i.Server.Close(ctx))
}

type users struct{ *instance }

// Set implements engine.Users. All of it holds from one moment to the next.
func (u users) Set(ctx context.Context, user engine.Credential) error {
	if err := reserved(user.Username); err != nil {
		return err
	}
	err := u.Change(func() error {
		login := []string{"on"}
		if user.Password != "" {
			login = append(login, "resetpass", digest(user.Password))
		} else if err := u.admin.Do(ctx, "ACL", "GETUSER", user.Username).Err(); err != nil {
			return fmt.Errorf("it has no password yet: %w", err)
		}
		commands, err := u.known(ctx, slices.Concat(user.Access.Categories, user.Access.Commands))
		if err != nil {
			return err
		}
		return u.set(ctx, user.Username, slices.Concat(login, reach(user.Access), []string{"-@all"}, commands, forbidden))
	})
	if err != nil {
		return fmt.Errorf("setting user %s: %w", user.Username, err)
	}
	return nil
}

// reach are the rules for what the user may touch.
func reach(access engine.Access) []string {
	rules := []string{"resetkeys", "resetchannels"}
	for _, key := range access.Keys {
		if !ownForm.MatchString(key) {
			key = "~" + key
		}
		rules = append(rules, key)
	}
	for _, channel := range access.Channels {
		rules = append(rules, "&"+strings.TrimPrefix(channel, "&"))
	}
	return rules
}

// known leaves out rules for commands and categories that this server hasn't: no user can run them anyway.
func (u users) known(ctx context.Context, rules []string) ([]string, error) {
	var out []string
	for _, rule := range rules {
		err := u.set(ctx, probe, []string{"reset", rule})
		var refusal redis.Error
		switch {
		case err == nil:
			out = append(out, rule)
		case !errors.As(err, &refusal):
			return nil, err
		}
	}
	return out, u.admin.ACLDelUser(ctx, probe).Err()
}

func (u users) set(ctx context.Context, name string, rules []string) error {
	return u.admin.ACLSetUser(ctx, name, rules...).Err()
}

// Remove implements engine.Users. The sessions of the user end.
func (u users) Remove(ctx context.Context, name string) error {
	if err := reserved(name); err != nil {
		return err
	}
	if err := u.Change(func() error { return u.admin.ACLDelUser(ctx, name).Err() }); err != nil {
		return fmt.Errorf("removing user %s: %w", name, err)
	}
	return nil
}

// digest is a password as the server keeps it.
func digest(password string) string {
	sum := sha256.Sum256([]byte(password))
	return "#" + hex.EncodeToString(sum[:])
}

// reserved refuses names that are the server's or the engine's, or that it can't have.
func reserved(name string) error {
	switch {
	case name == "", name == "default", name == keeper, name == probe:
		return fmt.Errorf("the name %q is reserved", name)
	case strings.ContainsAny(name, " \x00\r\n\t"):
		return fmt.Errorf("the name %q has a space or a control character", name)
	}
	return nil
}
