package fakekubelet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/tests/localaiven/process"
)

const (
	// tick is the pause between two checks of a running container.
	tick = 100 * time.Millisecond
	// firstPause and longestPause are those between restarts, as a kubelet has them.
	firstPause, longestPause = 10 * time.Second, 5 * time.Minute
	// retryEvery is the pause before a container that couldn't be created is tried again.
	retryEvery = time.Second
)

var errDeleted = errors.New("the pod was deleted")

// pod is the life of one pod.
type pod struct {
	node    *Node
	object  *corev1.Pod
	address string
	folder  string

	ctx    context.Context // the pod's life
	cancel context.CancelCauseFunc
	grace  atomic.Int64 // how long it may take to end

	running  atomic.Pointer[process.Program]
	restarts atomic.Int32
	last     *corev1.ContainerState
}

func newPod(n *Node, object *corev1.Pod) *pod {
	p := &pod{
		node: n, object: object, address: n.newAddress(),
		folder: filepath.Join(n.folder, object.Namespace+"_"+object.Name),
	}
	p.ctx, p.cancel = context.WithCancelCause(n.ctx)
	p.grace.Store(int64(time.Second))
	return p
}

// delete ends the pod within a period, and takes its object away.
func (p *pod) delete(grace time.Duration) {
	p.grace.Store(int64(grace))
	p.cancel(errDeleted)
}

// live runs the container, as often as the pod's restart policy asks for, until the pod is deleted.
func (p *pod) live() {
	if err := os.MkdirAll(p.folder, 0o700); err != nil {
		p.node.report("making a folder", err)
		return
	}
	for p.ctx.Err() == nil {
		program, err := p.launch()
		if failed := (mountError{}); errors.As(err, &failed) {
			p.report(waiting("ContainerCreating", err.Error()), false) // a kubelet has the message in an event
			p.pause(retryEvery)
			continue
		}
		if err != nil {
			p.report(waiting("CreateContainerConfigError", err.Error()), false)
			p.pause(retryEvery)
			continue
		}
		p.running.Store(program)
		p.attend(program)
		ended := p.terminated(program)
		if p.ctx.Err() != nil {
			break
		}
		if p.completes(ended.Terminated) {
			p.report(ended, false)
			<-p.ctx.Done()
			break
		}
		p.last = &ended
		p.afterEnd()
	}
	if errors.Is(context.Cause(p.ctx), errDeleted) {
		p.remove()
	}
}

// completes reports whether the container isn't started again.
func (p *pod) completes(end *corev1.ContainerStateTerminated) bool {
	switch p.object.Spec.RestartPolicy {
	case corev1.RestartPolicyNever:
		return true
	case corev1.RestartPolicyOnFailure:
		return end.ExitCode == 0
	default:
		return false
	}
}

// afterEnd waits before the next start: not at all after the first end, and ever longer after the others.
func (p *pod) afterEnd() {
	restarts := p.restarts.Add(1)
	if restarts == 1 {
		return
	}
	pause := min(firstPause<<min(restarts-2, 10), longestPause)
	p.report(waiting("CrashLoopBackOff", fmt.Sprintf("back-off %s restarting failed container", pause)), false)
	p.pause(pause)
}

func (p *pod) pause(d time.Duration) {
	select {
	case <-p.ctx.Done():
	case <-time.After(d):
	}
}

// attend probes a container until it has ended, which it is asked to when the pod's life is over, or when it isn't alive.
func (p *pod) attend(program *process.Program) {
	container := p.object.Spec.Containers[0]
	started := metav1.Now()
	state := corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: started}}
	ready, alive := newProbe(p, container.ReadinessProbe), newProbe(p, container.LivenessProbe)
	isReady := ready.none()
	p.report(state, isReady)
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	mounted := time.Now()
	for {
		select {
		case <-program.Done():
			return
		case <-p.ctx.Done():
			// A failure says that it had to be killed, which a kubelet does without a word.
			_ = program.End(time.Duration(p.grace.Load()))
			return
		case <-ticker.C:
		}
		if time.Since(mounted) > retryEvery {
			_, _ = p.mount() // what can't be read now stays as it is
			mounted = time.Now()
		}
		if now := ready.holds(p.ctx); now != isReady {
			isReady = now
			p.report(state, isReady)
		}
		if alive.failed(p.ctx) {
			_ = program.End(time.Duration(*p.object.Spec.TerminationGracePeriodSeconds) * time.Second)
		}
	}
}

// signal sends a signal to what runs.
func (p *pod) signal(s syscall.Signal) error {
	program := p.running.Load()
	if program == nil || program.Ended() {
		return fmt.Errorf("%s/%s doesn't run", p.object.Namespace, p.object.Name)
	}
	program.Signal(s)
	return nil
}

// remove takes the object away, as a kubelet does once nothing runs.
func (p *pod) remove() {
	zero := int64(0)
	err := p.node.client.CoreV1().Pods(p.object.Namespace).Delete(context.WithoutCancel(p.ctx), p.object.Name,
		metav1.DeleteOptions{GracePeriodSeconds: &zero, Preconditions: metav1.NewUIDPreconditions(string(p.object.UID))})
	p.node.report("removing a pod", err)
}
