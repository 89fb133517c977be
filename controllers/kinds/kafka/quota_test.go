package kafka

import (
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

const (
	quotaPath     = "service/my-kafka/quota"
	quotaList     = "GET " + quotaPath
	quotaDescribe = "GET " + quotaPath + "/describe"
	quotaSet      = "POST " + quotaPath
	quotaSetTo    = quotaSet + ` {"consumer_byte_rate":1048576,"request_percentage":12.5,"user":"app"}`
	quotaRemove   = "DELETE " + quotaPath
)

// kafkaQuota limits what the user app consumes, and asks for.
func kafkaQuota(edits ...func(*v1alpha1.KafkaQuotaSpec)) *v1alpha1.KafkaQuota {
	obj := &v1alpha1.KafkaQuota{ObjectMeta: metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: "app"}}
	obj.Spec.Project, obj.Spec.ServiceName, obj.Spec.User = aiventest.Project, "my-kafka", "app"
	obj.Spec.ConsumerByteRate, obj.Spec.RequestPercentage = ptr.To[int64](1<<20), ptr.To(12.5)
	for _, edit := range edits {
		edit(&obj.Spec)
	}
	return obj
}

func consuming(limit int64) func(*v1alpha1.KafkaQuotaSpec) {
	return func(spec *v1alpha1.KafkaQuotaSpec) { spec.ConsumerByteRate = &limit }
}

func ofClient(spec *v1alpha1.KafkaQuotaSpec)     { spec.ClientID = "billing" }
func ofClientOnly(spec *v1alpha1.KafkaQuotaSpec) { spec.User, spec.ClientID = "", "billing" }

// quotaAt is the quota at Aiven, with some fields changed: nil is null.
func quotaAt(changes aiventest.Object) aiventest.Object {
	fields := aiventest.Object{"user": "app", "client-id": nil, "consumer_byte_rate": 1048576.0, "request_percentage": 12.5, "producer_byte_rate": nil}
	maps.Copy(fields, changes)
	return fields
}

func quotasListed(quotas ...any) aiventest.Answer {
	return aiventest.OK(aiventest.Object{"quotas": append([]any{}, quotas...)})
}

func quotaDescribed(limits aiventest.Object) aiventest.Answer {
	return aiventest.OK(aiventest.Object{"quota": limits})
}

