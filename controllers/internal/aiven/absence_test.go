package aiven_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// services are so many services, as a list in JSON has them.
func services(count int) string {
	list := make([]string, count)
	for n := range list {
		list[n] = fmt.Sprintf(`{"service_name": "x%d", "service_type": "pg"}`, n)
	}
	return strings.Join(list, ", ")
}

// listCalls answers lists of services. What is so when a call is made is answered when it is released.
type listCalls struct {
	release chan struct{}
	unknown atomic.Bool // the project

	mu     sync.Mutex
	calls  []string
	urgent []bool // whether each had priority
}

func newListCalls() *listCalls { return &listCalls{release: make(chan struct{})} }

func (l *listCalls) made() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.calls)
}

func (l *listCalls) RoundTrip(r *http.Request) (*http.Response, error) {
	l.mu.Lock()
	l.calls, l.urgent = append(l.calls, r.URL.Path+"?"+r.URL.RawQuery), append(l.urgent, aiven.HasPriority(r.Context()))
	l.mu.Unlock()
	unknown := l.unknown.Load()
	<-l.release
	return inMemory(func(w http.ResponseWriter, _ *http.Request) {
		if unknown {
			replyError(w, http.StatusNotFound, "Project does not exist")
			return
		}
		reply(w, http.StatusOK, map[string]any{"services": []any{}})
	}).RoundTrip(r)
}

func TestAServiceIsAbsentIfItsProjectSaysSo(t *testing.T) {
	for name, tc := range map[string]struct {
		status int
		body   string
		absent bool
		want   string // of the error
	}{
		"the project has others":     {200, `{"services": [{"service_name": "x", "service_type": "pg"}]}`, true, ""},
		"the project has none":       {200, `{"services": []}`, true, ""},
		"the project has it":         {200, `{"services": [{"service_name": "s", "service_type": "pg"}]}`, false, ""},
		"the project is unknown":     {404, strings.ReplaceAll(envelope, "Service p/s", "Project"), false, "the project is unknown"},
		"a 404 of a route":           {404, "Not Found", false, "a 404 that isn't Aiven's"},
		"a 200 without a list":       {200, `{}`, false, "it holds no list"},
		"an odd item":                {200, `{"services": [{}]}`, false, "it holds no service"},
		"half a page":                {200, `{"services": [{"service_name": "x", "service_type": "pg"}`, false, "unexpected end of JSON"},
		"a token that may not ask":   {403, `{"message": "no", "errors": [{}]}`, false, "no"},
		"as many as a page may have": {200, `{"services": [` + services(999) + `]}`, false, "may be cut off"},
		"it is one of a full page":   {200, `{"services": [` + services(998) + `, {"service_name": "s", "service_type": "pg"}]}`, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			absent, err := clientFor(t, answer(tc.status, tc.body)).ServiceAbsent(t.Context(), "p", "s")
			assert.Equal(t, tc.absent, absent)
			assert.False(t, fault.Is(err, fault.NotFound))
			if tc.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.want)
		})
	}
}

func TestAProjectIsKnownIfItListsItsServices(t *testing.T) {
	for name, tc := range map[string]struct {
		status int
		body   string
		want   string // of the error
	}{
		"it has services":            {200, `{"services": [` + services(1) + `]}`, ""},
		"it has none":                {200, `{"services": []}`, ""},
		"it has as many as a page":   {200, `{"services": [` + services(999) + `]}`, ""},
		"Aiven doesn't know it":      {404, envelope, "the project is unknown"},
		"a token that may not ask":   {403, `{"message": "no", "errors": [{}]}`, "no"},
		"a 200 without a list":       {200, `{}`, "it holds no list"},
		"a service without its name": {200, `{"services": [{}]}`, "it holds no service"},
	} {
		t.Run(name, func(t *testing.T) {
			err := clientFor(t, answer(tc.status, tc.body)).CheckProject(t.Context(), "p")
			if tc.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.want)
		})
	}
}

func TestThoseWhoAskForAbsenceMeanwhileShareOneCallThatBeginsLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := newListCalls()
		a := clientFor(t, aiven.Options{Transport: calls})
		var all sync.WaitGroup
		for n := range 20 {
			all.Go(func() {
				absent, err := a.ServiceAbsent(t.Context(), "p", fmt.Sprint("s", n))
				assert.NoError(t, err)
				assert.True(t, absent)
			})
			all.Go(func() { assert.NoError(t, a.CheckProject(t.Context(), "p")) })
		}
		synctest.Wait()
		assert.Len(t, calls.made(), 1, "the others wait for its end")
		close(calls.release)
		all.Wait()
		assert.Equal(t, slices.Repeat([]string{"/v1/project/p/service?limit=999"}, 2), calls.made())
		require.NoError(t, a.CheckProject(t.Context(), "p"))
		require.NoError(t, a.CheckProject(t.Context(), "q"))
		assert.Len(t, calls.made(), 4, "an answer isn't kept, and each project has its own")
	})
}

