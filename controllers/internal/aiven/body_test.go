package aiven_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
)

func TestTheBodyOfAnAnswerIsKeptForACallerThatAsksForIt(t *testing.T) {
	const quotas = `{"quotas":[{"user":"app","consumer_byte_rate":0,"producer_byte_rate":null}]}`
	for name, tc := range map[string]struct {
		status int
		want   string
	}{
		"a success": {http.StatusOK, quotas},
		"a refusal": {http.StatusBadRequest, ""},
	} {
		t.Run(name, func(t *testing.T) {
			url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tc.status)
				_, _ = w.Write([]byte(quotas))
			})
			api := clientFor(t, aiven.Options{BaseURL: url}).API()
			ctx, body := aiven.WithBody(t.Context())
			listed, err := api.ServiceKafkaQuotaList(ctx, "p", "s")
			assert.Equal(t, tc.want, body.String())
			if tc.status != http.StatusOK {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			assert.Len(t, listed, 1, "the answer is decoded as well")
			_, err = api.ServiceKafkaQuotaList(t.Context(), "p", "s")
			require.NoError(t, err)
			assert.Equal(t, tc.want, body.String(), "other calls leave it alone")
		})
	}
}

func TestAFieldIsNamedByTheObjectItself(t *testing.T) {
	for body, want := range map[string]bool{
		`{"password":"x"}`: true, `{"password":null}`: true, `{"password":""}`: true,
		`{}`: false, `{"user":{"password":"x"}}`: false, `{"message":"the password"}`: false, `["password"]`: false, ``: false,
	} {
		assert.Equal(t, want, aiven.HasField([]byte(body), "password"), body)
	}
}

func TestOnlyAMessageConfirms(t *testing.T) {
	for body, want := range map[string]bool{
		`{"message":"created"}`: true, `{"message":"","errors":[]}`: true,
		`{}`: false, `{"message":null}`: false, `{"message":[]}`: false, `{"message":"cre`: false, `"message"`: false, ``: false,
	} {
		assert.Equal(t, want, aiven.Confirms([]byte(body)), body)
	}
}
