// Package impact says what a change of a spec costs or interrupts at Aiven. It is pure: the table knows nothing of an object but the
// path of a difference and its two values. How they are printed doesn't count: two values may have the same text.
//
//	impact.go    the impacts, and those of a difference
//	table.go     the changes that have one
//	harmless.go  the paths whose changes have none
//	when.go      what a change has to be for a row to count
package impact

import (
	"slices"

	"github.com/aero-operator/aero/api/v1alpha1"
)

// Impact is what a change costs or interrupts, besides what it is made for.
type Impact string

// The impacts.
const (
	Cost             Impact = "Cost"             // Aiven charges more or less
	NodesReplaced    Impact = "NodesReplaced"    // new nodes take over: connections are cut, and clients have to connect again
	Restart          Impact = "Restart"          // the service or a part of it restarts: connections are cut
	Outage           Impact = "Outage"           // no client can connect until the change is undone
	DataMoved        Impact = "DataMoved"        // data is copied, which takes long and slows the service down
	DataLoss         Impact = "DataLoss"         // data is deleted
	AddressesChanged Impact = "AddressesChanged" // clients that know addresses have to learn others
	AccessLost       Impact = "AccessLost"       // clients that may connect, read or write now may not afterwards
	Throttled        Impact = "Throttled"        // clients are slowed down
	Irreversible     Impact = "Irreversible"     // it can't be undone
	TagsRemoved      Impact = "TagsRemoved"      // what selects by the tags, such as a bill, no longer finds them
	Unknown          Impact = "Unknown"          // the table doesn't have the path
)

// Disruptive reports whether an impact may disturb those who use the resource. One that isn't known may.
func (i Impact) Disruptive() bool { return i != Cost && i != TagsRemoved }

// Source is where it is known from that a change has its impacts.
type Source string

// The sources.
const (
	documented Source = "AivenDocumentation"
	described  Source = "FieldDescription"     // that of the field in the spec, which is Aiven's for an option
	product    Source = "ProductDocumentation" // that of Kafka, for instance
	operator   Source = "Operator"             // it follows from the requests that the operator makes
	assumed    Source = "Assumption"           // nothing documents it: the impact is what is to be expected
)

// Change is a difference between a spec and what Aiven has, with what its correction costs or interrupts.
type Change struct {
	// Path is that of the field in the spec.
	Path string `json:"path"`
	// From is the value at Aiven, and To that of the spec, as they are shown. Of leaves them out. Secret values are redacted.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// Impacts has none for a harmless change.
	Impacts []Impact `json:"impacts,omitempty"`
	// Message has a clause for each row of the table that counts; empty for a harmless change.
	Message string `json:"message,omitempty"`
	// Source is empty for a harmless change, and where the impacts aren't known.
	Source Source `json:"source,omitempty"`
	// MonthlyPrice is that of another plan or cloud, where it is known. Of leaves it out.
	MonthlyPrice *v1alpha1.MonthlyPrice `json:"monthlyPrice,omitempty"`
}

// Disruptive reports whether one of the impacts is.
func (c Change) Disruptive() bool { return slices.ContainsFunc(c.Impacts, Impact.Disruptive) }

// Of returns what the correction of a difference costs or interrupts, at a path in the spec of an object of a kind. from is the value at
// Aiven, and to that of the spec, as Go has them: numbers, texts, lists and maps of any type. One that isn't known is nil, and may differ.
func Of(kind, path string, from, to any) Change {
	c := Change{Path: path}
	known := isHarmless(kind, c.Path)
	for _, row := range table {
		if !row.matches(kind, c.Path) {
			continue
		}
		known = true
		if row.when == nil || from == nil && to == nil || row.when(from, to) {
			c.Impacts, c.Message, c.Source = row.impacts, row.message, row.source
			return c
		}
	}
	if !known {
		c.Impacts, c.Message = []Impact{Unknown}, "what it does at Aiven isn't known"
	}
	return c
}
