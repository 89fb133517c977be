package aiven

import (
	"slices"
	"time"
)

// RecordListWrite is called after every mutation of an item of a list, also after one that failed: see MayHaveApplied. The
// item is read again for its next reader, and objects that wait for it are enqueued. Readers of other items read on.
func (c *Client) RecordListWrite(key ListKey, item string, mayHaveApplied bool) {
	c.recordListWrite(key, item, written{result: WriteResult{MayHaveApplied: mayHaveApplied}})
}

// RecordListResult is RecordListWrite for a mutation whose result is known: the item as Aiven's answer has it, or nil for
// one that doesn't exist. If the list can take it (ListSource.With), the item isn't read again, and a read within the lag
// doesn't undo it.
func (c *Client) RecordListResult(key ListKey, item string, result any) {
	c.recordListWrite(key, item, written{result: WriteResult{MayHaveApplied: true}, inList: true, results: []any{result}})
}

// WriteStart is when a mutation was sent, among the reads and writes of the process.
type WriteStart uint64

// BeginWrite is called before a mutation that RecordListChange is for.
func (c *Client) BeginWrite() WriteStart { return WriteStart(c.clients.nextSeq()) }

// RecordListChange is RecordListResult for a mutation whose result depends on what the item was before, or that others may write
// to as soon as Aiven has made it. If an earlier write to it isn't in the list, or another one was recorded since this one was
// sent, it is read again; if earlier ones are in the list, a read that shows none of them undoes none.
func (c *Client) RecordListChange(key ListKey, item string, start WriteStart, change any) {
	c.recordListWrite(key, item, written{
		result: WriteResult{MayHaveApplied: true}, inList: true, results: []any{change}, change: true, start: uint64(start),
	})
}

func (c *Client) recordListWrite(key ListKey, item string, w written) {
	c.writeToList(key, item, w)
	c.recordPending(pendingKey{list: key, entry: Entry(item)}, WriteResult{MayHaveApplied: w.result.MayHaveApplied})
	if w.result.MayHaveApplied {
		c.clients.changes.notify(listChanges(key, nil, []string{item}))
	}
}

// writeToList takes in a write.
func (c *Client) writeToList(key ListKey, item string, w written) {
	c.mu.Lock()
	defer c.mu.Unlock() // also after a panic of the list's source
	w.seq, w.at = c.clients.nextSeq(), c.clients.options.Now()
	c.sharedList(key).write(Entry(item), w)
}

// InvalidateList makes a list be read again by its next reader. Our own writes stay known: a read within the lag after one
// may still not show it, and what it doesn't show must not be created twice.
func (c *Client) InvalidateList(key ListKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sharedList(key).staleBefore = c.clients.nextSeq()
}

// RefreshList is InvalidateList for a list that is older than age.
func (c *Client) RefreshList(key ListKey, age time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l := c.sharedList(key); c.clients.options.Now().Sub(l.began) > age {
		l.staleBefore = c.clients.nextSeq()
	}
}

// ForgetListResults is InvalidateList after something that may have undone our writes: their results count no more.
func (c *Client) ForgetListResults(key ListKey) {
	c.InvalidateList(key)
	c.mu.Lock()
	defer c.mu.Unlock()
	for item, w := range c.sharedList(key).writes {
		w.inList, w.results = false, nil
		c.sharedList(key).writes[item] = w
	}
}

// write takes in a write. Its result goes into the list if it fits. That of a change needs the earlier ones, too, and is trusted
// no longer than what the list has been read with since.
func (l *sharedList) write(item Entry, w written) {
	if w.inList {
		after, fits := l.with(l.listed, map[string]any{string(item): w.results[0]})
		if w.inList = fits && (!w.change || l.follows(item, w.start)); w.inList {
			l.listed = after
		} else {
			w.results = nil // of no use
		}
	}
	if earlier := l.writes[item]; w.inList && w.change {
		w.results, w.read = slices.Concat(earlier.results, w.results), earlier.read || l.seq > w.start
	}
	if l.writes == nil {
		l.writes = writes{}
	}
	l.writes[item] = w
}

// follows reports whether a change that was sent at start is the latest one of an item as the list has it. What is read at the
// wrong time may have the change, and what has undone it, too.
func (l *sharedList) follows(item Entry, start uint64) bool {
	return l.seq > l.since([]Entry{item}) && start > max(l.staleBefore, l.forgotten, l.writes[item].seq)
}

// with is a list with the results of writes; it reports false if they can't be part of it.
func (l *sharedList) with(found listed, results map[string]any) (listed, bool) {
	if l.source.with == nil || found.items == nil {
		return found, false
	}
	return l.source.with(found, results)
}

// withAll is a list with the results of several writes to each item, in their order. Each has fitted before.
func (l *sharedList) withAll(found listed, results map[string][]any) listed {
	for len(results) > 0 {
		first, later := map[string]any{}, map[string][]any{}
		for item, all := range results {
			if first[item] = all[0]; len(all) > 1 {
				later[item] = all[1:]
			}
		}
		found, _ = l.with(found, first)
		results = later
	}
	return found
}

// read takes in an answer. It returns the items that others changed, and those that we wrote ourselves and see now. An answer
// that began within the lag after a write doesn't undo its result.
func (l *sharedList) read(seq uint64, began time.Time, found listed, lag time.Duration) (others, ours []string) {
	if l.known && seq < l.seq {
		return nil, nil // overtaken by a later read
	}
	mine, results := map[string]bool{}, map[string][]any{}
	for item, w := range l.writes {
		mine[string(item)] = !w.read && !w.inList
		switch shown := l.writes.shown(item, seq, began, lag); {
		case !shown:
			l.forgotten = max(l.forgotten, w.seq)
		case w.inList:
			results[string(item)] = w.results
		}
	}
	found = l.withAll(found, results)
	before, known := l.items, l.known
	l.listed, l.known, l.seq, l.began = found, true, seq, began
	if !known {
		return nil, nil
	}
	for _, item := range differences("", before, found.items) {
		if mine[string(item)] {
			ours = append(ours, string(item))
		} else {
			others = append(others, string(item))
		}
	}
	return others, ours
}
