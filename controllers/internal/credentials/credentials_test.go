package credentials_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/credentials"
	"github.com/aero-operator/aero/controllers/internal/namespace"
)

const planted = "s3cr3t/T0ken+value=="

func secret(value string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "aiven"},
		Data:       map[string][]byte{"token": []byte(value)},
	}
}

func ref(name, key string) *v1alpha1.AuthSecretReference {
	return &v1alpha1.AuthSecretReference{Name: name, Key: key}
}

func TestP18_TokenIsTaken(t *testing.T) {
	cases := map[string]struct {
		reason string
		stored string
		byDefault,
		want string
		ref *v1alpha1.AuthSecretReference
	}{
		"from the Secret that the object names": {
			reason: "a reference of the object's own is what the user asked for",
			stored: planted, ref: ref("aiven", "token"), want: planted,
		},
		"from the Secret although there is a default": {
			reason: "the default is for objects without a reference",
			stored: planted, ref: ref("aiven", "token"), byDefault: "other", want: planted,
		},
		"from the default without a reference": {
			reason: "that is what the default is for",
			stored: "other", byDefault: planted, want: planted,
		},
		"from a Secret without the newline that a file ends with": {
			reason: "kubectl create secret --from-file keeps the newline",
			stored: " \t" + planted + "\r\n", ref: ref("aiven", "token"), want: planted,
		},
		"from the default without surrounding white space": {
			reason:    "an environment variable may come from a file as well",
			byDefault: planted + "\n", want: planted,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := credentials.Resolver{Reader: fake.NewFakeClient(secret(tc.stored)), Default: credentials.NewDefault(tc.byDefault)}
			token, err := r.Token(t.Context(), "apps", tc.ref)
			require.NoError(t, err, tc.reason)
			assert.Equal(t, tc.want, token.Reveal(), tc.reason)
		})
	}
}

func TestTokenIsMissing(t *testing.T) {
	aiven := types.NamespacedName{Namespace: "apps", Name: "aiven"}
	cases := map[string]struct {
		stored, byDefault string
		namespace         string
		ref               *v1alpha1.AuthSecretReference
		want              credentials.MissingError
		says              string
	}{
		"when nothing is configured": {
			want: credentials.MissingError{Problem: credentials.NoneConfigured},
			says: "set spec.authSecretRef",
		},
		"when the default is white space": {
			byDefault: " \n",
			want:      credentials.MissingError{Problem: credentials.NoneConfigured},
			says:      "configure a default token for the operator",
		},
		"when the Secret doesn't exist, default or not": {
			byDefault: planted, ref: ref("other", "token"),
			want: credentials.MissingError{
				Secret: types.NamespacedName{Namespace: "apps", Name: "other"}, Key: "token",
				Problem: credentials.SecretMissing,
			},
			says: `Secret apps/other doesn't exist: create it with the Aiven token under the key "token"`,
		},
		"when the Secret is in another namespace": {
			stored: planted, namespace: "elsewhere", ref: ref("aiven", "token"),
			want: credentials.MissingError{
				Secret: types.NamespacedName{Namespace: "elsewhere", Name: "aiven"}, Key: "token",
				Problem: credentials.SecretMissing,
			},
			says: "Secret elsewhere/aiven doesn't exist",
		},
		"when the Secret has other keys only": {
			stored: planted, ref: ref("aiven", "TOKEN"),
			want: credentials.MissingError{Secret: aiven, Key: "TOKEN", Problem: credentials.KeyMissing},
			says: `Secret apps/aiven has no key "TOKEN"`,
		},
		"when the value is a newline": {
			stored: "\n", ref: ref("aiven", "token"),
			want: credentials.MissingError{Secret: aiven, Key: "token", Problem: credentials.Empty},
			says: `key "token" of Secret apps/aiven is empty`,
		},
		"when two tokens are in one value": {
			stored: planted + "\n" + planted, ref: ref("aiven", "token"),
			want: credentials.MissingError{Secret: aiven, Key: "token", Problem: credentials.Malformed},
			says: `key "token" of Secret apps/aiven isn't a token`,
		},
		"when a control character is in the value": {
			stored: planted + "\x00" + planted, ref: ref("aiven", "token"),
			want: credentials.MissingError{Secret: aiven, Key: "token", Problem: credentials.Malformed},
			says: "isn't a token",
		},
		"when the value holds a character that an HTTP header can't": {
			stored: planted + "\u200b" + planted, ref: ref("aiven", "token"),
			want: credentials.MissingError{Secret: aiven, Key: "token", Problem: credentials.Malformed},
			says: "non-ASCII",
		},
		"when the default has white space within": {
			byDefault: planted + " " + planted,
			want:      credentials.MissingError{Problem: credentials.Malformed},
			says:      "the operator's default token isn't a token",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.namespace == "" {
				tc.namespace = "apps"
			}
			r := credentials.Resolver{Reader: fake.NewFakeClient(secret(tc.stored)), Default: credentials.NewDefault(tc.byDefault)}
			token, err := r.Token(t.Context(), tc.namespace, tc.ref)
			var missing *credentials.MissingError
			require.ErrorAs(t, err, &missing)
			assert.Equal(t, tc.want, *missing)
			assert.ErrorContains(t, err, tc.says)
			assert.NotContains(t, err.Error(), planted)
			assert.Empty(t, token.Reveal())
		})
	}
}

