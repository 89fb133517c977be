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

// serve leaves the programs running, with nothing applied but the admission policies and the roles of teams.
func (d *demo) serve(ctx context.Context) error {
	if err := d.enter(ctx, "kubectl apply -f config/admission -f config/manager/aggregate.yaml"); err != nil {
		return err
	}
	// A watch is of one kind: kubectl refuses one of a category.
	commands := []string{
		createToken,
		"# All examples. Their project is first, as it exists once something was made in it; a step of an upgrade pipeline needs a second service.",
		"kubectl apply -f " + d.root + "/docs/examples/project.yaml",
		"kubectl wait --for=condition=Ready project/" + project,
		d.makeService(),
		"kubectl apply -f " + d.root + "/docs/examples",
		"kubectl get aiven",
		"kubectl aero tree postgresql/" + serviceName,
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

// resetPassword changes the password of the examples' user at Aiven.
func (d *demo) resetPassword() string {
	return d.console("PUT", `{"operation":"reset-credentials"}`, fmt.Sprintf("%s/service/%s/user/%s", project, serviceName, username))
}

// makeService makes the service at Aiven that the example of a step upgrades last.
func (d *demo) makeService() string {
	body := fmt.Sprintf(`{"service_name":%q,"service_type":"pg","plan":"startup-4","cloud":"google-europe-west1"}`, serviceName)
	return d.console("POST", body, "my-production/service")
}

// console is a call as Aiven's console makes it.
func (d *demo) console(method, body, path string) string {
	return fmt.Sprintf("curl --silent --request %s --header 'Authorization: aivenv1 any' --data '%s' %s/v1/project/%s > /dev/null",
		method, body, d.admin.URL, path)
}

// untilInterrupted prints what can be typed meanwhile, and waits for Ctrl-C.
func (d *demo) untilInterrupted(ctx context.Context, commands ...string) error {
	d.say("Everything runs until you press Ctrl-C, which removes it. In another terminal:")
	d.print("", "export KUBECONFIG="+d.kubeconfig(), "export PATH="+d.bin+":"+d.bin+"/k8s:$PATH",
		"export AIVEN_WEB_URL="+d.admin.URL, "export AIVEN_TOKEN=any", "")
	d.print(commands...)
	d.print("")
	d.say("Logs of the operator, the local Aiven and the control plane:")
	d.print("", d.operator.Log, d.aiven.Log, d.plane.Log, "")
	d.serving = true
	<-ctx.Done()
	return context.Cause(ctx)
}
