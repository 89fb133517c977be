package service

import (
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
)

// Separates implements plan.Separator: differences can be left if a request without them changes the others and nothing else.
func (c *controller[T]) Separates(obj client.Object, held controllers.Diff) bool {
	w, err := c.desired(obj.(T))
	if err != nil {
		return false
	}
	w.keepNewer(c.last)
	before, writeOnly := w.compare(c.last)
	if !w.keep(held.Paths(), c.last) {
		return false
	}
	after, left := w.compare(c.last)
	isHeld := func(path string) bool { return held.Has(path) }
	return slices.Equal(after.Paths(), slices.DeleteFunc(before.Paths(), isHeld)) && slices.Equal(left, slices.DeleteFunc(writeOnly, isHeld))
}

// keep makes the spec ask for what a service has at some paths, or leave that open. It reports whether it can.
func (w *desired) keep(paths []string, s *aiven.Service) bool {
	for _, path := range paths {
		switch path {
		case pathPlan:
			w.plan = ""
		case pathCloud:
			w.cloud = ""
		case pathVPC:
			w.vpc = ""
		case pathDisk:
			w.diskMB = 0
		case pathDay:
			w.day = ""
		case pathTime:
			w.time = ""
		case pathProtection:
			w.protection = nil
		case pathPowered:
			w.powered = s.State != aiven.StatePoweroff
		case pathTags:
			w.tags = s.Tags
		case pathEmails:
			w.emails = nil
		default:
			option, is := strings.CutPrefix(path, pathOptions+".")
			update, kept := keepOption(w.update, option, s.UserConfig)
			if !is || !kept {
				return false
			}
			w.update = update
		}
	}
	return true
}

// keepOption is a tree of options, with what another tree has at one place. An option that Aiven doesn't report is left out, which leaves
// it as it is; in a group it can't be: whether a group that is sent without it removes it isn't known.
func keepOption(tree map[string]any, option string, found map[string]any) (map[string]any, bool) {
	out := maps.Clone(tree)
	for name, wanted := range tree {
		below, inGroup := strings.CutPrefix(option, name+".")
		group, isGroup := wanted.(map[string]any)
		switch value := found[name]; {
		case name == option && userconfig.Reported(value):
			out[name] = value
		case name == option:
			delete(out, name)
		case inGroup && isGroup:
			has, _ := value.(map[string]any)
			kept, done := keepOption(group, below, has)
			if _, still := kept[below]; !done || !still && group[below] != nil {
				return nil, false
			}
			out[name] = kept
		default:
			continue
		}
		return out, true
	}
	return nil, false
}