func TestAnErrorOfTheAPIIsNoMissingToken(t *testing.T) {
	down := errors.New("connection refused")
	reader := fake.NewClientBuilder().WithInterceptorFuncs(interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return down
		},
	}).Build()
	_, err := credentials.Resolver{Reader: reader, Default: credentials.NewDefault("other")}.Token(t.Context(), "apps", ref("aiven", "token"))
	require.ErrorIs(t, err, down)
	assert.EqualError(t, err, "reading token Secret apps/aiven: connection refused")
	var missing *credentials.MissingError
	assert.NotErrorAs(t, err, &missing)
}

func TestK09_TokenIsNeverPrinted(t *testing.T) {
	token := credentials.NewToken(planted)
	holder := struct {
		Public  credentials.Token
		private credentials.Token
		pointer *credentials.Token
	}{token, token, &token}

	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T"} {
		fmt.Fprintf(&out, verb, token)
		fmt.Fprintf(&out, verb, &token)
		fmt.Fprintf(&out, verb, holder)
		fmt.Fprintf(&out, verb, []any{token, holder.private, holder.pointer})
	}
	fmt.Fprint(&out, token.String(), fmt.Errorf("calling with %v: %w", token, errors.New("no")))
	require.NoError(t, json.NewEncoder(&out).Encode(map[string]any{"token": token, "holder": holder}))
	for _, handler := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(handler).Info("message", "token", token, "holder", holder, "log", token.MarshalLog())
	}

	assert.NotContains(t, out.String(), planted)
	assert.NotContains(t, out.String(), fmt.Sprintf("%x", planted))
	assert.Contains(t, out.String(), "[redacted]")
	assert.Equal(t, planted, token.Reveal())
	assert.Empty(t, credentials.Token{}.Reveal())
}

