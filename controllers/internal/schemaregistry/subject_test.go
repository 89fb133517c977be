package schemaregistry

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

const (
	subjects = "GET service/my-kafka/kafka/schema/subjects"
	versions = subjects + "/orders/versions"
	remove   = "DELETE service/my-kafka/kafka/schema/subjects/orders"
	level    = "GET service/my-kafka/kafka/schema/config/orders"
)

var missing = aiventest.Refused(404, "Subject 'orders' not found.")

func orders(client *aiven.Client) Subject {
	return Subject{Client: client, Project: aiventest.Project, Service: "my-kafka", Name: "orders"}
}

func listed(names ...string) aiventest.Answer {
	return aiventest.OK(aiventest.Object{"subjects": append([]string{}, names...)})
}

func numbers(all ...int) aiventest.Answer { return aiventest.OK(aiventest.Object{"versions": all}) }

// shown is a version with a schema of which the id is the tenfold of its number.
func shown(number int) aiventest.Answer {
	return aiventest.OK(aiventest.Object{"version": aiventest.Object{"id": number * 10, "version": number, "subject": "orders", "schema": "{}"}})
}

func TestFindReadsNoMoreThanItNeeds(t *testing.T) {
	for name, tc := range map[string]struct {
		list        []aiventest.Answer
		numbers     aiventest.Answer
		gone        []int // versions that are deleted
		known, fits int
		fit, other  int
		calls       []string
		class       fault.Class
	}{
		"the known version":                 {known: 2, fits: 2, fit: 2, calls: []string{subjects, versions + "/2"}},
		"an older version":                  {known: 2, fits: 1, fit: 1, other: 2, calls: []string{subjects, versions + "/2", versions, versions + "/3", versions + "/1"}},
		"a newer version":                   {known: 2, fits: 3, fit: 3, other: 2, calls: []string{subjects, versions + "/2", versions, versions + "/3"}},
		"without a status, the latest":      {fits: 3, fit: 3, calls: []string{subjects, versions, versions + "/3"}},
		"none":                              {known: 1, other: 1, calls: []string{subjects, versions + "/1", versions, versions + "/3", versions + "/2"}},
		"none, and the known one is gone":   {known: 2, gone: []int{2}, other: 3, calls: []string{subjects, versions + "/2", versions, versions + "/3", versions + "/1"}},
		"none, and all of them are gone":    {gone: []int{1, 2, 3}, calls: []string{subjects, versions, versions + "/3", versions + "/2", versions + "/1"}},
		"no such subject":                   {list: []aiventest.Answer{listed("other")}, calls: []string{subjects}},
		"a subject that has gone meanwhile": {list: []aiventest.Answer{listed("orders"), listed()}, numbers: missing, calls: []string{subjects, versions, subjects}},
		"a subject that is only listed":     {list: []aiventest.Answer{listed("orders")}, numbers: missing, calls: []string{subjects, versions, subjects, versions}, class: fault.NotFound},
		"a list that fails":                 {list: []aiventest.Answer{aiventest.Refused(503, "later")}, calls: []string{subjects}, class: fault.Server},
		"a list that is denied":             {list: []aiventest.Answer{aiventest.Refused(403, "no")}, calls: []string{subjects}, class: fault.Forbidden},
		"a list that isn't there":           {list: []aiventest.Answer{missing}, calls: []string{subjects}, class: fault.Unknown},
		"no list of versions":               {numbers: aiventest.OK(nil), calls: []string{subjects, versions}, class: fault.Unknown},
		"nothing of a version":              {list: []aiventest.Answer{listed("orders")}, known: 9, calls: []string{subjects, versions + "/9"}, class: fault.Unknown},
		"nothing of the latest":             {numbers: numbers(9), calls: []string{subjects, versions, versions + "/9"}, class: fault.Unknown},
		"versions that fail":                {numbers: aiventest.Refused(503, "later"), calls: []string{subjects, versions}, class: fault.Server},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			if tc.list == nil {
				tc.list = []aiventest.Answer{listed("orders")}
			}
			if tc.numbers == (aiventest.Answer{}) {
				tc.numbers = numbers(1, 2, 3)
			}
			a.On(subjects, tc.list...)
			a.On(versions, tc.numbers)
			a.On(versions+"/9", aiventest.OK(nil))
			for number := 1; number <= 3; number++ {
				answer := shown(number)
				if slices.Contains(tc.gone, number) {
					answer = aiventest.Refused(404, "Version not found.")
				}
				a.On(versions+"/"+string(rune('0'+number)), answer)
			}
			fit, other, err := orders(a.Client()).Find(t.Context(), tc.known, nil, func(v *Version) bool { return v.Version == tc.fits })
			assert.Equal(t, tc.calls, a.Calls())
			if tc.class != "" {
				assert.Equal(t, tc.class, fault.Of(err).Class)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.fit, numberOf(fit))
			if tc.fit == 0 {
				assert.Equal(t, tc.other, numberOf(other))
			}
		})
	}
}