func TestQuotaObserve(t *testing.T) {
	zero := consuming(0)
	listed, described := []string{lookup, quotaList}, []string{lookup, quotaList, quotaDescribe}
	for name, tc := range map[string]struct {
		obj      *v1alpha1.KafkaQuota
		quotas   []any
		describe aiventest.Object
		exists   bool
		diff     controllers.Diff
		calls    []string
	}{
		"in sync":                  {kafkaQuota(), []any{quotaAt(nil)}, nil, true, nil, listed},
		"none":                     {kafkaQuota(), nil, nil, false, nil, listed},
		"of the user's client":     {kafkaQuota(), []any{quotaAt(aiventest.Object{"client-id": "billing"})}, nil, false, nil, listed},
		"of the user":              {kafkaQuota(ofClient), []any{quotaAt(nil)}, nil, false, nil, listed},
		"of the client":            {kafkaQuota(ofClient), []any{quotaAt(aiventest.Object{"user": "", "client-id": "billing"})}, nil, false, nil, listed},
		"of the client, in sync":   {kafkaQuota(ofClientOnly), []any{quotaAt(nil), quotaAt(aiventest.Object{"user": "", "client-id": "billing"})}, nil, true, nil, listed},
		"of both, in sync":         {kafkaQuota(ofClient), []any{quotaAt(aiventest.Object{"client-id": "billing"})}, nil, true, nil, listed},
		"another limit":            {kafkaQuota(), []any{quotaAt(aiventest.Object{"consumer_byte_rate": 5e8})}, nil, true, controllers.Diff{{Path: "spec.consumerByteRate", Wanted: "1048576", Found: "500000000"}}, listed},
		"another percentage":       {kafkaQuota(), []any{quotaAt(aiventest.Object{"request_percentage": 12.25})}, nil, true, controllers.Diff{{Path: "spec.requestPercentage", Wanted: "12.5", Found: "12.25"}}, listed},
		"a limit too many":         {kafkaQuota(), []any{quotaAt(aiventest.Object{"producer_byte_rate": 7.0})}, nil, true, controllers.Diff{{Path: "spec.producerByteRate", Wanted: "no limit", Found: "7"}}, listed},
		"a limit too few":          {kafkaQuota(), []any{quotaAt(aiventest.Object{"consumer_byte_rate": nil})}, nil, true, controllers.Diff{{Path: "spec.consumerByteRate", Wanted: "1048576", Found: "no limit"}}, listed},
		"0 instead of a limit":     {kafkaQuota(), []any{quotaAt(aiventest.Object{"consumer_byte_rate": 0.0})}, nil, true, controllers.Diff{{Path: "spec.consumerByteRate", Wanted: "1048576", Found: "0"}}, listed},
		"no limit instead of 0":    {kafkaQuota(zero), []any{quotaAt(aiventest.Object{"consumer_byte_rate": nil})}, nil, true, controllers.Diff{{Path: "spec.consumerByteRate", Wanted: "0", Found: "no limit"}}, listed},
		"0, in sync":               {kafkaQuota(zero), []any{quotaAt(aiventest.Object{"consumer_byte_rate": 0.0})}, aiventest.Object{"user": "app", "consumer_byte_rate": 0.0, "request_percentage": 12.5}, true, nil, described},
		"0 listed for no limit":    {kafkaQuota(), []any{quotaAt(aiventest.Object{"producer_byte_rate": 0.0})}, aiventest.Object{"user": "app", "consumer_byte_rate": 1048576.0, "request_percentage": 12.5}, true, nil, described},
		"0 that lets nothing by":   {kafkaQuota(), []any{quotaAt(aiventest.Object{"producer_byte_rate": 0.0})}, aiventest.Object{"consumer_byte_rate": 1048576.0, "request_percentage": 12.5, "producer_byte_rate": 0.0}, true, controllers.Diff{{Path: "spec.producerByteRate", Wanted: "no limit", Found: "0"}}, described},
		"0 wanted, none described": {kafkaQuota(zero), []any{quotaAt(aiventest.Object{"consumer_byte_rate": 0.0})}, aiventest.Object{"request_percentage": 12.5}, true, controllers.Diff{{Path: "spec.consumerByteRate", Wanted: "0", Found: "no limit"}}, described},
		"described as nothing":     {kafkaQuota(zero), []any{quotaAt(aiventest.Object{"consumer_byte_rate": 0.0})}, aiventest.Object{}, false, nil, described},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running(nil))
			a.On(quotaList, quotasListed(tc.quotas...))
			a.On(quotaDescribe, quotaDescribed(tc.describe))
			o, err := Quota.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), tc.obj)
			require.NoError(t, err)
			assert.Equal(t, tc.exists, o.Remote.Exists)
			assert.Equal(t, tc.diff.Entries(), o.Diff.Entries())
			assert.Equal(t, tc.calls, a.Calls())
		})
	}
}

func TestQuotasThatCannotBeReadAreNotAbsent(t *testing.T) {
	zeros := quotasListed(quotaAt(aiventest.Object{"producer_byte_rate": 0}))
	for name, tc := range map[string]struct{ list, describe aiventest.Answer }{
		"the list fails":          {list: aiventest.Refused(503, "try later")},
		"the list is missing":     {list: aiventest.Refused(404, "not here")},
		"the list is refused":     {list: aiventest.Refused(403, "no")},
		"an answer without list":  {list: aiventest.OK(nil)},
		"a list of other things":  {list: quotasListed("app")},
		"the description fails":   {list: zeros, describe: aiventest.Refused(503, "try later")},
		"no description is there": {list: zeros, describe: aiventest.Refused(404, "not here")},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running(nil))
			a.On(quotaList, tc.list)
			a.On(quotaDescribe, tc.describe)
			_, err := Quota.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), kafkaQuota())
			assert.Error(t, err)
		})
	}
}

