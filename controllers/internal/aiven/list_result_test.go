package aiven_test

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
)

// takesNames is a source that takes names as results.
func (i *inventory) takesNames() aiven.ListSource[[]string] {
	source := i.source()
	source.With = func(list []string, written map[string]any) ([]string, bool) {
		after := slices.Clone(list)
		for key, item := range written {
			after = slices.DeleteFunc(after, func(name string) bool { return name == key })
			switch name, isName := item.(string); {
			case isName:
				after = append(after, name)
			case item != nil:
				return nil, false
			}
		}
		return after, true
	}
	return source
}

func TestAnItemThatAWriteReturnedIsNotReadAgain(t *testing.T) {
	inBubble(t, newCloud(), func(v *view) {
		users := &inventory{names: []string{"a", "c"}}
		list := func(items ...string) []string {
			names, err := aiven.List(v.t.Context(), v.Client, chUsers, users.takesNames(), items...)
			require.NoError(v.t, err)
			return names
		}
		first := list()
		v.RecordListResult(chUsers, "b", "b")
		v.RecordListChange(chUsers, "b", v.BeginWrite(), "b")
		v.RecordListResult(chUsers, "c", nil)
		assert.Len(t, v.heard(), 3, "objects that wait for them are enqueued")
		assert.Equal(t, []string{"a", "b"}, list("b", "c"))
		assert.Equal(t, []string{"a", "c"}, first, "what readers have isn't changed")
		assert.Equal(t, 1, users.calls)

		v.InvalidateList(chUsers)
		assert.ElementsMatch(t, []string{"a", "b"}, list(), "Aiven is slow to show it")
		assert.Equal(t, 2, users.calls)
		assert.Empty(t, v.heard(), "nothing has changed")

		pause(lag)
		assert.Equal(t, []string{"a", "c"}, list("b"), "what was read within the lag is trusted no longer")
		assert.Equal(t, 3, users.calls)
		changes := v.heard()
		require.Len(t, changes, 1)
		assert.ElementsMatch(t, []string{"b", "c"}, changes[0].Items)
		assert.False(t, changes[0].Known, "the object of what isn't there has to act")
	})
}

func TestAResultThatAListCannotTakeIsRead(t *testing.T) {
	for name, tc := range map[string]struct {
		unread bool // the list was never read
		write  func(*view)
	}{
		"of another type": {write: func(v *view) { v.RecordListResult(chUsers, "b", 7) }},
		"a later write, whose result isn't known": {write: func(v *view) {
			v.RecordListResult(chUsers, "b", "b")
			v.RecordListWrite(chUsers, "b", false)
		}},
		"of a change to what isn't read yet": {write: func(v *view) {
			v.RecordListWrite(chUsers, "b", true)
			v.RecordListChange(chUsers, "b", v.BeginWrite(), "b")
		}},
		"that something else may have undone": {write: func(v *view) {
			v.RecordListResult(chUsers, "b", "b")
			v.ForgetListResults(chUsers)
		}},
		"of a list that isn't known": {unread: true, write: func(v *view) { v.RecordListResult(chUsers, "b", "b") }},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, newCloud(), func(v *view) {
				users, before := &inventory{names: []string{"a"}}, 0
				read := func() {
					names, err := aiven.List(v.t.Context(), v.Client, chUsers, users.takesNames(), "b")
					require.NoError(v.t, err)
					assert.Equal(v.t, []string{"a"}, names)
				}
				if !tc.unread {
					read()
					before = 1
				}
				tc.write(v)
				read()
				assert.Equal(t, before+1, users.calls)
			})
		})
	}
}

// valueLists is a list whose items are lists of values.
type valueLists struct {
	app   []string
	hold  chan struct{} // keeps back the answers, if it isn't nil
	calls int
}

// takesChanges is a source that takes nil and what adds a value to an item.
func (l *valueLists) takesChanges() aiven.ListSource[map[string][]string] {
	return aiven.ListSource[map[string][]string]{
		Read: func(context.Context) (map[string][]string, error) {
			l.calls++
			found := map[string][]string{"app": slices.Clone(l.app)}
			if l.hold != nil {
				<-l.hold
			}
			return found, nil
		},
		Items: func(list map[string][]string) map[string]any {
			items := map[string]any{}
			for name, values := range list {
				items[name] = values
			}
			return items
		},
		With: func(list map[string][]string, written map[string]any) (map[string][]string, bool) {
			after := maps.Clone(list)
			for name, item := range written {
				switch value, added := item.(string); {
				case !added:
					delete(after, name)
				case !slices.Contains(list[name], value):
					after[name] = append(slices.Clone(list[name]), value)
				}
			}
			return after, true
		},
	}
}

