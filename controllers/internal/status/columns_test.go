package status

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
)

// columns are all that a conclusion shows to users and clients.
type columns struct {
	row, ready, config, auth, reachable, components, phase, activity, next, legacy, annotations, event string
}

func columnsOf(c *Conclusion) columns {
	byType := map[string]string{}
	var components, activities, legacy []string
	byName := func(a, b metav1.Condition) int { return strings.Compare(a.Type, b.Type) }
	for _, cond := range slices.SortedFunc(slices.Values(c.Status.Conditions), byName) {
		text := string(cond.Status) + "/" + cond.Reason
		byType[cond.Type] = text
		switch cond.Type {
		case condition.Ready, condition.ConfigValid, condition.AuthValid, condition.DependenciesReachable:
		case condition.Reconciling, condition.Stalled, condition.Paused:
			activities = append(activities, cond.Type)
		case condition.LegacyInitialized, condition.LegacyRunning, condition.LegacyError:
			legacy = append(legacy, cond.Type+"="+text)
		default:
			components = append(components, strings.TrimSuffix(cond.Type, "Ready")+"="+text)
		}
	}
	return columns{
		row: c.Row, ready: byType[condition.Ready], config: byType[condition.ConfigValid], auth: byType[condition.AuthValid],
		reachable: byType[condition.DependenciesReachable], components: strings.Join(components, " "),
		phase: string(c.Status.Phase), activity: strings.Join(activities, " "), next: nextOf(c),
		legacy: strings.Join(legacy, " "), annotations: annotationsOf(c), event: eventOf(c),
	}
}

func nextOf(c *Conclusion) string {
	switch {
	case c.Err != nil:
		return "error"
	case c.Result.RequeueAfter == 0:
		return "change"
	case *c.Result.Priority < 0:
		return c.Result.RequeueAfter.String() + " poll"
	default:
		return c.Result.RequeueAfter.String()
	}
}

func annotationsOf(c *Conclusion) string {
	var out []string
	for _, a := range []struct{ key, name string }{{annotation.Processed, "processed"}, {annotation.Running, "running"}} {
		value, there := c.Annotations[a.key]
		switch {
		case there && value == nil:
			out = append(out, "-"+a.name)
		case there:
			out = append(out, a.name+"="+*value)
		}
	}
	return strings.Join(out, " ")
}

func eventOf(c *Conclusion) string {
	if c.Event == nil {
		return ""
	}
	return c.Event.Type + " " + c.Event.Reason
}