func TestQuotaWrites(t *testing.T) {
	ok := aiventest.OK(nil)
	for name, tc := range map[string]struct {
		obj           *v1alpha1.KafkaQuota
		before, after aiventest.Answer
		set, remove   aiventest.Answer
		calls         []string
		fails         string
	}{
		"create": {
			before: quotasListed(), set: ok, calls: []string{lookup, quotaList, quotaSetTo},
		},
		"create with 0": {
			obj: kafkaQuota(consuming(0), ofClient), before: quotasListed(), set: ok,
			calls: []string{lookup, quotaList, quotaSet + ` {"client-id":"billing","consumer_byte_rate":0,"request_percentage":12.5,"user":"app"}`},
		},
		"another limit takes one call": {
			before: quotasListed(quotaAt(aiventest.Object{"consumer_byte_rate": 5})), after: quotasListed(quotaAt(nil)), set: ok,
			calls: []string{lookup, quotaList, quotaSetTo, lookup, quotaList},
		},
		"a limit that is removed takes the quota away first": {
			before: quotasListed(quotaAt(aiventest.Object{"producer_byte_rate": 7})), after: quotasListed(quotaAt(nil)), set: ok, remove: ok,
			calls: []string{lookup, quotaList, quotaRemove, quotaSetTo, lookup, quotaList},
		},
		"which is gone already": {
			before: quotasListed(quotaAt(aiventest.Object{"producer_byte_rate": 7})), after: quotasListed(quotaAt(nil)), set: ok,
			remove: aiventest.Refused(404, "Quota does not exist"), calls: []string{lookup, quotaList, quotaRemove, quotaSetTo, lookup, quotaList},
		},
		"or can't be": {
			before: quotasListed(quotaAt(aiventest.Object{"producer_byte_rate": 7})), remove: aiventest.Refused(503, "try later"),
			calls: []string{lookup, quotaList, quotaRemove}, fails: "try later",
		},
		"a limit that Aiven refuses": {
			before: quotasListed(), set: aiventest.Refused(400, "Invalid consumer_byte_rate 5: must be less"),
			calls: []string{lookup, quotaList, quotaSetTo}, fails: "Aiven rejected spec.consumerByteRate: ",
		},
		"a user that Aiven refuses": {
			before: quotasListed(), set: aiventest.Refused(400, "Invalid user: must be shorter"),
			calls: []string{lookup, quotaList, quotaSetTo}, fails: "Recreate the object with another spec.user",
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running(nil))
			a.On(quotaList, tc.before, tc.after)
			a.On(quotaSet, tc.set)
			a.On(quotaRemove, tc.remove)
			obj := tc.obj
			if obj == nil {
				obj = kafkaQuota()
			}
			c := Quota.New(controllers.Env{Client: a.Client()})
			o, err := c.Observe(t.Context(), obj)
			require.NoError(t, err)
			if o.Remote.Exists {
				o, err = c.Update(t.Context(), obj, o)
			} else {
				o, err = c.Create(t.Context(), obj)
			}
			assert.Equal(t, tc.calls, a.Calls())
			if tc.fails != "" {
				assert.Contains(t, refusal(err), tc.fails)
				return
			}
			require.NoError(t, err)
			assert.True(t, o.Remote.Active)
			assert.Empty(t, o.Diff)
		})
	}
}

// Aiven shows a quota seconds after it has accepted it, in its list and where it describes it alone.
func TestAQuotaThatAivenShowsLateIsSetOnce(t *testing.T) {
	ok, listed := aiventest.OK(nil), quotasListed(quotaAt(aiventest.Object{"consumer_byte_rate": 0.0}))
	for name, tc := range map[string]struct {
		limit int64
		set   aiventest.Answer
		late  aiventest.Answer // the list within the lag
		alone bool             // the quota is asked for alone by then
	}{
		"accepted":                 {limit: 1 << 20, set: ok, late: quotasListed()},
		"without an answer":        {limit: 1 << 20, set: aiventest.Refused(504, "gateway timeout"), late: quotasListed()},
		"with a 0":                 {set: ok, late: quotasListed()},
		"listed but not described": {set: ok, late: listed, alone: true},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running(nil))
			a.On(quotaList, quotasListed(), tc.late)
			a.On(quotaDescribe, quotaDescribed(aiventest.Object{}))
			a.On(quotaSet, tc.set)
			env, obj := controllers.Env{Client: a.Client()}, kafkaQuota(consuming(tc.limit))
			first := Quota.New(env)
			_, err := first.Observe(t.Context(), obj)
			require.NoError(t, err)
			_, _ = first.Create(t.Context(), obj)
			a.Calls()
			for range 3 {
				o, err := Quota.New(env).Observe(t.Context(), obj)
				require.NoError(t, err)
				assert.NotEmpty(t, o.WaitFor, "a wait, instead of a second write")
			}
			assert.Equal(t, tc.alone, slices.Contains(a.Calls(), quotaDescribe))
			limit := float64(tc.limit)
			a.On(quotaList, quotasListed(quotaAt(aiventest.Object{"consumer_byte_rate": limit})))
			a.On(quotaDescribe, quotaDescribed(aiventest.Object{"consumer_byte_rate": limit, "request_percentage": 12.5}))
			o, err := Quota.New(env).Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.True(t, o.Remote.Active)
			assert.Empty(t, o.Diff)
		})
	}
}

// queries records the queries of requests, which the scripted Aiven doesn't.
type queries struct {
	http.RoundTripper
	all []string
}

