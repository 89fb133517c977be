package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// checksums is the name of the file that sha256sum --check reads.
const checksums = "checksums.txt"

// finish writes the checksums of all files, in the order of their names, and gives each file the time of the commit: helm push puts
// that of an archive into its manifest.
func (o options) finish() error {
	entries, err := os.ReadDir(o.out)
	if err != nil {
		return fmt.Errorf("listing the files: %w", err)
	}
	var lines strings.Builder
	for _, one := range entries {
		content, err := os.ReadFile(filepath.Join(o.out, one.Name()))
		if err != nil {
			return fmt.Errorf("reading %s: %w", one.Name(), err)
		}
		_, _ = fmt.Fprintf(&lines, "%x  %s\n", sha256.Sum256(content), one.Name()) // never fails
	}
	if err := os.WriteFile(filepath.Join(o.out, checksums), []byte(lines.String()), 0o644); err != nil {
		return fmt.Errorf("writing the checksums: %w", err)
	}
	if entries, err = os.ReadDir(o.out); err != nil {
		return fmt.Errorf("listing the files: %w", err)
	}
	for _, one := range entries {
		if err := os.Chtimes(filepath.Join(o.out, one.Name()), o.created, o.created); err != nil {
			return fmt.Errorf("setting the time of %s: %w", one.Name(), err)
		}
	}
	return nil
}

// report lists the files with their sizes.
func report(out io.Writer, folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("listing the files: %w", err)
	}
	total := int64(0)
	for _, one := range entries {
		info, err := one.Info()
		if err != nil {
			return fmt.Errorf("reading the size of %s: %w", one.Name(), err)
		}
		total += info.Size()
		if _, err := fmt.Fprintf(out, "%9.1f KiB  %s\n", float64(info.Size())/(1<<10), one.Name()); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(out, "%9.1f MiB  in %s\n", float64(total)/(1<<20), folder)
	return err
}
