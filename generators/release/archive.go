package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// member is a file of an archive.
type member struct {
	name    string
	mode    int64
	content []byte
}

// tarball writes files that belong to root and are as old as the commit.
func tarball(out io.Writer, created time.Time, members []member) error {
	archive := tar.NewWriter(out)
	for _, m := range members {
		header := tar.Header{Typeflag: tar.TypeReg, Name: m.name, Mode: m.mode, Size: int64(len(m.content)), ModTime: created, Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(&header); err != nil {
			return fmt.Errorf("writing %s: %w", m.name, err)
		}
		if _, err := archive.Write(m.content); err != nil {
			return fmt.Errorf("writing %s: %w", m.name, err)
		}
	}
	return archive.Close()
}

// gzipped is a compressed tarball. Its header has neither a name nor a time.
func gzipped(created time.Time, members []member) ([]byte, error) {
	var out bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if err := tarball(compressed, created, members); err != nil {
		return nil, err
	}
	if err := compressed.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// zipped is what Windows unpacks by itself.
func zipped(created time.Time, members []member) ([]byte, error) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, m := range members {
		header := zip.FileHeader{Name: m.name, Method: zip.Deflate, Modified: created}
		header.SetMode(fs.FileMode(m.mode))
		file, err := archive.CreateHeader(&header)
		if err != nil {
			return nil, fmt.Errorf("writing %s: %w", m.name, err)
		}
		if _, err := file.Write(m.content); err != nil {
			return nil, fmt.Errorf("writing %s: %w", m.name, err)
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// writeLayout writes an OCI layout as one file. Its blobs are compressed already, and its index comes in the order of the names.
func writeLayout(path, folder string, created time.Time) error {
	var members []member
	err := filepath.WalkDir(folder, func(path string, found fs.DirEntry, err error) error {
		if err != nil || found.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		members = append(members, member{name: filepath.ToSlash(name), mode: 0o644, content: content})
		return err
	})
	if err != nil {
		return fmt.Errorf("reading the OCI layout: %w", err)
	}
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("creating the archive: %w", err)
	}
	if err := tarball(file, created, members); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}
