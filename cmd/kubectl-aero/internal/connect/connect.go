// Package connect starts the client of a database with what a connection Secret has. A password is in no command line: it is in the
// environment of the client, or in a file that only the caller can read and that is removed.
package connect

import (
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
)

// Details are the contents of a connection Secret.
type Details struct {
	Secret string // the name
	Prefix string
	Data   map[string][]byte
	// Database is what the client connects to in place of what the Secret has. Entries of a service need it.
	Database string
}

// required returns the values of keys. A Secret without one of them isn't that of such a service.
func (d *Details) required(keys ...string) (map[string]string, error) {
	values := map[string]string{}
	for _, key := range keys {
		value := d.optional(key)
		if value == "" {
			return nil, fmt.Errorf("the Secret %s has no %s%s", d.Secret, d.Prefix, key)
		}
		values[key] = value
	}
	return values, nil
}

func (d *Details) optional(key string) string { return string(d.Data[d.Prefix+key]) }

// user is the name of the user: the kinds have one of two keys.
func (d *Details) user() string {
	if user := d.optional("USERNAME"); user != "" {
		return user
	}
	return d.optional("USER")
}

// Session is what is started: a program with its arguments, environment and files.
type Session struct {
	Program string
	Args    []string
	// Env is added to the environment of the caller, without the variables that begin with one of Drops: those lead elsewhere.
	Env   map[string]string
	Drops []string
	// Files are written to Folder, for the caller only, and removed afterwards.
	Files  map[string]string
	Folder string
}

// file adds a file, and returns its path.
func (s *Session) file(name, content string) string {
	if s.Files == nil {
		s.Files = map[string]string{}
	}
	s.Files[name] = content
	return s.Folder + "/" + name
}

// Describe is the command for the eyes of the caller: no value of the environment, and no content of a file.
func (s *Session) Describe(extra []string) string {
	quoted := []string{s.Program}
	for _, arg := range slices.Concat(s.Args, extra) {
		quoted = append(quoted, quote(arg))
	}
	text := strings.Join(quoted, " ") + "\n"
	if len(s.Env) > 0 {
		text = "# with the environment variables " + strings.Join(slices.Sorted(maps.Keys(s.Env)), ", ") + "\n" + text
	}
	if len(s.Files) > 0 {
		text = "# with the files " + strings.Join(slices.Sorted(maps.Keys(s.Files)), ", ") + " in a folder of the caller, removed afterwards\n" + text
	}
	return text
}

// quote quotes an argument for a shell, where it needs that.
func quote(arg string) string {
	if arg != "" && !strings.ContainsFunc(arg, func(r rune) bool { return !strings.ContainsRune(plain, r) }) {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=/.,:@%+"

// address is host and port of a server.
func address(values map[string]string) string {
	return net.JoinHostPort(values["HOST"], values["PORT"])
}
