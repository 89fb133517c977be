package schemaregistry

import (
	"context"
	"sync"
	"time"

	avnschema "github.com/aiven/go-client-codegen/handler/kafkaschemaregistry"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// levelInterval is between two reads of a level: no list shows levels.
const levelInterval = time.Hour

// Levels remember which subjects had the level that an object wants. Only what was found or set for its present generation
// counts: what another object or an earlier spec has left may have changed since.
type Levels struct {
	memory  *sync.Map
	by      generation
	applied bool // the generation is
}

// generation is one of one object.
type generation struct {
	uid    types.UID
	number int64
}

// levelKey is where the level of a subject is in the memory of a kind.
type levelKey struct{ item aiven.Item }

// confirmedLevel is when a subject had a level.
type confirmedLevel struct {
	level string
	at    time.Time
	by    generation
	set   bool // by us, and not found
}

// LevelsIn are the Levels in the memory of a kind, as far as they count for an object.
func LevelsIn(memory *sync.Map, obj metav1.Object) Levels {
	return Levels{
		memory: memory, by: generation{obj.GetUID(), obj.GetGeneration()}, applied: annotation.IsProcessed(obj),
	}
}

// Level returns the level of the subject, empty if it has none of its own. One that was as wanted within the hour is read
// again only if a live read is asked for, and until the generation is applied: that needs a level of now, unless it was just set.
func (s Subject) Level(ctx context.Context, levels Levels, wanted string, live bool) (string, error) {
	item := Item(s.Project, s.Service, s.Name)
	if !live && levels.confirm(item, wanted) {
		return wanted, nil
	}
	level, err := s.Client.API().ServiceSchemaRegistrySubjectConfigGet(ctx, s.Project, s.Service, s.Name,
		avnschema.ServiceSchemaRegistrySubjectConfigGetGlobalDefaultFallback(false))
	if fault.Is(err, fault.NotFound) {
		level, err = "", nil
	}
	if err == nil {
		levels.record(item, wanted, confirmedLevel{level: string(level)})
	}
	return string(level), err
}

// confirm reports whether a subject is known to have a level.
func (l Levels) confirm(item aiven.Item, wanted string) bool {
	kept, _ := l.memory.Load(levelKey{item})
	known, _ := kept.(confirmedLevel)
	return known.level == wanted && known.by == l.by && (l.applied || known.set) && time.Since(known.at) < levelInterval
}

// record keeps what is known of a level after it was set or read.
func (l Levels) record(item aiven.Item, wanted string, known confirmedLevel) {
	if known.level != wanted {
		l.memory.Delete(levelKey{item})
		return
	}
	known.at, known.by = time.Now(), l.by
	l.memory.Store(levelKey{item}, known)
}

// Forget is called when a subject is deleted, with the memory of its kind.
func Forget(memory *sync.Map, subject aiven.Item) {
	memory.Delete(levelKey{subject})
	memory.Delete(missesKey{subject})
}