func TestChangesOfAnItemOutliveAReadThatShowsNoneOfThem(t *testing.T) {
	for name, tc := range map[string]struct {
		write func(*view)
		want  []string
	}{
		"two changes": {want: []string{"old", "b", "c"}, write: func(v *view) {
			v.RecordListChange(chUsers, "app", v.BeginWrite(), "b")
			v.RecordListChange(chUsers, "app", v.BeginWrite(), "c")
		}},
		"changes of a new item": {want: []string{"b", "c"}, write: func(v *view) {
			v.RecordListResult(chUsers, "app", nil)
			v.RecordListChange(chUsers, "app", v.BeginWrite(), "b")
			v.RecordListChange(chUsers, "app", v.BeginWrite(), "c")
		}},
		"changes before an item was made again": {want: []string{"c"}, write: func(v *view) {
			v.RecordListChange(chUsers, "app", v.BeginWrite(), "b")
			v.RecordListResult(chUsers, "app", nil)
			v.RecordListChange(chUsers, "app", v.BeginWrite(), "c")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, newCloud(), func(v *view) {
				lists := &valueLists{app: []string{"old"}}
				list := func(items ...string) []string {
					found, err := aiven.List(v.t.Context(), v.Client, chUsers, lists.takesChanges(), items...)
					require.NoError(v.t, err)
					return found["app"]
				}
				require.Equal(t, []string{"old"}, list("app"))

				lists.hold = make(chan struct{})
				v.RecordListWrite(chUsers, "other", true) // makes the list be read again
				var early sync.WaitGroup
				early.Go(func() { list("other") })
				synctest.Wait()
				tc.write(v)
				assert.Equal(t, tc.want, list("app"))
				close(lists.hold)
				early.Wait()
				assert.Equal(t, tc.want, list("app"), "the answer began before all of them")
				require.Equal(t, 2, lists.calls)
				v.InvalidateList(chUsers)
				assert.Equal(t, tc.want, list("app"), "Aiven is slow to show them")

				pause(lag)
				assert.Equal(t, []string{"old"}, list("app"), "what was read within the lag is trusted no longer")
			})
		})
	}
}

func TestAChangeAfterAWriteWithoutAResultIsReadAgainAfterTheLag(t *testing.T) {
	inBubble(t, newCloud(), func(v *view) {
		lists := &valueLists{}
		list := func() []string {
			found, err := aiven.List(v.t.Context(), v.Client, chUsers, lists.takesChanges(), "app")
			require.NoError(v.t, err)
			return found["app"]
		}
		require.Empty(t, list())
		v.RecordListWrite(chUsers, "app", true) // of b
		require.Empty(t, list(), "Aiven is slow to show it")
		v.RecordListChange(chUsers, "app", v.BeginWrite(), "c")
		assert.Equal(t, []string{"c"}, list())

		lists.app = []string{"b", "c"}
		pause(lag)
		assert.Equal(t, []string{"b", "c"}, list())
		assert.Equal(t, 3, lists.calls)
	})
}

// A write that ends after the change was made, and before its answer comes, may have undone it.
func TestAChangeThatIsAnsweredAfterAnotherWriteIsReadAgain(t *testing.T) {
	for name, tc := range map[string]struct {
		between func(v *view, list func())
		reads   int // after the change
	}{
		"nothing in between":                  {between: func(*view, func()) {}},
		"a write to another item":             {between: func(v *view, _ func()) { v.RecordListWrite(chUsers, "other", true) }},
		"a write":                             {between: func(v *view, list func()) { v.RecordListWrite(chUsers, "app", true); list() }, reads: 1},
		"another change":                      {between: func(v *view, _ func()) { v.RecordListChange(chUsers, "app", v.BeginWrite(), nil) }, reads: 1},
		"a write that is certainly read":      {between: func(v *view, list func()) { v.RecordListWrite(chUsers, "app", true); pause(lag); list() }, reads: 1},
		"something that may have undone it":   {between: func(v *view, list func()) { v.ForgetListResults(chUsers); list() }, reads: 1},
		"something else, before the list was": {between: func(v *view, _ func()) { v.ForgetListResults(chUsers) }, reads: 1},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, newCloud(), func(v *view) {
				lists := &valueLists{app: []string{"old"}}
				list := func(items ...string) []string {
					found, err := aiven.List(v.t.Context(), v.Client, chUsers, lists.takesChanges(), items...)
					require.NoError(v.t, err)
					return found["app"]
				}
				list()
				start := v.BeginWrite()
				tc.between(v, func() { list("app") })
				v.RecordListChange(chUsers, "app", start, "b")
				before := lists.calls
				found := list("app")
				assert.Equal(t, tc.reads, lists.calls-before)
				assert.Equal(t, tc.reads == 0, slices.Contains(found, "b"))
			})
		})
	}
}

func TestAChangeThatIsAnsweredAfterAReadIsTrustedNoLongerThanTheLag(t *testing.T) {
	inBubble(t, newCloud(), func(v *view) {
		lists := &valueLists{}
		list := func(items ...string) []string {
			found, err := aiven.List(v.t.Context(), v.Client, chUsers, lists.takesChanges(), items...)
			require.NoError(v.t, err)
			return found["app"]
		}
		list()
		start := v.BeginWrite()
		v.RecordListWrite(chUsers, "other", true)
		require.Empty(t, list("other"))
		v.RecordListChange(chUsers, "app", start, "b") // which another client has undone
		assert.Equal(t, []string{"b"}, list("app"))
		pause(lag)
		assert.Empty(t, list("app"))
	})
}
