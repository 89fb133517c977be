package aiven

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTwoValuesOfAListAreTheSameIfTheyAreDeeplyEqual(t *testing.T) {
	for name, tc := range map[string]struct {
		a, b any
		want bool
	}{
		"nothing":                         {nil, nil, true},
		"nothing and something":           {nil, "a", false},
		"names":                           {"a", "a", true},
		"pointers to equal values":        {&User{Username: "a"}, &User{Username: "a"}, true},
		"pointers to different values":    {&User{Username: "a"}, &User{Username: "b"}, false},
		"what can't be compared by ==":    {[]string{"a"}, []string{"a"}, true},
		"what differs and can't be by ==": {[]string{"a"}, []string{"b"}, false},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tc.want, same(tc.a, tc.b)) })
	}
}

func TestAListThatIsNotInAnAnswerIsLackingAndAnEmptyOneIsNot(t *testing.T) {
	empty := &Service{
		Users: map[string]*User{}, Databases: map[string]bool{}, Pools: map[string]*Pool{}, Topics: map[string]*Topic{},
		Integrations: []Integration{}, ACLs: []ACL{}, KafkaACLs: []KafkaACL{}, SchemaRegistryACLs: []SchemaRegistryACL{},
	}
	for _, r := range rows {
		t.Run(r.prefix, func(t *testing.T) {
			assert.True(t, r.lacks(&Service{}))
			assert.False(t, r.lacks(empty))
			without := *empty
			r.clear(&without)
			assert.True(t, r.lacks(&without))
		})
	}
}
