package postgres

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/aero-operator/aero/tests/process"
)

// templates keeps one fresh data folder per PostgreSQL version, since a copy
// takes a tenth of the time of initdb. They are archives in files without a
// name, which the kernel removes however this process ends.
type templates struct {
	// turn holds one token: the first cluster runs initdb, others wait for its template.
	turn  chan struct{}
	files map[string]*os.File
}

func newTemplates() *templates {
	t := &templates{turn: make(chan struct{}, 1), files: map[string]*os.File{}}
	t.turn <- struct{}{}
	return t
}

// fill makes a data folder for the PostgreSQL in bin.
func (t *templates) fill(ctx context.Context, run account, bin, data string) error {
	archive, err := t.obtain(ctx, run, bin, data)
	if err != nil || archive == nil {
		return err
	}
	info, err := archive.Stat()
	if err != nil {
		return fmt.Errorf("reading the template: %w", err)
	}
	// A section has an offset of its own, so that clusters can start at once.
	if err := unpack(ctx, run, io.NewSectionReader(archive, 0, info.Size()), data); err != nil {
		return fmt.Errorf("copying the template: %w", err)
	}
	return nil
}

// obtain returns the template, or nil after it has filled the data folder itself.
func (t *templates) obtain(ctx context.Context, run account, bin, data string) (*os.File, error) {
	select {
	case <-t.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { t.turn <- struct{}{} }()
	if archive, ok := t.files[bin]; ok {
		return archive, nil
	}
	if err := initdb(ctx, run, bin, data); err != nil {
		return nil, err
	}
	archive, err := pack(data)
	if err != nil {
		return nil, fmt.Errorf("keeping a template: %w", err)
	}
	t.files[bin] = archive
	return nil, nil
}

func initdb(ctx context.Context, run account, bin, data string) error {
	var output bytes.Buffer
	cmd := run.command(filepath.Dir(data), filepath.Join(bin, "initdb"),
		"--pgdata", data, "--username", superuser, "--encoding", "UTF8", "--locale", fallbackLocale,
		"--auth", "reject", "--no-sync", "--no-instructions", "--wal-segsize", "1")
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
		return fmt.Errorf("running initdb: %s: %s", child.State(), bytes.TrimSpace(output.Bytes()))
	}
	return nil
}

func pack(data string) (*os.File, error) {
	archive, err := os.CreateTemp("", "postgres-template-*")
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

func unpack(ctx context.Context, run account, archive io.Reader, data string) error {
	if err := run.mkdir(data); err != nil {
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

func extract(run account, content io.Reader, path string, info fs.FileInfo) error {
	if info.IsDir() {
		return run.mkdir(path)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close(), run.own(path))
}
