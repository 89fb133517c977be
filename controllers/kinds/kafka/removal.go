package kafka

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

// isDefault reports whether Aiven has made an ACL with its service. It may be managed, and is never deleted.
func isDefault(id string) bool { return strings.HasPrefix(id, "default") }

// removeEach deletes ACLs by their ids. It is done with what is gone already.
func removeEach(ids []string, remove func(id string) error) error {
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		switch {
		case id == "":
			return errors.New("unclear answer: Aiven has returned an ACL without an id, so it can't be deleted")
		case isDefault(id):
			continue
		}
		if err := remove(id); err != nil && !fault.Is(err, fault.NotFound) {
			return fmt.Errorf("deleting ACL: %w", err)
		}
	}
	return nil
}
