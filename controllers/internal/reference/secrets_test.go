package reference

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestEveryValueOfASecretIsKeptOutOfTexts(t *testing.T) {
	decls := []Declaration{
		declare("Other", SecretKind, to("/missing", "")), declare("Source", SecretKind, to("/password", "user")),
		declare("VPC", vpcKind, to("/main", "")),
	}
	reader := readerOf(passwordSecret(), vpc(t, "status: {id: x}"))
	resolved := Resolver{Reader: reader}.Resolve(t.Context(), referrer("apps", "x"), decls)
	assert.NotContains(t, resolved.Secrets().Scrub("rejected: "+planted), planted)
	assert.Equal(t, "rejected", Resolved{}.Secrets().Scrub("rejected"))
	assert.Equal(t, "rejected: ***", Resolved{}.Secrets("of the spec").Scrub("rejected: of the spec"))
}

func TestAKindThatTheOperatorDoesNotServeIsNotWatched(t *testing.T) {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(vpcKind, referrer("apps", "x"))
	example := declare("VPC", vpcKind).Example(scheme)
	assert.IsType(t, referrer("apps", "x"), example, "it is in the cache anyway")
	assert.IsType(t, &metav1.PartialObjectMetadata{}, declare("Source", SecretKind).Example(scheme), "its data isn't cached")
	assert.Nil(t, declare("Else", schema.GroupVersionKind{Group: "example.org", Version: "v1", Kind: "Else"}).Example(scheme))
}