// The order is that of who is closest: the object, its Namespace, the operator.
func TestTheTokenOfAnObjectMayBeThatOfItsNamespace(t *testing.T) {
	own, without := &v1alpha1.Database{}, &v1alpha1.Database{}
	own.Namespace, without.Namespace, own.Spec.AuthSecretRef = "apps", "apps", ref("aiven", "token")
	gone := own.DeepCopy()
	gone.Spec.AuthSecretRef = ref("gone", "token")
	team := secret("team")
	team.Namespace, team.Name = "aero-system", "team"
	in := func(value string) namespace.Settings {
		return namespace.Settings{Name: "apps", Annotations: map[string]string{"controllers.aiven.io/token-secret": value}}
	}
	const key = " has no key \"key\", so add it with the Aiven token, or change the key in the annotation controllers.aiven.io/token-secret of Namespace apps"
	const unnamed = "No Aiven token: the annotation controllers.aiven.io/token-secret of Namespace apps names no Secret. Set spec.authSecretRef, or " +
		"ask who administers the Namespace to name one, or to remove the annotation"
	for name, tc := range map[string]struct {
		obj       client.Object
		in        namespace.Settings
		closed    bool
		takenOver bool
		want      string
		err       string
		place     string
	}{
		"its own":                                 {obj: own, in: in("team"), want: "own", place: `key "token" of Secret apps/aiven`},
		"that of the Namespace":                   {obj: without, in: in("team"), want: "team", place: `key "token" of Secret aero-system/team`},
		"also where the default one isn't":        {obj: without, in: in("team"), closed: true, want: "team", place: `key "token" of Secret aero-system/team`},
		"the Namespace names another key":         {obj: without, in: in("team/key"), err: "Secret aero-system/team" + key, place: `key "key" of Secret aero-system/team`},
		"the default one":                         {obj: without, want: "default", place: "the operator's default token"},
		"the default one is for others":           {obj: without, closed: true, err: "the operator's default token isn't for this namespace", place: "the operator's default token"},
		"the Namespace names no Secret":           {obj: without, in: in(""), err: unnamed, place: "the operator's default token"},
		"nor with white space":                    {obj: without, in: in(" "), err: unnamed, place: "the operator's default token"},
		"nor with a key alone":                    {obj: without, in: in("/token"), err: unnamed, place: "the operator's default token"},
		"its own, the Namespace names none":       {obj: own, in: in(""), want: "own", place: `key "token" of Secret apps/aiven`},
		"a takeover, the Namespace names none":    {obj: gone, in: in(""), takenOver: true, err: "Secret apps/gone doesn't exist", place: `key "token" of Secret apps/gone`},
		"a takeover":                              {obj: gone, takenOver: true, want: "default", place: "the operator's default token"},
		"a takeover, in a Namespace with a token": {obj: gone, in: in("team"), takenOver: true, err: "Secret apps/gone doesn't exist", place: `key "token" of Secret apps/gone`},
		"a takeover, the default is for others":   {obj: gone, takenOver: true, closed: true, err: "Secret apps/gone doesn't exist", place: `key "token" of Secret apps/gone`},
	} {
		t.Run(name, func(t *testing.T) {
			r := credentials.Resolver{
				Reader: fake.NewFakeClient(secret("own"), team), Default: credentials.NewDefault("default"), Namespace: "aero-system", Fallback: true,
				Open: func(s namespace.Settings) bool { return s.Name == "apps" && !tc.closed },
			}
			tc.in.Name = "apps"
			token, fallback, err := r.TokenOf(t.Context(), tc.obj, tc.in, tc.takenOver)
			assert.Equal(t, tc.place, r.PlaceOf(tc.obj, tc.in, fallback))
			if tc.err != "" {
				var missing *credentials.MissingError
				require.ErrorAs(t, err, &missing)
				assert.ErrorContains(t, err, tc.err)
				assert.Empty(t, token.Reveal())
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.want, token.Reveal())
		})
	}
	_, _, err := credentials.Resolver{Reader: fake.NewFakeClient(), Default: credentials.NewDefault("default")}.TokenOf(t.Context(), gone, namespace.Settings{}, true)
	require.Error(t, err, "the fallback is turned off")
}

func TestWhoseTokenIsUsedInANamespace(t *testing.T) {
	cluster := fake.NewFakeClient(
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team", Annotations: map[string]string{"controllers.aiven.io/token-secret": "team"}}},
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "unnamed", Annotations: map[string]string{"controllers.aiven.io/token-secret": ""}}},
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "apps"}}, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "closed"}},
	)
	r := credentials.Resolver{Default: credentials.NewDefault("default"), Open: func(s namespace.Settings) bool { return s.Name != "closed" }}
	tokenIn := r.ByNamespace(namespace.Reader{Metadata: cluster, Live: cluster})
	for name, want := range map[string][2]bool{"team": {true, false}, "apps": {false, true}, "closed": {}, "unnamed": {}, "unknown": {}} {
		secret, byDefault := tokenIn(t.Context(), name)
		assert.Equal(t, want, [2]bool{secret, byDefault}, name)
	}
}

func TestThePlaceOfATokenIsNamed(t *testing.T) {
	own := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "apps"}}
	own.Spec.AuthSecretRef = ref("aiven", "token")
	assert.Equal(t, `key "token" of Secret apps/aiven`, credentials.Resolver{}.PlaceOf(own, namespace.Settings{}, nil))
	assert.Equal(t, "the operator's default token", credentials.Resolver{}.PlaceOf(own, namespace.Settings{}, errors.New("the Secret never existed")))
	assert.Equal(t, "the operator's default token", credentials.Resolver{}.PlaceOf(&v1alpha1.Database{}, namespace.Settings{}, nil))
}

func TestATokenOfANamespaceIsMissingWhereTheOperatorDoesNotKnowItsOwn(t *testing.T) {
	_, err := credentials.Resolver{Reader: fake.NewClientBuilder().Build()}.Token(t.Context(), "", ref("team-a", "token"))
	var missing *credentials.MissingError
	require.ErrorAs(t, err, &missing)
	assert.Equal(t, credentials.NoNamespace, missing.Problem)
	assert.EqualError(t, err, "Secret team-a is to be in the operator's namespace, which is known in a pod, or by its flag "+
		"--leader-election-namespace: set that, or spec.authSecretRef")
}
