package main

import (
	"context"
	"fmt"
)

// linger leaves everything running that the story has made.
func (d *demo) linger(ctx context.Context) error {
	return d.untilInterrupted(ctx,
		"kubectl get aiven",
		"kubectl describe connectionpool orders-pool",
		"kubectl edit postgresql my-pg",
		`psql "$(kubectl get secret orders-pool -o jsonpath='{.data.DATABASE_URI}' | base64 -d)"`,
		d.resources(),
		d.resetPassword(),
		"kubectl delete aiven --all",
	)
}

// serve leaves the programs running, with nothing applied but the admission policies.
func (d *demo) serve(ctx context.Context) error {
	if err := d.enter(ctx, "kubectl apply -f config/admission"); err != nil {
		return err
	}
	// A watch is of one kind: kubectl refuses one of a category.
	commands := []string{
		createToken,
		"kubectl apply -f " + d.root + "/docs/examples",
		"kubectl get aiven",
		"kubectl get postgresql --watch",
		d.resources(),
		d.resetPassword(),
		"kubectl annotate --overwrite serviceuser/" + username + " controllers.aiven.io/reconcile-requested-at=$(date +%s)",
		"curl --silent http://" + d.metrics + "/metrics",
		"kubectl delete aiven --all",
	}
	if d.debug != "" {
		d.say("The operator runs under delve, which listens at %s for an editor, or for delve itself.", d.debug)
		commands = append(commands, d.bin+"/"+debuggerProgram+" connect "+d.debug)
	}
	return d.untilInterrupted(ctx, commands...)
}

// resources lists what is at the local Aiven.
func (d *demo) resources() string { return "curl --silent " + d.admin.URL + "/_local/resources" }

// resetPassword changes the password of the examples' user at Aiven, as its console does.
func (d *demo) resetPassword() string {
	return fmt.Sprintf(`curl --silent --request PUT --header 'Authorization: aivenv1 any' --data '{"operation":"reset-credentials"}' `+
		"%s/v1/project/%s/service/%s/user/%s > /dev/null", d.admin.URL, project, serviceName, username)
}

// untilInterrupted prints what can be typed meanwhile, and waits for Ctrl-C.
func (d *demo) untilInterrupted(ctx context.Context, commands ...string) error {
	d.say("Everything runs until you press Ctrl-C, which removes it. In another terminal:")
	d.print("", "export KUBECONFIG="+d.kubeconfig(), "export PATH="+d.bin+"/k8s:$PATH", "")
	d.print(commands...)
	d.print("")
	d.say("Logs of the operator, the local Aiven and the control plane:")
	d.print("", d.operator.Log, d.aiven.Log, d.plane.Log, "")
	d.serving = true
	<-ctx.Done()
	return context.Cause(ctx)
}
