package export

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"sigs.k8s.io/yaml"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// shortestSecret is the least length of a text that is searched for in manifests: Aiven accepts no shorter passwords. Shorter ones, of
// endpoints, are words.
const shortestSecret = 8

// remember keeps texts that no manifest may hold.
func (e *exporter) remember(secrets ...string) {
	for _, secret := range secrets {
		if secret = strings.TrimSpace(secret); len(secret) >= shortestSecret && !isRedacted(secret) {
			e.secrets = append(e.secrets, secret)
		}
	}
}

// decorate sets what all objects have alike.
func (e *exporter) decorate(d *draft) {
	annotations := maps.Clone(e.Annotations)
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[annotation.Deletion], annotations[annotation.Adoption] = policy.Orphan, policy.Adopt
	if !e.Manage {
		annotations[annotation.Management] = policy.Observe
	}
	d.obj.SetAnnotations(annotations)
	d.obj.SetLabels(maps.Clone(e.Labels))
	d.obj.SetNamespace(e.Namespace)
	d.obj.GetObjectKind().SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(kindOf(d.obj)))
	if e.AuthSecret != nil {
		setAuthSecret(d.obj, *e.AuthSecret)
	}
}

// write makes the manifest of an object. It fails if that would hold a secret of Aiven.
func (e *exporter) write(d *draft) (Manifest, error) {
	raw, err := json.Marshal(d.obj)
	if err != nil {
		return Manifest{}, err
	}
	var fields map[string]any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber() // no integer becomes a float
	if err := decoder.Decode(&fields); err != nil {
		return Manifest{}, err
	}
	delete(fields, "status")
	if e.holdsSecret(fields) || slices.ContainsFunc(d.notes, func(note Note) bool { return e.shows(note.String()) }) {
		return Manifest{}, errors.New("it isn't exported, as a field that isn't declared secret has the value of a secret. Write its manifest by hand")
	}
	if raw, err = json.Marshal(fields); err != nil {
		return Manifest{}, err
	}
	text, err := yaml.JSONToYAML(raw)
	if err != nil || !means(text, raw) {
		return Manifest{}, errors.New("it isn't exported, as YAML can't have a character or a key in it. Write its manifest by hand, as JSON")
	}
	var out bytes.Buffer
	for _, note := range d.notes {
		what := strings.TrimPrefix(cmp.Or(note.What, d.what), d.what+": ")
		fmt.Fprintf(&out, "# %s: %s\n", inLine(what), inLine(note.Text))
	}
	out.Write(text)
	return Manifest{Kind: kindOf(d.obj), Name: d.obj.GetName(), Service: d.service, YAML: out.Bytes()}, nil
}

// means reports whether a text in YAML is read as a value in JSON. Keys such as << and some line breaks aren't.
func means(text, raw []byte) bool {
	var read, meant any
	return yaml.Unmarshal(text, &read) == nil && json.Unmarshal(raw, &meant) == nil && reflect.DeepEqual(read, meant)
}

// inLine is a text without what could end a comment, or control a terminal: names at Aiven are written by many.
func inLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
}

// shows reports whether a note has a secret in it, also in quotes, which add backslashes.
func (e *exporter) shows(text string) bool {
	bare := strings.NewReplacer(`\`, "")
	unquoted := bare.Replace(text)
	return e.holdsSecret(text) || slices.ContainsFunc(e.secrets, func(secret string) bool {
		secret = bare.Replace(secret)
		return len(secret) >= shortestSecret && strings.Contains(unquoted, secret)
	})
}

// holdsSecret reports whether a text in a value has a secret in it.
func (e *exporter) holdsSecret(value any) bool {
	switch value := value.(type) {
	case string:
		return slices.ContainsFunc(e.secrets, func(secret string) bool { return strings.Contains(value, secret) })
	case []any:
		return slices.ContainsFunc(value, e.holdsSecret)
	case map[string]any:
		for key, field := range value {
			if e.holdsSecret(key) || e.holdsSecret(field) {
				return true
			}
		}
	}
	return false
}
