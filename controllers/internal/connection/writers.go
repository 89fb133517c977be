package connection

import (
	"encoding/json"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Writers names the field managers, other than ours, that have written a key of details.Keep into the Secret; none if it is
// gone, or has no such key.
func (p Published) Writers(details Info) []string {
	var names []string
	for _, entry := range p.fields {
		var fields struct {
			Data map[string]json.RawMessage `json:"f:data"`
		}
		if entry.FieldsV1 == nil || json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields) != nil {
			continue
		}
		if slices.ContainsFunc(details.Keep, func(key string) bool {
			_, plain := fields.Data["f:"+key]
			_, prefixed := fields.Data["f:"+p.prefix+key]
			return plain || prefixed
		}) {
			names = append(names, entry.Manager)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// foreign are the fields of other managers than ours.
func (p Publisher) foreign(entries []metav1.ManagedFieldsEntry) []metav1.ManagedFieldsEntry {
	return slices.DeleteFunc(slices.Clone(entries), func(e metav1.ManagedFieldsEntry) bool { return e.Manager == p.FieldManager })
}
