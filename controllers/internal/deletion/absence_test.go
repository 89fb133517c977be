package deletion_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

var (
	withService    = aiventest.OK(aiventest.Object{"services": []any{aiventest.ServiceFields(nil)}})
	withoutService = aiventest.OK(aiventest.Object{"services": []any{}})
	unknown        = aiventest.Refused(http.StatusNotFound, "Project does not exist")
	forbidden      = aiventest.Refused(http.StatusForbidden, "Forbidden")
	down           = aiventest.Refused(http.StatusServiceUnavailable, "try later")
)

// pageOfServices are as many services as a page may have.
func pageOfServices() aiventest.Answer {
	services := make([]any, 999)
	for n := range services {
		services[n] = aiventest.ServiceFields(aiventest.Object{"service_name": fmt.Sprint("x", n)})
	}
	return aiventest.OK(aiventest.Object{"services": services})
}

// outcomes of a check.
const (
	sure    = ""
	blocked = "blocked"
	failed  = "failed"
)

func outcome(err error) string {
	var inTheWay *deletion.BlockedError
	switch {
	case err == nil:
		return sure
	case errors.As(err, &inTheWay):
		return blocked
	default:
		return failed
	}
}

func TestReviewH7_A404InAServiceIsAnAbsenceIfItsProjectIsKnown(t *testing.T) {
	for name, tc := range map[string]struct {
		services aiventest.Answer
		service  aiventest.Answer
		want     string
		says     string
	}{
		"the project lists the service":             {services: withService, want: sure},
		"the project lists other services":          {services: withoutService, want: sure},
		"Aiven doesn't know the project":            {services: unknown, want: blocked, says: "Aiven doesn't know project demo"},
		"Aiven fails to list services":              {services: down, want: failed},
		"the token may read the service only":       {services: forbidden, service: aiventest.Service(nil), want: sure},
		"the token may list and read nothing":       {services: forbidden, service: forbidden, want: blocked, says: "permission to list the services of project demo"},
		"the token may not list, and another 404":   {services: forbidden, service: aiventest.Missing(), want: blocked, says: "permission to list the services of project demo"},
		"the token may not list, and Aiven is down": {services: forbidden, service: down, want: blocked, says: "permission to list the services of project demo"},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On("GET service", tc.services)
			a.On("GET service/my-pg", tc.service)
			err := deletion.CheckAbsence(t.Context(), a.Client(), aiventest.Project, "my-pg")
			assert.Equal(t, tc.want, outcome(err), "%v", err)
			assert.False(t, fault.Is(err, fault.NotFound))
			if tc.says != "" {
				require.ErrorContains(t, err, tc.says)
				assert.ErrorContains(t, err, "deletion-policy=Orphan")
			}
		})
	}
}

func TestTheProofThatAServiceIsThereIsRead(t *testing.T) {
	a := aiventest.New(t)
	a.On("GET service", forbidden)
	a.On("GET service/my-pg", aiventest.Service(nil), aiventest.Missing())
	client := a.Client()
	_, err := client.Service(t.Context(), aiventest.Project, "my-pg")
	require.NoError(t, err)
	err = deletion.CheckAbsence(t.Context(), client, aiventest.Project, "my-pg")
	assert.Equal(t, blocked, outcome(err), "what was read before proves nothing: %v", err)
}

func TestReviewH7_AServiceIsGoneIfItsProjectListsOthersOnly(t *testing.T) {
	for name, tc := range map[string]struct {
		services aiventest.Answer
		gone     bool
		want     string
		says     string
	}{
		"the project doesn't list it":    {services: withoutService, gone: true},
		"the project still lists it":     {services: withService},
		"Aiven doesn't know the project": {services: unknown, want: blocked},
		"the token may not list":         {services: forbidden, want: blocked},
		"Aiven fails to list services":   {services: down, want: failed},
		"the list may be cut off":        {services: pageOfServices(), want: blocked, says: "deletion-policy=Orphan"},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On("GET service", tc.services)
			gone, err := deletion.ServiceGone(t.Context(), a.Client(), aiventest.Project, "my-pg")
			assert.Equal(t, tc.want, outcome(err), "%v", err)
			assert.Equal(t, tc.gone, gone)
			if tc.says != "" {
				assert.ErrorContains(t, err, tc.says)
			}
		})
	}
}

func TestAServiceIsReadLiveBeforeWhatIsInItCountsAsGone(t *testing.T) {
	for name, tc := range map[string]struct {
		service, services aiventest.Answer
		exists            bool
		want              string
	}{
		"it exists now":               {service: aiventest.Service(nil), services: down, exists: true},
		"it is gone":                  {service: aiventest.Missing(), services: withoutService},
		"the project still lists it":  {service: aiventest.Missing(), services: withService, want: blocked},
		"Aiven doesn't know it":       {service: aiventest.Missing(), services: unknown, want: blocked},
		"Aiven fails to list":         {service: aiventest.Missing(), services: down, want: failed},
		"Aiven fails to read it":      {service: down, services: withoutService, want: failed},
		"the token may not read it":   {service: forbidden, services: withoutService, want: failed},
		"the list may be a page only": {service: aiventest.Missing(), services: pageOfServices(), want: blocked},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On("GET service", tc.services)
			a.On("GET service/my-pg", aiventest.Missing(), tc.service)
			client, err := aiven.New(aiven.Options{Transport: a, WatchInterval: time.Minute}).ForToken("a-token")
			require.NoError(t, err)
			_, err = client.Service(t.Context(), aiventest.Project, "my-pg")
			require.Error(t, err, "what was read before")
			service, err := deletion.LiveService(t.Context(), client, aiventest.Project, "my-pg")
			assert.Equal(t, tc.want, outcome(err), "%v", err)
			assert.Equal(t, tc.exists, service != nil)
			assert.False(t, fault.Is(err, fault.NotFound))
		})
	}
}

func TestAListOfAProjectThatProvesNothingWaitsForAUser(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		want string
	}{
		"none":                   {nil, sure},
		"an unknown project":     {fmt.Errorf("listing: %w", aiven.ErrUnknownProject), blocked},
		"a list that is cut off": {fmt.Errorf("listing: %w", aiven.ErrCutOff), blocked},
		"any other":              {errors.New("oops"), failed},
	} {
		t.Run(name, func(t *testing.T) {
			err := deletion.InProject("demo", tc.err)
			assert.Equal(t, tc.want, outcome(err))
			if tc.want == blocked {
				require.ErrorContains(t, err, "project demo")
				assert.ErrorContains(t, err, "deletion-policy=Orphan")
			}
		})
	}
}

func TestAListOutsideOfProjectsNamesNone(t *testing.T) {
	err := deletion.InProject("", aiven.ErrCutOff)
	assert.Equal(t, blocked, outcome(err))
	assert.ErrorContains(t, err, "Aiven lists as much as it may return at once")
}
