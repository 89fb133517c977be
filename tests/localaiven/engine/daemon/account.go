// Package daemon is what engines made of processes share: whom they run as, folders of theirs, and data to begin with.
package daemon

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/process"
)

// Account is the user of the operating system that runs the processes.
type Account struct {
	Name string
	// credential is nil if it is the user who runs this process.
	credential *syscall.Credential
}

// Unprivileged is the current user, unless that is root, as whom no server should run: then it is the first of these
// users that the machine has.
func Unprivileged(names ...string) (Account, error) {
	current, err := user.Current()
	if err != nil {
		return Account{}, fmt.Errorf("looking up the current user: %w", err)
	}
	if os.Geteuid() != 0 {
		return Account{Name: current.Username}, nil
	}
	for _, name := range names {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(found.Uid, 10, 32)
		if err != nil {
			return Account{}, fmt.Errorf("reading the id of user %s: %w", name, err)
		}
		gid, err := strconv.ParseUint(found.Gid, 10, 32)
		if err != nil {
			return Account{}, fmt.Errorf("reading the group of user %s: %w", name, err)
		}
		return Account{Name: name, credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
	}
	return Account{}, fmt.Errorf("servers don't run as root, and the machine has none of the users %s", strings.Join(names, ", "))
}

// Command is a command that runs as the account in a folder it may enter.
func (a Account) Command(folder, path string, args ...string) *exec.Cmd {
	cmd := exec.Command(path, args...)
	cmd.Dir = folder
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: a.credential}
	// Messages must be English for engines to read them, and variables of the caller, such as PG*, must not reach the
	// server.
	cmd.Env = []string{"LC_ALL=C", "PATH=" + os.Getenv("PATH"), "TZ=UTC"}
	return cmd
}

// Own gives a file or folder to the account.
func (a Account) Own(path string) error {
	if a.credential == nil {
		return nil
	}
	return os.Lchown(path, int(a.credential.Uid), int(a.credential.Gid))
}

// Mkdir makes a folder that only the account may enter. One that exists is an error.
func (a Account) Mkdir(path string) error {
	if err := os.Mkdir(path, 0o700); err != nil {
		return err
	}
	return a.Own(path)
}

// Write makes or replaces a file that only the account may read.
func (a Account) Write(path, content string) error {
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		return err
	}
	return a.Own(path)
}

// Prepare returns the absolute path of the data directory, which then is empty and the account's.
func (a Account) Prepare(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("resolving the data directory: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("making the data directory: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("reading the data directory: %w", err)
	}
	// Close removes the directory, and must not remove what isn't the service's.
	if len(entries) > 0 {
		return "", fmt.Errorf("the data directory %s isn't empty", dir)
	}
	if err := errors.Join(os.Chmod(dir, 0o700), a.Own(dir)); err != nil {
		return "", fmt.Errorf("handing over the data directory: %w", err)
	}
	if err := a.open(dir); err != nil {
		return "", errors.Join(err, os.Remove(dir))
	}
	return dir, nil
}

// open lets the account reach a folder. Folders for temporary files that this
// process made are private to root, and a server would fail in a folder below
// one: they get the permission to pass, not to list. Others stay as they are,
// and the error names the one that is closed.
func (a Account) open(folder string) error {
	if a.credential == nil {
		return nil
	}
	folder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return fmt.Errorf("resolving the data directory: %w", err)
	}
	temp, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		return fmt.Errorf("resolving the directory of temporary files: %w", err)
	}
	for dir := filepath.Dir(folder); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			return fmt.Errorf("checking the path of the data directory: %w", err)
		}
		if !a.passes(info) {
			if !strings.HasPrefix(dir, temp+string(filepath.Separator)) {
				return fmt.Errorf("user %s can't pass %s: choose another data directory or allow it with chmod o+x", a.Name, dir)
			}
			if err := os.Chmod(dir, info.Mode().Perm()|0o001); err != nil {
				return fmt.Errorf("opening the path of the data directory: %w", err)
			}
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

func (a Account) passes(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return true
	}
	switch mode := info.Mode().Perm(); {
	case stat.Uid == a.credential.Uid:
		return mode&0o100 != 0
	case stat.Gid == a.credential.Gid:
		return mode&0o010 != 0
	default:
		return mode&0o001 != 0
	}
}

// Certify writes a certificate of the project's CA for the server, and its key.
func (a Account) Certify(spec engine.Spec, certFile, keyFile string) error {
	cert, key, err := spec.CA.Issue(spec.Service+"."+spec.Project, process.Loopback, process.PrivateLink, "localhost")
	if err != nil {
		return fmt.Errorf("issuing the server's certificate: %w", err)
	}
	if err := errors.Join(a.Write(certFile, cert), a.Write(keyFile, key)); err != nil {
		return fmt.Errorf("writing the server's certificate: %w", err)
	}
	return nil
}
