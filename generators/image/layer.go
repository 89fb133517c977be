package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"path"
	"slices"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// newLayer makes a layer with one file, and the folders above it. Everything belongs to root, so that the manager can't
// change it, and is as old as Unix: what doesn't change from one release to the next is the same layer, and is pulled once.
func newLayer(name string, mode int64, content []byte) (v1.Layer, error) {
	var archive bytes.Buffer
	out := tar.NewWriter(&archive)
	for _, folder := range parents(name) {
		header := tar.Header{Typeflag: tar.TypeDir, Name: folder + "/", Mode: 0o755, ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}
		if err := out.WriteHeader(&header); err != nil {
			return nil, fmt.Errorf("writing the folder %s: %w", folder, err)
		}
	}
	header := tar.Header{
		Typeflag: tar.TypeReg, Name: name, Mode: mode, Size: int64(len(content)), ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR,
	}
	if err := out.WriteHeader(&header); err != nil {
		return nil, fmt.Errorf("writing %s: %w", name, err)
	}
	if _, err := out.Write(content); err != nil {
		return nil, fmt.Errorf("writing %s: %w", name, err)
	}
	if err := out.Close(); err != nil {
		return nil, fmt.Errorf("writing %s: %w", name, err)
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(archive.Bytes())), nil }
	layer, err := tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer),
		tarball.WithCompressionLevel(gzip.BestCompression), tarball.WithCompressedCaching)
	if err != nil {
		return nil, fmt.Errorf("compressing %s: %w", name, err)
	}
	return layer, nil
}

// parents lists the folders above a file, the outermost first.
func parents(name string) []string {
	var folders []string
	for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
		folders = append(folders, folder)
	}
	slices.Reverse(folders)
	return folders
}
