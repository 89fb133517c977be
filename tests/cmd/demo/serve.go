package main

import "context"

// linger leaves everything running that the story has made.
func (d *demo) linger(ctx context.Context) error {
	return d.untilInterrupted(ctx,
		"kubectl get aiven",
		"kubectl describe connectionpool orders-pool",
		"kubectl edit postgresql my-pg",
		`psql "$(kubectl get secret orders-pool -o jsonpath='{.data.DATABASE_URI}' | base64 -d)"`,
		"curl "+d.admin.URL+"/_local/resources",
		"kubectl delete aiven --all",
	)
}

// serve leaves the programs running, with nothing applied.
func (d *demo) serve(ctx context.Context) error {
	commands := []string{
		createToken,
		"kubectl apply -f " + d.root + "/docs/examples/postgresql.yaml",
		"kubectl get aiven --watch",
		"curl " + d.admin.URL + "/_local/resources",
	}
	if d.debug != "" {
		d.say("The operator runs under delve, which listens at %s for an editor, or for delve itself.", d.debug)
		commands = append(commands, d.bin+"/"+debuggerProgram+" connect "+d.debug)
	}
	return d.untilInterrupted(ctx, commands...)
}

// untilInterrupted prints what can be typed meanwhile, and waits for Ctrl-C.
func (d *demo) untilInterrupted(ctx context.Context, commands ...string) error {
	d.say("Everything runs until you press Ctrl-C, which removes it. In another terminal:")
	d.print("", "export KUBECONFIG="+d.kubeconfig(), "export PATH="+d.bin+"/k8s:$PATH", "")
	d.print(commands...)
	d.print("")
	d.say("Logs of the operator, the local Aiven and the control plane:")
	d.print("", d.operator.Log, d.aiven.Log, d.plane.Log, "")
	<-ctx.Done()
	return context.Cause(ctx)
}
