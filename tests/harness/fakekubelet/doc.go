// Package fakekubelet is a node whose containers are processes of this machine. A control plane without machines schedules nothing;
// with a node, a Deployment of the operator has pods that start, become ready, fail, restart and end, as on any cluster,
// and helm can wait for them.
//
// It runs only pods all of whose images it has a program for; others stay Pending, with an event that has the reason. Each pod has an address of its own in 127.0.0.0/8, which
// Linux answers to without being asked. So that pods don't collide, `--…-address=:PORT` in their arguments becomes
// `--…-address=ADDRESS:PORT`; so does 127.0.0.1, as a pod has no loopback of its own here. A pod reaches the API server by KUBECONFIG, with a token of its service account that the API
// server bound to the pod.
//
// What it does of a kubelet's work: environment variables from values, Secrets and fields; volumes of Secrets, which
// follow the Secret, and whose paths are replaced in arguments of the form --flag=PATH; readiness and liveness probes by
// HTTP; restarts, ever later, unless the pod's policy wants none; termination within the grace period; termination messages; logs for kubectl. What it doesn't:
// other volumes, init containers, more than one container, limits of resources, security contexts, probes of other kinds, and other events.
package fakekubelet
