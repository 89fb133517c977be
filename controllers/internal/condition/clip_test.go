package condition

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAMessageIsAsLongAsKubernetesAllows(t *testing.T) {
	for name, tc := range map[string]struct{ given, want string }{
		"what just fits is kept":   {strings.Repeat("x", maxMessage), strings.Repeat("x", maxMessage)},
		"what is longer is cut":    {strings.Repeat("x", maxMessage+1), strings.Repeat("x", maxMessage-3) + "..."},
		"a character isn't halved": {strings.Repeat("x", maxMessage-4) + "éééé", strings.Repeat("x", maxMessage-4) + "..."},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tc.want, clip(tc.given)) })
	}
}
