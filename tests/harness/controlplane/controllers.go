package controlplane

import (
	"context"
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const controllersUser = "system:kube-controller-manager"

// controllers are those that work without nodes, volumes and clouds, and those
// that take finalizers off which admission puts on.
var controllers = []string{
	"certificatesigningrequest-cleaner-controller",
	"clusterrole-aggregation-controller",
	"cronjob-controller",
	"daemonset-controller",
	"deployment-controller",
	"disruption-controller",
	"endpoints-controller",
	"endpointslice-controller",
	"garbage-collector-controller",
	"job-controller",
	"namespace-controller",
	"persistentvolume-protection-controller",
	"persistentvolumeclaim-protection-controller",
	"replicaset-controller",
	"replicationcontroller-controller",
	"resourcequota-controller",
	"root-ca-certificate-publisher-controller",
	"serviceaccount-controller",
	"serviceaccount-token-controller",
	"statefulset-controller",
	"ttl-after-finished-controller",
	"validatingadmissionpolicy-status-controller",
}

// startControllers starts kube-controller-manager. As in a real cluster it has
// no more permissions than RBAC gives to it, and each controller acts by a service
// account of its own, which the audit log shows.
func (c *ControlPlane) startControllers(ctx context.Context, o Options) error {
	user, err := c.User(controllersUser)
	if err != nil {
		return err
	}
	access, err := kubeconfig(user)
	if err != nil {
		return err
	}
	path := c.pkiFile("controllers.kubeconfig")
	if err := writeSecret(path, access); err != nil {
		return err
	}
	child, err := c.launch(o, controllersName,
		"--kubeconfig="+path,
		"--controllers="+strings.Join(controllers, ","),
		"--use-service-account-credentials=true",
		"--service-account-private-key-file="+c.pkiFile(tokenKeyFile),
		"--root-ca-file="+c.pkiFile(caFile),
		"--leader-elect=false",
		// It has no clients, so it can't collide with another's port either.
		"--secure-port=0",
		// Its own brakes are for clusters with a thousand nodes.
		"--kube-api-qps=1000",
		"--kube-api-burst=2000",
		"--namespace-sync-period=5s",
	)
	if err != nil {
		return err
	}
	c.children = append(c.children, child)
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	return child.Await(ctx, c.controllersWork)
}

// controllersWork checks for the account and the certificate that two of the
// controllers give to every namespace. Without them no pod could be created.
func (c *ControlPlane) controllersWork(ctx context.Context) error {
	client, err := clientFor(c.admin)
	if err != nil {
		return err
	}
	_, account := client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
	_, root := client.CoreV1().ConfigMaps(metav1.NamespaceDefault).Get(ctx, "kube-root-ca.crt", metav1.GetOptions{})
	if err := errors.Join(account, root); err != nil {
		return fmt.Errorf("getting what the controllers create: %w", err)
	}
	return nil
}
