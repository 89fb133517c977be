package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/aero-operator/aero/cmd/kubectl-aero/internal/connect"
	"github.com/aero-operator/aero/cmd/kubectl-aero/internal/table"
	"github.com/aero-operator/aero/controllers/view"
)

// connection is the command line of connect.
type connection struct {
	object []string
	extra  []string // arguments of the client
	user   string
	client string
	print  bool
}

func (p *plugin) connect() *cobra.Command {
	var c connection
	command := &cobra.Command{
		Use:   "connect KIND NAME | KIND/NAME [-- ARGUMENTS OF THE CLIENT]",
		Short: "Start psql, mysql, valkey-cli or kcat with the connection Secret of an object",
		Long: "Reads the connection Secret with your own permissions, and starts the client of the service: psql for PostgreSQL and " +
			"ConnectionPool, mysql, valkey-cli or redis-cli, kcat. A ServiceUser connects to its service as itself; a Database as the " +
			"administrator of its service, or as a ServiceUser. The certificate of the server is verified. The password is in no command line.",
		Example: "  kubectl aero connect postgresql my-pg\n  kubectl aero connect database orders --service-user orders-app -- -c 'SELECT 1'\n" +
			"  kubectl aero connect kafka my-kafka -- -C -t orders -e",
		Args: naming(beforeDash), ValidArgsFunction: p.completeObjects,
	}
	command.Flags().StringVar(&c.user, "service-user", "", "ServiceUser object to connect as, in the namespace of the object")
	command.Flags().StringVar(&c.client, "client", "", "Client to start: "+strings.Join(connect.Programs(), ", ")+". Defaults to that of the service")
	command.Flags().BoolVar(&c.print, "print", false, "Command and the names of its environment variables, printed without starting anything")
	complete(command, "client", cobra.FixedCompletions(connect.Programs(), cobra.ShellCompDirectiveNoFileComp))
	command.RunE = func(command *cobra.Command, args []string) error {
		c.object = args
		if dash := command.ArgsLenAtDash(); dash >= 0 {
			c.object, c.extra = args[:dash], args[dash:]
		}
		return p.start(command.Context(), &c)
	}
	return command
}

// beforeDash requires an argument that isn't the client's.
func beforeDash(command *cobra.Command, args []string) error {
	if dash := command.ArgsLenAtDash(); dash >= 0 {
		args = args[:dash]
	}
	return cobra.MinimumNArgs(1)(command, args)
}

func (p *plugin) start(ctx context.Context, c *connection) error {
	o, err := p.one(c.object)
	if err != nil {
		return err
	}
	owner, client, err := p.ways(ctx, o, c)
	if err != nil {
		return err
	}
	details, err := p.details(ctx, owner)
	if err != nil {
		return err
	}
	if o.Kind == kindDatabase {
		details.Database = o.DatabaseName()
	}
	return connect.InFolder(ctx, func(ctx context.Context, folder string) error {
		session, err := client.Session(ctx, details, folder)
		if err != nil {
			return err
		}
		if c.print {
			return p.showLines(session.Describe(c.extra))
		}
		return session.Run(ctx, p.streams, c.extra)
	})
}

// showLines writes the lines of a text.
func (p *plugin) showLines(text string) error {
	for line := range strings.Lines(text) {
		if err := p.writer().Line(table.Cell{Text: strings.TrimSuffix(line, "\n")}); err != nil {
			return err
		}
	}
	return nil
}

// Kinds in a service, of which another object has the connection Secret or the type.
const (
	kindDatabase = "Database"
	kindUser     = "ServiceUser"
)

// ways returns the object whose Secret is used, and the client.
func (p *plugin) ways(ctx context.Context, o *view.Object, c *connection) (*view.Object, connect.Client, error) {
	service, missing := o, error(nil)
	if o.Kind == kindDatabase || o.Kind == kindUser {
		service, missing = p.serviceOf(ctx, o)
	}
	owner, err := o, error(nil)
	switch {
	case c.user != "":
		owner, err = p.one([]string{"serviceusers", c.user})
	case o.Kind == kindDatabase:
		owner, err = service, missing
	}
	if err != nil {
		return nil, connect.Client{}, err
	}
	if c.client != "" {
		client, found := connect.Named(c.client)
		if !found {
			return nil, client, fmt.Errorf("unknown --client %q: use %s", c.client, strings.Join(connect.Programs(), ", "))
		}
		return owner, client, nil
	}
	if missing != nil {
		return nil, connect.Client{}, missing
	}
	client, found := connect.ForKind(service.Kind)
	if !found {
		return nil, client, fmt.Errorf("connect has no client for the kind %s: start one yourself, with its connection Secret", service.Kind)
	}
	return owner, client, nil
}

// serviceOf finds the service that an object is in, by its name at Aiven.
func (p *plugin) serviceOf(ctx context.Context, o *view.Object) (*view.Object, error) {
	all, err := p.readAll(ctx, o.Namespace)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all.objects, func(s *view.Object) bool { return s.IsService() && o.Within(s) })
	if i < 0 {
		return nil, fmt.Errorf("no object of namespace %s manages the service %s of %s: name a ServiceUser with --service-user, and the client with --client",
			o.Namespace, o.InService(), o)
	}
	return all.objects[i], nil
}

// details reads the connection Secret of an object: the only Secret that the plugin reads.
func (p *plugin) details(ctx context.Context, owner *view.Object) (*connect.Details, error) {
	published, has := owner.Secret()
	if !has {
		return nil, fmt.Errorf("%s publishes no connection Secret", owner)
	}
	config, err := p.flags.ToRESTConfig()
	if err != nil {
		return nil, err
	}
	client, err := corev1client.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	secret, err := client.Secrets(owner.Namespace).Get(ctx, published.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("the Secret %s of %s isn't published: %s. For the cause and the fix: kubectl aero why %s -n %s",
			published.Name, owner, cmp.Or(published.State.Message, "the operator hasn't reconciled the object yet"), owner, owner.Namespace)
	}
	if err != nil {
		return nil, err
	}
	return &connect.Details{Secret: published.Name, Prefix: owner.SecretPrefix(), Data: secret.Data}, nil
}
