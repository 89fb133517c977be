package postgres

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
)

// account is the user of the operating system that runs the processes.
type account struct {
	name string
	// credential is nil if it is the user who runs this process.
	credential *syscall.Credential
}

// hostAccount is the current user, unless that is root: PostgreSQL and PgBouncer refuse to run as root.
func hostAccount() (account, error) {
	current, err := user.Current()
	if err != nil {
		return account{}, fmt.Errorf("looking up the current user: %w", err)
	}
	if os.Geteuid() != 0 {
		return account{name: current.Username}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(found.Uid, 10, 32)
		if err != nil {
			return account{}, fmt.Errorf("reading the id of user %s: %w", name, err)
		}
		gid, err := strconv.ParseUint(found.Gid, 10, 32)
		if err != nil {
			return account{}, fmt.Errorf("reading the group of user %s: %w", name, err)
		}
		return account{name: name, credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
	}
	return account{}, errors.New("PostgreSQL doesn't run as root, and the machine has neither a user postgres nor nobody")
}

// command is a command that runs as the account in a folder it may enter.
func (a account) command(folder, path string, args ...string) *exec.Cmd {
	cmd := exec.Command(path, args...)
	cmd.Dir = folder
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: a.credential}
	// Messages must be English for the engine to read them, and PG* variables of
	// the caller must not reach the server.
	cmd.Env = []string{"LC_ALL=C", "PATH=" + os.Getenv("PATH"), "TZ=UTC"}
	return cmd
}

// own gives a file or folder to the account.
func (a account) own(path string) error {
	if a.credential == nil {
		return nil
	}
	return os.Lchown(path, int(a.credential.Uid), int(a.credential.Gid))
}

// mkdir makes a folder that only the account may enter. One that exists is an error.
func (a account) mkdir(path string) error {
	if err := os.Mkdir(path, 0o700); err != nil {
		return err
	}
	return a.own(path)
}

// write makes or replaces a file that only the account may read.
func (a account) write(path, content string) error {
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		return err
	}
	return a.own(path)
}

// open lets the account reach a folder. Folders for temporary files that this
// process made are private to root, and PostgreSQL would fail in a folder below
// one: they get the permission to pass, not to list. Others stay as they are,
// and the error names the one that is closed.
func (a account) open(folder string) error {
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
				return fmt.Errorf("user %s can't pass %s: choose another data directory or allow it with chmod o+x", a.name, dir)
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

func (a account) passes(info os.FileInfo) bool {
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
