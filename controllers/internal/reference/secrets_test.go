package reference

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

func TestEveryValueOfASecretIsKeptOutOfTexts(t *testing.T) {
	decls := []Declaration{
		declare("Other", SecretKind, to("/missing", "")), declare("Source", SecretKind, to("/password", "value")),
		declare("VPC", vpcKind, to("/main", "")),
	}
	reader := readerOf(passwordSecret(), vpc(t, "status: {id: x}"))
	resolved := Resolver{Reader: reader}.Resolve(t.Context(), referrer("apps", "x"), decls)
	assert.NotContains(t, resolved.Secrets().Scrub("rejected: "+planted), planted)
	assert.Equal(t, "rejected", Resolved{}.Secrets().Scrub("rejected"))
	assert.Equal(t, "rejected: ***", Resolved{}.Secrets("of the spec").Scrub("rejected: of the spec"))
}

// bigSecrets is a cluster in which every Secret holds a mebibyte that no reference needs, and reads counts its reads.
type bigSecrets struct {
	client.Reader
	value []byte
	reads *int
}

func (b bigSecrets) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	*b.reads++
	*obj.(*corev1.Secret) = corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name, UID: "s", ResourceVersion: "7"},
		Data:       map[string][]byte{"value": b.value, "other": make([]byte, 1<<20)},
	}
	return nil
}

// manyOf declares references to a key of each of 100 Secrets, and another one to the first.
func manyOf() Declaration {
	var targets []Target
	for i := range 100 {
		targets = append(targets, to(fmt.Sprintf("/s%d", i), "value"))
	}
	return declare("Source", SecretKind, append(targets, to("/s0", "value"))...)
}

func TestOfSecretsOnlyTheValuesThatAreNamedAreKept(t *testing.T) {
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	reads := 0
	resolved := Resolver{Reader: bigSecrets{value: []byte(planted), reads: &reads}}.Resolve(t.Context(), referrer("apps", "x"), []Declaration{manyOf()})
	secrets := resolved.Secrets()
	runtime.GC()
	runtime.ReadMemStats(&after)
	assert.Less(t, int(after.HeapAlloc)-int(before.HeapAlloc), 8<<20)
	assert.Equal(t, 100, reads, "each Secret is read once")
	values, ok := Values[[]byte](resolved, "Source")
	require.True(t, ok)
	assert.Len(t, values, 101)
	assert.Len(t, resolved.SecretVersions(), 100)
	assert.Equal(t, "***", secrets.Scrub(planted))
}

// manyKeys is a cluster in which every Secret has 20,000 keys that no reference needs.
type manyKeys struct{ client.Reader }

func (manyKeys) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	data := map[string][]byte{"host": []byte("db.example.org"), "password": []byte("tr0ub4dor")}
	for i := range 20_000 {
		data[fmt.Sprintf("k%05d", i)] = fmt.Appendf(nil, "v%05d", i)
	}
	*obj.(*corev1.Secret) = corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name, UID: "s"}, Data: data}
	return nil
}

func TestOfASecretWithManyKeysOnlyThoseThatAreNeededAreSecrets(t *testing.T) {
	source := declare("Source", SecretKind, to("/s0", "host"))
	source.Keys = []string{"password", "port"}
	resolved := Resolver{Reader: manyKeys{}}.Resolve(t.Context(), referrer("apps", "x"), []Declaration{source})
	assert.Equal(t, map[string][]byte{"host": []byte("db.example.org"), "password": []byte("tr0ub4dor")}, resolved.SecretData("Source"))
	assert.Equal(t, "*** at ***: v00007", resolved.Secrets().Scrub("tr0ub4dor at db.example.org: v00007"))
}

