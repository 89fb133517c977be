package fakekubelet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// Options of a Node.
type Options struct {
	// Config leads to the control plane, with all permissions.
	Config *rest.Config
	// Programs are executables by the name of the image that represents them, without tag and digest.
	Programs map[string]string
	// Environment are variables, as NAME=VALUE, that every pod has unless its spec sets them.
	Environment []string
	// Arguments are put behind those of a pod's spec, such as for what a program would read from its file system; nil for none.
	Arguments func(*corev1.Pod) []string
	// Log gets a line for what a kubelet would log; nil for none.
	Log io.Writer
}

// Node runs pods. Its methods may be called from several goroutines.
type Node struct {
	options  Options
	name     string
	client   kubernetes.Interface
	folder   string // of the pods' logs and kubeconfigs
	listener net.Listener

	ctx    context.Context // the node's life, which ends the pods that were started for it
	cancel context.CancelCauseFunc
	work   sync.WaitGroup

	mu   sync.Mutex
	pods map[types.UID]*pod
	next byte
}

// errStopped is why pods end that weren't deleted.
var errStopped = errors.New("the node was stopped")

// Start registers a node and returns once it sees pods. Stop ends it.
func Start(o Options) (*Node, error) {
	if o.Log == nil {
		o.Log = io.Discard
	}
	client, err := kubernetes.NewForConfig(o.Config)
	if err != nil {
		return nil, fmt.Errorf("starting a node: %w", err)
	}
	listener, err := ownAddress()
	if err != nil {
		return nil, err
	}
	n := &Node{options: o, client: client, listener: listener, pods: map[types.UID]*pod{}, next: 1}
	n.name = "node-" + n.address().String()
	n.ctx, n.cancel = context.WithCancelCause(context.Background())
	for _, step := range []func() error{n.makeFolder, n.serveLogs, n.register, n.watch} {
		if err := step(); err != nil {
			return nil, errors.Join(fmt.Errorf("starting a node: %w", err), n.Stop())
		}
	}
	return n, nil
}

func (n *Node) makeFolder() (err error) {
	n.folder, err = os.MkdirTemp("", "aero-node-")
	return err // it names the folder
}

// Stop ends all pods, as a machine does that is switched off in order: their objects stay.
func (n *Node) Stop() error {
	n.cancel(errStopped)
	n.work.Wait()
	err := n.listener.Close()
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	return errors.Join(err, os.RemoveAll(n.folder))
}

// ownAddress is an address of loopback whose port of the kubelet is free. Its owner may use the addresses that differ
// from it in the last byte only.
func ownAddress() (net.Listener, error) {
	var last error
	for third := range 250 {
		listener, err := net.Listen("tcp", fmt.Sprintf("127.77.%d.1:10250", third+1))
		if err == nil {
			return listener, nil
		}
		last = err
	}
	return nil, fmt.Errorf("finding an address for a node (on Linux, all of 127.0.0.0/8 can be listened on): %w", last)
}

func (n *Node) address() net.IP { return n.listener.Addr().(*net.TCPAddr).IP.To4() }

// newAddress is one that no living pod has.
func (n *Node) newAddress() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.next++
	if n.next < 2 {
		n.next = 2
	}
	own := n.address()
	return net.IPv4(own[0], own[1], own[2], n.next).String()
}

func (n *Node) register() error {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.name, Labels: map[string]string{corev1.LabelHostname: n.name}}}
	created, err := n.client.CoreV1().Nodes().Create(n.ctx, node, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) { // of a node that ended with this address
		created, err = n.client.CoreV1().Nodes().Get(n.ctx, n.name, metav1.GetOptions{})
	}
	if err != nil {
		return fmt.Errorf("registering: %w", err)
	}
	created.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: n.address().String()}}
	created.Status.DaemonEndpoints.KubeletEndpoint.Port = int32(n.listener.Addr().(*net.TCPAddr).Port)
	created.Status.Conditions = []corev1.NodeCondition{{
		Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady", LastTransitionTime: metav1.Now(),
	}}
	if _, err := n.client.CoreV1().Nodes().UpdateStatus(n.ctx, created, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("becoming ready: %w", err)
	}
	return nil
}

func (n *Node) watch() error {
	source := cache.NewListWatchFromClient(n.client.CoreV1().RESTClient(), "pods", metav1.NamespaceAll, fields.Everything())
	_, informer := cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: source, ObjectType: &corev1.Pod{}, Handler: cache.ResourceEventHandlerFuncs{
			AddFunc:    func(seen any) { n.see(seen.(*corev1.Pod)) },
			UpdateFunc: func(_, seen any) { n.see(seen.(*corev1.Pod)) },
			DeleteFunc: n.lose,
		},
	})
	n.work.Go(func() { informer.RunWithContext(n.ctx) })
	ctx, cancel := context.WithTimeout(n.ctx, time.Minute)
	defer cancel()
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return errors.New("seeing the pods that there are: the API server doesn't list them")
	}
	return nil
}

// see takes a pod without a node, or writes why it can't, starts one that was given to this node, and ends one that was deleted.
func (n *Node) see(seen *corev1.Pod) {
	switch {
	case seen.Spec.NodeName == "" && seen.DeletionTimestamp != nil:
	case seen.Spec.NodeName == "" && n.lacks(seen) != "":
		n.work.Go(func() { n.refuse(seen.DeepCopy(), n.lacks(seen)) })
	case seen.Spec.NodeName == "":
		binding := &corev1.Binding{
			ObjectMeta: metav1.ObjectMeta{Namespace: seen.Namespace, Name: seen.Name, UID: seen.UID},
			Target:     corev1.ObjectReference{Kind: "Node", Name: n.name},
		}
		n.work.Go(func() {
			n.report("binding", n.client.CoreV1().Pods(seen.Namespace).Bind(n.ctx, binding, metav1.CreateOptions{}))
		})
	case seen.Spec.NodeName == n.name:
		p := n.pod(seen)
		if seen.DeletionTimestamp != nil {
			p.delete(time.Duration(*seen.DeletionGracePeriodSeconds) * time.Second)
		}
	}
}

// pod is the one that runs for the object, which is started when it is seen for the first time.
func (n *Node) pod(seen *corev1.Pod) *pod {
	n.mu.Lock()
	known := n.pods[seen.UID]
	n.mu.Unlock()
	if known != nil {
		return known
	}
	p := newPod(n, seen.DeepCopy())
	n.mu.Lock()
	n.pods[seen.UID] = p
	n.mu.Unlock()
	n.work.Go(p.live)
	return p
}

// lose ends a pod whose object is gone, as after a deletion by force.
func (n *Node) lose(seen any) {
	if unknown, missed := seen.(cache.DeletedFinalStateUnknown); missed {
		seen = unknown.Obj
	}
	uid := seen.(*corev1.Pod).UID
	n.mu.Lock()
	p := n.pods[uid]
	delete(n.pods, uid)
	n.mu.Unlock()
	if p != nil {
		p.delete(0)
	}
}

// report logs a failure, unless the pod or the node has gone meanwhile.
func (n *Node) report(doing string, err error) {
	if err != nil && n.ctx.Err() == nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		_, _ = fmt.Fprintf(n.options.Log, "%s: %s: %v\n", n.name, doing, err)
	}
}