func TestAListThatBeganBeforeTheQuestionProvesNoAbsence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := newListCalls()
		a := clientFor(t, aiven.Options{Transport: calls})
		first, second := make(chan error, 1), make(chan error, 1)
		go func() { _, err := a.ServiceAbsent(t.Context(), "p", "s"); first <- err }()
		synctest.Wait()
		calls.unknown.Store(true) // the project is renamed while the first list is under way
		go func() { _, err := a.ServiceAbsent(t.Context(), "p", "s"); second <- err }()
		synctest.Wait()
		close(calls.release)
		require.NoError(t, <-first)
		require.ErrorIs(t, <-second, aiven.ErrUnknownProject)
	})
}

func TestAListThatIsUrgentForOneOfThoseWhoWaitForItOvertakesPolls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := newListCalls()
		a := clientFor(t, aiven.Options{Transport: calls})
		var all sync.WaitGroup
		for _, ctx := range []context.Context{t.Context(), t.Context(), aiven.WithPriority(t.Context()), t.Context()} {
			all.Go(func() { assert.NoError(t, a.CheckProject(ctx, "p")) })
			synctest.Wait()
		}
		close(calls.release)
		all.Wait()
		assert.Equal(t, []bool{false, true}, calls.urgent)
	})
}

func TestACallerThatGivesUpLeavesTheOthersTheirList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := newListCalls()
		a := clientFor(t, aiven.Options{Transport: calls})
		ctx, cancel := context.WithCancel(t.Context())
		asked := make(chan error, 3)
		for range 2 { // the first begins a list, the second waits for its end to begin another one
			go func() { asked <- a.CheckProject(ctx, "p") }()
			synctest.Wait()
		}
		go func() { asked <- a.CheckProject(t.Context(), "p") }()
		synctest.Wait()
		cancel()
		require.ErrorIs(t, <-asked, context.Canceled)
		require.ErrorIs(t, <-asked, context.Canceled)
		close(calls.release)
		require.NoError(t, <-asked)
		assert.Len(t, calls.made(), 2)
	})
}

func TestAServiceThatAFullPageLeavesOutIsReadAlone(t *testing.T) {
	for name, listed := range map[string]int{"one less": 998, "a full page": 999} {
		t.Run(name, func(t *testing.T) {
			c := newCloud(aService("s", "RUNNING", "a"))
			inBubble(t, c, func(v *view) {
				v.users()
				c.drop("s")
				for n := range listed {
					c.put(aService(fmt.Sprint("x", n), "RUNNING"))
				}
				v.made()
				v.watch(2 * watchInterval)
				assert.Equal(t, listed == 999, slices.Contains(v.made(), "service/s"))
			})
		})
	}
}

func TestFromAFullPageOfAListNoAbsenceIsConcluded(t *testing.T) {
	page := make([]string, 999)
	for n := range page {
		page[n] = fmt.Sprint("user-", n)
	}
	for name, tc := range map[string]struct {
		names []string
		items []string
		ok    bool
	}{
		"an item that is in it":           {page, []string{"user-7"}, true},
		"an item that isn't in it":        {page, []string{"b"}, false},
		"one of several isn't in it":      {page, []string{"user-7", "b"}, false},
		"all items":                       {page, nil, false},
		"an item of a list that is short": {page[1:], []string{"b"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, newCloud(), func(v *view) {
				users := &inventory{names: tc.names}
				for range 2 {
					_, err := aiven.List(v.t.Context(), v.Client, chUsers, users.source(), tc.items...)
					if tc.ok {
						require.NoError(t, err)
						continue
					}
					require.ErrorContains(t, err, "may be cut off")
					assert.False(t, fault.Is(err, fault.NotFound))
				}
				assert.Equal(t, 1, users.calls, "who finds an item reads on")
			})
		})
	}
}

func TestItemsThatShareAKeyCountEachForTheLengthOfAList(t *testing.T) {
	inBubble(t, newCloud(), func(v *view) {
		_, err := aiven.List(v.t.Context(), v.Client, chUsers, aiven.ListSource[[]string]{
			Read:  func(context.Context) ([]string, error) { return make([]string, 999), nil },
			Items: aiven.IndexBy(func(string) string { return "same" }),
		}, "b")
		require.ErrorContains(t, err, "may be cut off")
	})
}