func TestValuesOfSecretsAreBoundedInSum(t *testing.T) {
	declared := manyOf()
	more := declare("More", SecretKind, to("/s0", "value"))
	more.Keys = []string{"other"}
	for name, tc := range map[string]struct {
		size  int
		decls []Declaration
		ready int
	}{
		"that fit":               {mostSecretBytes / 100, []Declaration{declared}, 101},
		"that don't":             {mostSecretBytes / 50, []Declaration{declared}, 51},
		"as many as fit":         {mostSecretBytes / 64, []Declaration{declared}, 65},
		"each of them too large": {mostSecretBytes + 1, []Declaration{declared}, 0},
		"two keys of one":        {mostSecretBytes / 2, []Declaration{more}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			reads := 0
			reader := bigSecrets{value: bytes.Repeat([]byte("x"), tc.size), reads: &reads}
			resolved := Resolver{Reader: reader}.Resolve(t.Context(), referrer("apps", "x"), tc.decls)
			ready, kept := 0, 0
			for at, o := range resolved.Outcomes() {
				if o.State == Ready {
					ready++
					continue
				}
				assert.Equal(t, Invalid, o.State)
				assert.True(t, fault.Is(o.Err, fault.Invalid))
				assert.Equal(t, "spec."+o.Name+": the values of Secrets that it names have more than 1 MiB in all. Name fewer Secrets, or put smaller values into them", o.Message)
				for _, value := range resolved.data(at) {
					kept += len(value)
				}
			}
			assert.Equal(t, tc.ready, ready)
			assert.Zero(t, kept, "of what is refused")
			_, all := Values[[]byte](resolved, tc.decls[0].Name)
			assert.Equal(t, tc.ready == len(resolved.Outcomes()), all)
		})
	}
}

// A template could make another value of each password, which would be set, and change the Secret.
func TestAPasswordIsNotTakenFromASecretThatIsMadeOfLogins(t *testing.T) {
	owned := func(apiVersion, kind string, controller bool) metav1.OwnerReference {
		return metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: "checkout", UID: "1", Controller: &controller}
	}
	for name, tc := range map[string]struct {
		owner    metav1.OwnerReference
		original bool
		refused  bool
	}{
		"of a ConnectionSecret":             {owned("aero-operator.io/v1alpha1", "ConnectionSecret", true), true, true},
		"of a rotation, in a later version": {owned("aero-operator.io/v1", "ServiceUserRotation", true), true, true},
		"that another object controls":      {owned("aero-operator.io/v1alpha1", "ConnectionSecret", false), true, false},
		"of an object of aiven.io":          {owned("aiven.io/v1alpha1", "ServiceUser", true), true, false},
		"of another operator":               {owned("external-secrets.io/v1", "ExternalSecret", true), true, false},
		"for what isn't a password":         {owned("aero-operator.io/v1alpha1", "ConnectionSecret", true), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			secret, source := passwordSecret(), declare("Source", SecretKind, to("/password", "value"))
			secret.OwnerReferences, source.Original = []metav1.OwnerReference{tc.owner}, tc.original
			resolved := Resolver{Reader: readerOf(secret)}.Resolve(t.Context(), referrer("apps", "x"), []Declaration{source})
			o := only(t, resolved)
			value, has := resolved.SecretValue("Source")
			assert.Equal(t, !tc.refused, has)
			if !tc.refused {
				assert.Equal(t, Ready, o.State)
				assert.Equal(t, planted, string(value))
				return
			}
			assert.Equal(t, Invalid, o.State)
			assert.True(t, fault.Is(o.Err, fault.Invalid))
			assert.Equal(t, "spec.Source: Secret apps/password is made for "+tc.owner.Kind+" checkout, of logins: "+
				"it would change with each password that is taken from it. Name another Secret, which only you write", o.Message)
		})
	}
}

func TestAKindThatTheOperatorDoesNotServeIsNotWatched(t *testing.T) {
	scheme := apiruntime.NewScheme()
	scheme.AddKnownTypeWithName(vpcKind, referrer("apps", "x"))
	example := declare("VPC", vpcKind).Example(scheme)
	assert.IsType(t, referrer("apps", "x"), example, "it is in the cache anyway")
	assert.IsType(t, &metav1.PartialObjectMetadata{}, declare("Source", SecretKind).Example(scheme), "its data isn't cached")
	assert.Nil(t, declare("Else", schema.GroupVersionKind{Group: "example.org", Version: "v1", Kind: "Else"}).Example(scheme))
}
