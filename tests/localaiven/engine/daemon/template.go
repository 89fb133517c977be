package daemon

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/aero-operator/aero/tests/localaiven/process"
)

// Templates keep fresh data folders by key, since a copy takes a tenth of the
// time of making one. They are archives in files without a name, which the
// kernel removes however this process ends.
type Templates struct {
	// turn holds one token: the first server makes its data, others wait for its template.
	turn  chan struct{}
	files map[string]*os.File
}

// NewTemplates returns none yet.
func NewTemplates() *Templates {
	t := &Templates{turn: make(chan struct{}, 1), files: map[string]*os.File{}}
	t.turn <- struct{}{}
	return t
}

// Fill makes a data folder: a copy of the one that make made there for the first server of this key.
func (t *Templates) Fill(ctx context.Context, run Account, key, data string, make func(context.Context) error) error {
	archive, err := t.obtain(ctx, key, data, make)
	if err != nil || archive == nil {
		return err
	}
	info, err := archive.Stat()
	if err != nil {
		return fmt.Errorf("reading the template: %w", err)
	}
	// A section has an offset of its own, so that servers can start at once.
	if err := unpack(ctx, run, io.NewSectionReader(archive, 0, info.Size()), data); err != nil {
		return fmt.Errorf("copying the template: %w", err)
	}
	return nil
}

// obtain returns the template, or nil after it has filled the data folder itself.
func (t *Templates) obtain(ctx context.Context, key, data string, make func(context.Context) error) (*os.File, error) {
	select {
	case <-t.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { t.turn <- struct{}{} }()
	if archive, ok := t.files[key]; ok {
		return archive, nil
	}
	if err := make(ctx); err != nil {
		return nil, err
	}
	archive, err := pack(data)
	if err != nil {
		return nil, fmt.Errorf("keeping a template: %w", err)
	}
	t.files[key] = archive
	return nil, nil
}

// Finish runs a command to its end. Once ctx is done it kills it. The error has what it printed.
func Finish(ctx context.Context, cmd *exec.Cmd) error {
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	child, err := process.Start(cmd, syscall.SIGKILL)
	if err != nil {
		return err
	}
	select {
	case <-child.Done():
	case <-ctx.Done():
		child.Stop(ctx)
		return ctx.Err()
	}
	if !cmd.ProcessState.Success() {
		return fmt.Errorf("running %s: %s: %s", filepath.Base(cmd.Path), child.State(), bytes.TrimSpace(output.Bytes()))
	}
	return nil
}

func pack(data string) (*os.File, error) {
	archive, err := os.CreateTemp("", "engine-template-*")
	if err != nil {
		return nil, err
	}
	writer := tar.NewWriter(archive)
	err = errors.Join(os.Remove(archive.Name()), writer.AddFS(os.DirFS(data)), writer.Close())
	if err != nil {
		return nil, errors.Join(err, archive.Close())
	}
	return archive, nil
}

func unpack(ctx context.Context, run Account, archive io.Reader, data string) error {
	if err := run.Mkdir(data); err != nil {
		return err
	}
	reader := tar.NewReader(archive)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if err := extract(run, reader, filepath.Join(data, header.Name), header.FileInfo()); err != nil {
			return err
		}
	}
}

func extract(run Account, content io.Reader, path string, info fs.FileInfo) error {
	if info.IsDir() {
		return run.Mkdir(path)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close(), run.Own(path))
}
