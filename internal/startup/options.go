package startup

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
)

// LeaseName is the name of the lease that the replicas elect their leader by.
const LeaseName = "aero.aiven.io"

// namespaceFile is where a pod finds its namespace.
const namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// Options are the flags and variables that decide what must be there before the manager starts.
type Options struct {
	ProbeAddress            string   // "0" for none
	LeaderElect             bool     // requires LeaseNamespace
	LeaseNamespace          string   // of our own lease
	Namespaces              []string // to watch, all if empty
	AivenOperatorNamespaces []string // to search for aiven-operator's lease; by the other fields, if empty
}

// BindFlags adds the flags.
func (o *Options) BindFlags(fs *flag.FlagSet) {
	fs.StringVar(&o.ProbeAddress, "health-probe-bind-address", ":8081", "Address of /healthz and /readyz. 0 disables them.")
	fs.BoolVar(&o.LeaderElect, "leader-elect", false, "Leader election. Required with more than one replica.")
	fs.StringVar(&o.LeaseNamespace, "leader-election-namespace", "",
		"Namespace of the leader election lease, and of the Secrets with tokens that Namespaces name. Defaults to that of the pod. "+
			"Outside a cluster it is required with --leader-elect, and for such Secrets.")
	fs.Func("aiven-operator-namespaces", "Namespaces, separated by commas, in which to search for aiven-operator's lease. "+
		"Defaults to the namespace of the pod and "+aivenOperatorNamespace+", or with WATCHED_NAMESPACES to the former.", func(list string) error {
		o.AivenOperatorNamespaces = names(list)
		return nil
	})
}

// Complete reads the environment, and returns an error that names the first invalid flag.
func (o *Options) Complete() error {
	o.Namespaces = names(os.Getenv("WATCHED_NAMESPACES"))
	if o.LeaseNamespace == "" {
		own, err := podNamespace()
		if err != nil {
			return err
		}
		o.LeaseNamespace = own
	}
	if o.LeaderElect && o.LeaseNamespace == "" {
		return errors.New("--leader-elect requires --leader-election-namespace outside a cluster")
	}
	return nil
}

// names splits a list at its commas.
func names(list string) (all []string) {
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			all = append(all, name)
		}
	}
	return all
}

// leaseNamespaces are the namespaces in which to search for aiven-operator's lease. Tenants may create leases in others. Where
// namespaces are watched, the account has no permission elsewhere.
func (o *Options) leaseNamespaces() []string {
	own := o.LeaseNamespace
	switch {
	case len(o.AivenOperatorNamespaces) > 0:
		return o.AivenOperatorNamespaces
	case own == "" || own == aivenOperatorNamespace:
		return []string{aivenOperatorNamespace}
	case len(o.Namespaces) > 0:
		return []string{own}
	default:
		return []string{own, aivenOperatorNamespace}
	}
}

// podNamespace is the namespace of the pod, or empty outside a cluster.
func podNamespace() (string, error) {
	content, err := os.ReadFile(namespaceFile)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("reading the namespace of the pod: %w", err)
	}
	return strings.TrimSpace(string(content)), nil
}
