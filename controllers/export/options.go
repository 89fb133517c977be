package export

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// isRedacted reports whether Aiven has returned this in place of a secret.
func isRedacted(text string) bool { return strings.EqualFold(text, "<redacted>") }

// decoder fills a generated option tree from what Aiven reports, which is as encoding/json decodes it. It is the inverse of
// userconfig.Encode.
type decoder struct {
	// creation leaves out what can only be set at creation, as for services: these keep it. Integrations and endpoints lose what
	// isn't sent.
	creation bool
	// entry is set for what is in a list, which an update replaces as it does integrations and endpoints.
	entry    bool
	leave    func(path, reason string)
	remember func(secrets ...string)
}

const (
	reasonSecret   = "set at Aiven and not exported, as it is a secret"
	reasonHolder   = "set at Aiven and not exported, as it holds a secret: set the whole, with the secret, to manage it"
	reasonCreation = "not exported, as it can only be set when the service is created"
	reasonType     = "not exported, as Aiven reports a value of another type"
	reasonLacking  = "not exported, as a part of it isn't known"
	reasonUnknown  = "not exported, as the kind doesn't have the option"
)

// option is a field of a tree and what Aiven reports for it.
type option struct {
	path     string
	tag      reflect.StructTag
	required bool
	found    any
	defaults map[string]any // the schema of the option; nil if it isn't known
}

// tree fills the fields of a struct. It reports false if the struct can't be exported: a secret in it is set, or something that it
// needs isn't known. Without a part of it, an update would take that away. keeps is set for the outermost tree of a service, whose
// update keeps what isn't sent.
func (d *decoder) tree(path string, to reflect.Value, found, schema map[string]any, keeps bool) (whole bool) {
	whole = true
	properties, _ := schema["properties"].(map[string]any)
	for i := range to.NumField() {
		tag := to.Type().Field(i).Tag
		name, settings, _ := strings.Cut(tag.Get("json"), ",")
		o := option{path: path + "." + name, tag: tag, required: !strings.Contains(settings, "omitempty"), found: found[name]}
		o.defaults, _ = properties[name].(map[string]any)
		if !d.field(o, to.Field(i), keeps) && (!keeps || o.required) {
			whole = false
		}
	}
	for _, name := range unknown(to.Type(), found, properties) {
		d.leave(path+"."+name, reasonUnknown)
		whole = whole && d.merges()
	}
	return whole
}

// merges reports whether an update keeps what isn't sent.
func (d *decoder) merges() bool { return d.creation && !d.entry }

// field fills one field, and reports whether the struct around it is still whole.
func (d *decoder) field(o option, to reflect.Value, keeps bool) bool {
	text, isText := o.found.(string)
	secret := o.tag.Get("sensitive") == "true"
	switch {
	case o.found == nil:
		return !o.required
	case secret:
		d.secrets(o.found)
		if keeps {
			d.leave(o.path, reasonSecret)
		}
		return false
	case isText && isRedacted(text):
		d.leave(o.path, reasonSecret)
		return false
	case d.creation && !slices.Contains(strings.Split(o.tag.Get("groups"), ","), "update"):
		d.leave(o.path, reasonCreation)
		return !o.required
	}
	if standard, known := o.defaults["default"]; known && !o.required && reflect.DeepEqual(standard, o.found) {
		return true
	}
	reason := d.value(o.path, to, o.found, o.defaults)
	if reason == "" {
		return true
	}
	d.leave(o.path, reason)
	return !o.required && d.merges()
}

// secrets keeps all texts in a value.
func (d *decoder) secrets(found any) {
	switch found := found.(type) {
	case string:
		d.remember(found)
	case []any:
		for _, entry := range found {
			d.secrets(entry)
		}
	case map[string]any:
		for _, entry := range found {
			d.secrets(entry)
		}
	}
}

// value sets a value, or returns the reason why it didn't.
func (d *decoder) value(path string, to reflect.Value, found any, schema map[string]any) string {
	switch to.Kind() {
	case reflect.Pointer:
		made := reflect.New(to.Type().Elem())
		reason := d.value(path, made.Elem(), found, schema)
		empty := d.creation && made.Elem().Kind() == reflect.Struct && made.Elem().IsZero() // all of it has its default
		if reason == "" && !empty {
			to.Set(made)
		}
		return reason
	case reflect.Struct:
		return d.structure(path, to, found, schema)
	case reflect.Slice:
		return d.list(path, to, found, schema)
	case reflect.Map, reflect.Interface:
		raw, err := json.Marshal(found)
		if err != nil || json.Unmarshal(raw, to.Addr().Interface()) != nil {
			return reasonType
		}
		return ""
	default:
		if text, isText := found.(string); isText && fault.Redact(text) != text { // such as an address with a password
			d.remember(text)
			return reasonHolder
		}
		return scalar(to, found)
	}
}

func (d *decoder) structure(path string, to reflect.Value, found any, schema map[string]any) string {
	if text, bare := found.(string); bare && to.FieldByName("Network").IsValid() {
		found = map[string]any{"network": text} // an entry of an IP filter
	}
	tree, isTree := found.(map[string]any)
	if !isTree {
		return reasonType
	}
	if d.tree(path, to, tree, schema, false) {
		return ""
	}
	if holdsSecret(to.Type(), tree) {
		return reasonHolder
	}
	return reasonLacking
}

// list fills a list as a whole: an entry that is left out would be taken away.
func (d *decoder) list(path string, to reflect.Value, found any, schema map[string]any) string {
	entries, isList := found.([]any)
	if !isList {
		return reasonType
	}
	items, _ := schema["items"].(map[string]any)
	made, inside := reflect.MakeSlice(to.Type(), len(entries), len(entries)), *d
	inside.entry = true
	for i, entry := range entries {
		at := made.Index(i)
		if at.Kind() == reflect.Pointer {
			at.Set(reflect.New(at.Type().Elem()))
			at = at.Elem()
		}
		if reason := inside.value(path, at, entry, items); reason != "" {
			return reason
		}
	}
	to.Set(made)
	return ""
}

// scalar fills a text, a flag or a number. Numbers come as float64, also those of integers.
func scalar(to reflect.Value, found any) string {
	switch found := found.(type) {
	case string:
		if to.Kind() == reflect.String {
			to.SetString(found)
			return ""
		}
	case bool:
		if to.Kind() == reflect.Bool {
			to.SetBool(found)
			return ""
		}
	case float64:
		switch {
		case to.CanFloat():
			to.SetFloat(found)
			return ""
		case to.CanInt() && found == math.Trunc(found) && math.Abs(found) <= math.MaxInt64:
			to.SetInt(integer(found))
			return ""
		}
	}
	return reasonType
}

// integer is a whole number. The largest that a float64 of JSON can mean is one more than an int64 holds.
func integer(found float64) int64 {
	if found >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(found)
}

// setAuthSecret sets where the token of an object is. All kinds have the field.
func setAuthSecret(obj any, secret v1alpha1.AuthSecretReference) {
	spec := reflect.ValueOf(obj).Elem().FieldByName("Spec")
	spec.FieldByName("AuthSecretRef").Set(reflect.ValueOf(&secret))
}
