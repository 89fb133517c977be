package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/aero-operator/aero/cmd/kubectl-aero/internal/table"
)

// completeObjects completes a kind, and then the names of its objects. An error completes nothing.
func (p *plugin) completeObjects(_ *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	kind, _, pair := strings.Cut(begun, "/")
	switch {
	case pair:
		return having(begun, p.names(kind, kind+"/")), cobra.ShellCompDirectiveNoFileComp
	case len(args) > 0:
		return having(begun, p.names(args[0], "")), cobra.ShellCompDirectiveNoFileComp
	}
	kinds, err := p.kinds()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, kind := range kinds {
		names = append(append(names, kind.SingularName), kind.ShortNames...)
	}
	return having(begun, names), cobra.ShellCompDirectiveNoFileComp
}

// names are those of all objects of a kind, behind a prefix.
func (p *plugin) names(kind, prefix string) (names []string) {
	infos, _ := p.find(selection{args: []string{kind}, every: true})
	for _, info := range infos {
		names = append(names, prefix+info.Name)
	}
	return names
}

// completeNamespaces completes the names of namespaces.
func (p *plugin) completeNamespaces(command *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	config, err := p.flags.ToRESTConfig()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	client, err := corev1client.NewForConfig(config)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	list, err := client.Namespaces().List(command.Context(), metav1.ListOptions{})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for i := range list.Items {
		names = append(names, list.Items[i].Name)
	}
	return having(begun, names), cobra.ShellCompDirectiveNoFileComp
}

// having are the values that begin like this, and that a shell may print.
func having(begun string, values []string) []string {
	return slices.DeleteFunc(values, func(value string) bool { return !strings.HasPrefix(value, begun) || table.Escape(value) != value })
}