// RoundTrip implements http.RoundTripper.
func (q *queries) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.RawQuery != "" && req.URL.Path != "/v1/project/demo/service" {
		q.all = append(q.all, req.Method+" "+req.URL.RawQuery)
	}
	return q.RoundTripper.RoundTrip(req)
}

func TestAQuotaOfAServiceThatIsOffIsLeftUntilItIsOn(t *testing.T) {
	a := aiventest.New(t)
	a.On(lookup, running(aiventest.Object{"state": "POWEROFF"}))
	err := Quota.New(controllers.Env{Client: a.Client()}).Delete(t.Context(), kafkaQuota())
	assert.Equal(t, deletion.Outcome{Blocked: "Service demo/my-kafka is POWEROFF. Power it on, or set the annotation controllers.aiven.io/deletion-policy=Orphan on this object"}, deletion.Of(err))
	assert.Equal(t, []string{lookup}, a.Calls())
}

func TestAQuotaWentWithTheServiceWhoseNameAnotherTypeHas(t *testing.T) {
	a := aiventest.New(t)
	a.On(lookup, running(aiventest.Object{"state": "POWEROFF", "service_type": "pg"}))
	a.On(quotaRemove, aiventest.Refused(http.StatusBadRequest, "Service type 'pg' does not support this operation"))
	require.NoError(t, Quota.New(controllers.Env{Client: a.Client()}).Delete(t.Context(), kafkaQuota()))
}

func TestQuotaDelete(t *testing.T) {
	for name, tc := range map[string]struct {
		obj    *v1alpha1.KafkaQuota
		remove aiventest.Answer
		query  string
		class  fault.Class
	}{
		"of a user":                   {kafkaQuota(), aiventest.OK(nil), "user=app", fault.None},
		"of a client":                 {kafkaQuota(ofClientOnly), aiventest.OK(nil), "client-id=billing", fault.None},
		"of a user's client":          {kafkaQuota(ofClient), aiventest.OK(nil), "client-id=billing&user=app", fault.None},
		"of a name with an ampersand": {kafkaQuota(func(spec *v1alpha1.KafkaQuotaSpec) { spec.User = "a&client-id=b" }), aiventest.OK(nil), "user=a%26client-id%3Db", fault.None},
		"gone":                        {kafkaQuota(), aiventest.Refused(404, "Quota does not exist"), "user=app", fault.None},
		"refused":                     {kafkaQuota(), aiventest.Refused(403, "no"), "user=app", fault.Forbidden},
		"in a service that is off":    {kafkaQuota(), aiventest.Refused(409, "Service is powered off"), "user=app", fault.Conflict},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(quotaRemove, tc.remove)
			a.On(lookup, running(nil))
			asked := &queries{RoundTripper: a}
			client, err := aiven.New(aiven.Options{Transport: asked}).ForToken("a-token")
			require.NoError(t, err)
			err = Quota.New(controllers.Env{Client: client}).Delete(t.Context(), tc.obj)
			assert.Equal(t, tc.class, fault.Of(err).Class, "%v", err)
			assert.Equal(t, "DELETE "+tc.query, asked.all[len(asked.all)-1], "behind the read of the service")
		})
	}
}

func TestQuotasAreWhomTheyAreAbout(t *testing.T) {
	names := map[string]bool{}
	for _, about := range [][2]string{{"a", ""}, {"", "a"}, {"a", "b"}, {"a", "b/c"}, {"a/b", "c"}, {"a&client-id=b", ""}} {
		obj := kafkaQuota(func(spec *v1alpha1.KafkaQuotaSpec) { spec.User, spec.ClientID = about[0], about[1] })
		names[Quota.Identity(obj).Name] = true
	}
	assert.Len(t, names, 6)
}

func TestAQuotaIsReadAloneWithBothNames(t *testing.T) {
	a := aiventest.New(t)
	a.On(lookup, running(nil))
	a.On(quotaList, quotasListed(quotaAt(aiventest.Object{"client-id": "billing", "producer_byte_rate": 0})))
	a.On(quotaDescribe, quotaDescribed(aiventest.Object{"consumer_byte_rate": 1048576}))
	asked := &queries{RoundTripper: a}
	client, err := aiven.New(aiven.Options{Transport: asked}).ForToken("a-token")
	require.NoError(t, err)
	_, err = Quota.New(controllers.Env{Client: client}).Observe(t.Context(), kafkaQuota(ofClient))
	require.NoError(t, err)
	assert.Contains(t, asked.all, "GET client-id=billing&user=app")
}
