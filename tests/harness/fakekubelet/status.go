package fakekubelet

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"github.com/aero-operator/aero/tests/localaiven/process"
)

const (
	// messageLines and messageBytes bound a termination message that is taken from the log, as a kubelet does.
	messageLines, messageBytes = 80, 2048
)

func waiting(reason, message string) corev1.ContainerState {
	return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
}

// refuse writes why a pod stays without a node, once, as a scheduler does. A node that takes the pod meanwhile makes it a conflict.
func (n *Node) refuse(pod *corev1.Pod, why string) {
	for _, known := range pod.Status.Conditions {
		if known.Type == corev1.PodScheduled && known.Message == why {
			return
		}
	}
	pod.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: why,
		LastTransitionTime: metav1.Now(),
	}}
	if _, err := n.client.CoreV1().Pods(pod.Namespace).UpdateStatus(n.ctx, pod, metav1.UpdateOptions{}); err != nil {
		n.report("refusing "+pod.Name, err)
		return
	}
	now := metav1.Now()
	_, err := n.client.CoreV1().Events(pod.Namespace).Create(n.ctx, &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: pod.Namespace, GenerateName: pod.Name + "-"},
		InvolvedObject: corev1.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
		Type:           corev1.EventTypeWarning, Reason: "FailedScheduling", Message: why, Count: 1,
		Source: corev1.EventSource{Component: n.name}, FirstTimestamp: now, LastTimestamp: now,
	}, metav1.CreateOptions{})
	n.report("refusing "+pod.Name, err)
}

// terminated is how a container ended: with the end of its log, if its spec asks for that.
func (p *pod) terminated(program *process.Program) corev1.ContainerState {
	end := &corev1.ContainerStateTerminated{ExitCode: int32(program.ExitCode()), Reason: "Completed", FinishedAt: metav1.Now()}
	if end.ExitCode != 0 {
		end.Reason = "Error"
		if p.object.Spec.Containers[0].TerminationMessagePolicy == corev1.TerminationMessageFallbackToLogsOnError {
			text := strings.Join(program.Lines(messageLines), "\n")
			end.Message = text[max(0, len(text)-messageBytes):]
		}
	}
	return corev1.ContainerState{Terminated: end}
}

// report writes the pod's status.
func (p *pod) report(state corev1.ContainerState, ready bool) {
	pods := p.node.client.CoreV1().Pods(p.object.Namespace)
	ctx := context.WithoutCancel(p.ctx)
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		current, err := pods.Get(ctx, p.object.Name, metav1.GetOptions{})
		if err != nil || current.UID != p.object.UID {
			return err // RetryOnConflict checks it
		}
		p.fill(&current.Status, state, ready)
		_, err = pods.UpdateStatus(ctx, current, metav1.UpdateOptions{})
		return err // RetryOnConflict checks it
	})
	p.node.report("writing the status of "+p.object.Name, err)
}

func (p *pod) fill(status *corev1.PodStatus, state corev1.ContainerState, ready bool) {
	container := p.object.Spec.Containers[0]
	started := state.Running != nil
	if status.StartTime == nil {
		now := metav1.Now()
		status.StartTime = &now
	}
	status.Phase = p.phase(state)
	status.HostIP, status.PodIP = p.node.address().String(), p.address
	status.HostIPs, status.PodIPs = []corev1.HostIP{{IP: status.HostIP}}, []corev1.PodIP{{IP: p.address}}
	one := corev1.ContainerStatus{
		Name: container.Name, Image: container.Image, ImageID: container.Image,
		State: state, Ready: ready, Started: &started, RestartCount: p.restarts.Load(),
	}
	if p.last != nil {
		one.LastTerminationState = *p.last
	}
	status.ContainerStatuses = []corev1.ContainerStatus{one}
	for _, kind := range []corev1.PodConditionType{corev1.PodInitialized, corev1.ContainersReady, corev1.PodReady} {
		setCondition(status, kind, kind == corev1.PodInitialized || ready)
	}
}

// phase is that of the pod while its container is in a state. Only one that isn't started again stays terminated.
func (p *pod) phase(state corev1.ContainerState) corev1.PodPhase {
	switch end := state.Terminated; {
	case end != nil && end.ExitCode == 0:
		return corev1.PodSucceeded
	case end != nil:
		return corev1.PodFailed
	case state.Running != nil || p.last != nil:
		return corev1.PodRunning
	default:
		return corev1.PodPending
	}
}

func setCondition(status *corev1.PodStatus, kind corev1.PodConditionType, holds bool) {
	value := corev1.ConditionFalse
	if holds {
		value = corev1.ConditionTrue
	}
	fresh := corev1.PodCondition{Type: kind, Status: value, LastTransitionTime: metav1.Now()}
	for i, old := range status.Conditions {
		if old.Type == kind {
			if old.Status != value {
				status.Conditions[i] = fresh
			}
			return
		}
	}
	status.Conditions = append(status.Conditions, fresh)
}