// The answer to a registration puts the subject into the list, where the registry may not show it yet. A producer may also have
// deleted it since: the lists after the lag show that.
func TestASubjectThatWasRegisteredWithinTheLagAndIsNotShownIsPending(t *testing.T) {
	const lag = 2 * time.Second
	for name, tc := range map[string]struct {
		known   int
		after   time.Duration // after the registration
		listed  []string
		answer  aiventest.Answer
		pending bool
		class   fault.Class
	}{
		"within the lag":                            {known: 1, answer: missing, pending: true, class: fault.None},
		"within the lag, of an unknown version":     {answer: missing, pending: true, class: fault.None},
		"after the lag":                             {known: 1, after: lag, answer: missing, class: fault.None},
		"after the lag, as it is listed only":       {known: 1, after: lag, listed: []string{"orders"}, answer: missing, class: fault.NotFound},
		"another error within the lag is an error":  {known: 1, answer: aiventest.Refused(503, "later"), pending: true, class: fault.Server},
		"a refusal within the lag is an error, too": {known: 1, answer: aiventest.Refused(403, "no"), pending: true, class: fault.Forbidden},
	} {
		t.Run(name, func(t *testing.T) {
			a, now := aiventest.New(t), time.Now()
			a.On(subjects, listed(), listed(tc.listed...))
			a.On(versions, tc.answer)
			a.On(versions+"/1", missing)
			clients := aiven.New(aiven.Options{Transport: a, WatchInterval: time.Minute, ReadLag: lag, Now: func() time.Time { return now }})
			client, err := clients.ForToken("a-token")
			require.NoError(t, err)
			fits := func(*Version) bool { return true }
			_, _, err = orders(client).Find(t.Context(), 0, nil, fits)
			require.NoError(t, err)
			item := Item(aiventest.Project, "my-kafka", "orders")
			client.RecordListResult(item.List, item.Key, &Version{Version: 1})
			now = now.Add(tc.after)
			fit, other, err := orders(client).Find(t.Context(), tc.known, nil, fits)
			assert.Nil(t, fit)
			assert.Nil(t, other)
			assert.Equal(t, tc.class, fault.Of(err).Class, "%v", err)
			assert.Equal(t, tc.pending, client.BeginReads().ListWritePending(item.List, item.Key))
		})
	}
}

func numberOf(v *Version) int {
	if v == nil {
		return 0
	}
	return v.Version
}

func TestAVersionThatCannotBeReadIsNoAbsence(t *testing.T) {
	a := aiventest.New(t)
	a.On(subjects, listed("orders"))
	a.On(versions, numbers(1))
	a.On(versions+"/1", aiventest.Refused(503, "later"))
	for _, known := range []int{0, 1} {
		_, _, err := orders(a.Client()).Find(t.Context(), known, nil, func(*Version) bool { return true })
		assert.Equal(t, fault.Server, fault.Of(err).Class)
	}
}

func TestTheVersionOfAnIDIsFound(t *testing.T) {
	for name, tc := range map[string]struct {
		numbers aiventest.Answer
		latest  int // that is known
		id      int
		want    int
		calls   []string
	}{
		"the first of a new subject":         {id: 10, want: 1, calls: []string{versions + "/1"}},
		"the one after the latest known one": {latest: 1, id: 20, want: 2, calls: []string{versions + "/2"}},
		"one after others that were deleted": {numbers: numbers(1, 2), id: 20, want: 2, calls: []string{versions + "/1", versions, versions + "/2"}},
		"an older one, which stays old":      {numbers: numbers(1, 2), latest: 2, id: 10, want: 1, calls: []string{versions + "/3", versions, versions + "/2", versions + "/1"}},
		"one that isn't shown yet":           {numbers: numbers(1, 2), latest: 2, id: 30, calls: []string{versions + "/3", versions, versions + "/2", versions + "/1"}},
		"a subject that isn't shown":         {numbers: missing, latest: 2, id: 10, calls: []string{versions + "/3", versions}},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(versions, tc.numbers)
			a.On(versions+"/1", shown(1))
			a.On(versions+"/2", shown(2))
			a.On(versions+"/3", missing)
			var latest *Version
			if tc.latest > 0 {
				latest = &Version{Version: tc.latest}
			}
			assert.Equal(t, tc.want, numberOf(orders(a.Client()).Registered(t.Context(), tc.id, latest)))
			assert.Equal(t, tc.calls, a.Calls())
		})
	}
}

