package aiven

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOptional(t *testing.T) {
	assert.Nil(t, Optional(""))
	assert.Nil(t, Optional(0))
	assert.Equal(t, "a", *Optional("a"))
}
