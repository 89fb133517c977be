package ownership

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/types"
)

func TestOneObjectCreatesWhatSeveralIdentify(t *testing.T) {
	claims := &Claims{}
	twins := []Duplicate{{Object: object("a")}, {Object: object("b")}}
	a, b := types.UID("uid-a"), types.UID("uid-b")
	assert.True(t, claims.Take("prj/pg/user/joe", a, twins))
	assert.True(t, claims.Take("prj/pg/user/joe", a, twins), "again")
	assert.False(t, claims.Take("prj/pg/user/joe", b, twins))
	assert.True(t, claims.Take("prj/pg/user/ann", b, twins), "another resource")
	assert.True(t, claims.Take("", a, twins), "what may overlap")
	assert.True(t, claims.Take("", b, twins), "what may overlap")

	claims.Release("prj/pg/user/joe", b)
	assert.False(t, claims.Take("prj/pg/user/joe", b, twins), "who doesn't hold it can't release it")
	claims.Release("prj/pg/user/joe", a)
	assert.True(t, claims.Take("prj/pg/user/joe", b, twins))
	assert.True(t, claims.Take("prj/pg/user/joe", a, twins[:1]), "the holder is gone without a release")
}
