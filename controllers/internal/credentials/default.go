package credentials

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// rereadEvery is short beside the minute that a kubelet takes to update the files of a Secret. It swaps a symbolic link, which
// watchers of files miss in one way or another.
const rereadEvery = 10 * time.Second

// Default is the operator's own token: a value, or what a file has, which is read again when it changes. It is safe for concurrent
// use. The nil Default is none.
type Default struct {
	path string // empty for a value

	mu       sync.Mutex
	value    string
	problem  string // that was logged last
	onChange []func()
}

// NewDefault returns a token that never changes; empty for none.
func NewDefault(value string) *Default { return &Default{value: strings.TrimSpace(value)} }

// ReadDefault reads a token from a file. If it is optional, there is none while the file doesn't exist.
func ReadDefault(path string, optional bool) (*Default, error) {
	d := &Default{path: path}
	value, err := d.read()
	if optional && errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	d.value = value
	return d, err
}

// Value returns the present token; empty for none.
func (d *Default) Value() string {
	if d == nil {
		return ""
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.value
}

// OnChange adds what is called after each change of the token. It MUST NOT block.
func (d *Default) OnChange(do func()) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.onChange = append(d.onChange, do)
}

// Start implements manager.Runnable.
func (d *Default) Start(ctx context.Context) error {
	if d != nil && d.path != "" {
		wait.UntilWithContext(ctx, d.Refresh, rereadEvery)
	}
	return nil
}

// NeedLeaderElection implements manager.LeaderElectionRunnable: a new leader begins with the present token.
func (d *Default) NeedLeaderElection() bool { return false }

// Refresh reads the file again. What can't be used is logged once, and the last good token stays: it may be valid still.
func (d *Default) Refresh(ctx context.Context) {
	value, err := d.read()
	d.mu.Lock()
	var calls []func()
	switch {
	case d.value == "" && errors.Is(err, fs.ErrNotExist): // it is optional
	case err != nil && err.Error() != d.problem:
		d.problem = err.Error()
		log.FromContext(ctx).Error(err, "Could not read the default token again: the last one stays in use")
	case err == nil && value != d.value:
		d.value, calls = value, d.onChange
		log.FromContext(ctx).Info("Read another default token from its file", "path", d.path)
	}
	if err == nil {
		d.problem = ""
	}
	d.mu.Unlock()
	for _, call := range calls {
		call()
	}
}

// read returns what the file has, if it is a token.
func (d *Default) read() (string, error) {
	content, err := os.ReadFile(d.path)
	if err != nil {
		return "", fmt.Errorf("reading the default token: %w", err)
	}
	token, err := parse(string(content), MissingError{})
	if err != nil {
		return "", fmt.Errorf("file %s: %w", d.path, err)
	}
	return token.Reveal(), nil
}

// Follow keeps the default token among the tokens of Secrets, so that a former one is forgotten as theirs are.
func (r Resolver) Follow() {
	note := func() {
		if value := r.Default.Value(); value != "" {
			r.Cache.put(types.NamespacedName{}, "", "", NewToken(value))
		}
	}
	note()
	r.Default.OnChange(note)
}
