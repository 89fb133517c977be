package localaiven

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAJournalKeepsTheLatestEntries(t *testing.T) {
	j := &journal{size: 3}
	seqs := func(after int64) []int64 {
		out := []int64{}
		for _, entry := range j.after(after) {
			out = append(out, entry.Seq)
		}
		return out
	}
	assert.Empty(t, seqs(0))
	for _, want := range [][]int64{{1}, {1, 2}, {1, 2, 3}, {2, 3, 4}, {3, 4, 5}} {
		j.add(Entry{})
		assert.Equal(t, want, seqs(0))
	}
	assert.Equal(t, []int64{5}, seqs(4))
	assert.Empty(t, seqs(5))
	assert.Empty(t, seqs(99))
	assert.Equal(t, []int64{3, 4, 5}, seqs(-1))
	j.reset()
	j.add(Entry{})
	assert.Equal(t, []int64{6}, seqs(0), "numbers go on after a reset")
}