// steps answers the two steps of a deletion, and records which of them is permanent.
type steps struct {
	http.RoundTripper
	permanent []bool
}

// RoundTrip implements http.RoundTripper.
func (s *steps) RoundTrip(r *http.Request) (*http.Response, error) {
	s.permanent = append(s.permanent, r.URL.Query().Get("permanent") == "true")
	return s.RoundTripper.RoundTrip(r)
}

func TestASubjectIsDeletedInTwoSteps(t *testing.T) {
	ok, unconfirmed, soft := aiventest.OK(nil), aiventest.OK(aiventest.Object{}), aiventest.Refused(404, "was soft deleted")
	referenced := aiventest.Refused(422, "One or more references exist to the schema (42206)")
	for name, tc := range map[string]struct {
		soft, hard aiventest.Answer
		done       bool
		class      fault.Class
		permanent  []bool
	}{
		"both":                                  {ok, ok, true, fault.None, []bool{false, true}},
		"after the first one was done before":   {soft, ok, true, fault.None, []bool{false, true}},
		"a subject that isn't there":            {missing, missing, false, fault.NotFound, []bool{false, true}},
		"a registry that lags behind the first": {ok, aiventest.Refused(404, "was not deleted first"), false, fault.None, []bool{false, true}},
		"a second step that isn't confirmed":    {ok, unconfirmed, false, fault.None, []bool{false, true}},
		"the second step alone, not confirmed":  {soft, unconfirmed, false, fault.None, []bool{false, true}},
		"a first step that isn't confirmed":     {unconfirmed, ok, true, fault.None, []bool{false, true}},
		"a first step that was none":            {unconfirmed, aiventest.Refused(404, "was not deleted first"), false, fault.None, []bool{false, true}},
		"nodes of which one lags behind":        {soft, aiventest.Refused(404, "was not deleted first"), false, fault.None, []bool{false, true}},
		"a latest version that is referred to":  {referenced, ok, false, fault.Conflict, []bool{false}},
		"an older version that is referred to":  {ok, referenced, false, fault.Conflict, []bool{false, true}},
		"a first step that fails":               {aiventest.Refused(500, "oops"), ok, false, fault.NotReady, []bool{false}},
		"a second step that is denied":          {ok, aiventest.Refused(403, "no"), false, fault.Forbidden, []bool{false, true}},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(remove, tc.soft, tc.hard)
			s := &steps{RoundTripper: a}
			client, err := aiven.New(aiven.Options{BaseURL: "http://aiven.test", Transport: s}).ForToken("a-token")
			require.NoError(t, err)
			done, err := orders(client).Delete(t.Context())
			assert.Equal(t, tc.done, done)
			assert.Equal(t, tc.class, fault.Of(err).Class)
			assert.Equal(t, tc.permanent, s.permanent)
		})
	}
}

func TestARejectionNamesTheFieldAndTheRemedy(t *testing.T) {
	for name, tc := range map[string]struct {
		status       int
		text         string
		class        fault.Class
		says, remedy string
	}{
		"an incompatible schema": {
			409, "Incompatible schema, compatibility_mode=BACKWARD. Incompatibilities: a quota of names is exceeded", fault.Rejected,
			"Aiven rejected spec.schema: Incompatible schema", "or change spec.compatibilityLevel",
		},
		"an invalid schema":    {422, "Invalid AVRO schema. Error: no name", fault.Rejected, "Aiven rejected spec.schema: Invalid AVRO schema", ""},
		"an invalid reference": {422, "Invalid reference 'x': there is no subject 'x'", fault.Rejected, "Aiven rejected spec.references: Invalid reference", ""},
		"no rejection":         {503, "later", fault.NotReady, "later", ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On("POST service/my-kafka/kafka/schema/subjects/orders/versions", aiventest.Refused(tc.status, tc.text))
			_, err := orders(a.Client()).Register(t.Context(), Schema{Text: "{}"})
			assert.Equal(t, tc.class, fault.Of(err).Class)
			message := (*fault.Secrets)(nil).Refusal(err, "Aiven rejected the change", "")
			assert.Contains(t, message, tc.says)
			assert.Contains(t, message, tc.remedy)
		})
	}
}
