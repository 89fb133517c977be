package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
)

// createToken makes the Secret that the examples refer to.
const createToken = "kubectl create secret generic aiven-token --from-literal=token=the-local-aiven-takes-any"

func (d *demo) declare(ctx context.Context) error {
	for _, line := range []string{
		createToken,
		"kubectl apply -f docs/examples/postgresql.yaml",
		"kubectl apply -f docs/examples/database.yaml",
		"kubectl apply -f docs/examples/serviceuser.yaml",
		"kubectl apply -f docs/examples/connectionpool.yaml",
	} {
		if err := d.enter(ctx, line); err != nil {
			return err
		}
	}
	d.print("")
	return d.await(ctx, stepTimeout, d.follow(examples(), isReady))
}

func (d *demo) inspect(ctx context.Context) error {
	err := d.enter(ctx, "kubectl get aiven --output=custom-columns=KIND:.kind,NAME:.metadata.name,PHASE:.status.phase")
	if err != nil {
		return err
	}
	service := examples()[:1]
	if _, err := d.follow(service, isReady)(ctx); err != nil {
		return err
	}
	d.print("")
	d.say("The conditions of %s, as kubectl describe shows them:", service[0].title())
	d.conditions(service[0])
	d.print("")
	err = d.enter(ctx, "kubectl get events --sort-by=.metadata.creationTimestamp "+
		"--output=custom-columns=OBJECT:.involvedObject.name,REASON:.reason,MESSAGE:.message")
	if err != nil {
		return err
	}
	data, err := d.secret(ctx, userSecret)
	if err != nil {
		return err
	}
	d.print("")
	d.say("The Secret %s that the operator has published for the ServiceUser:", userSecret)
	d.keys(data)
	return nil
}

// blunder shows two manifests that can't work, and the answers they get.
func (d *demo) blunder(ctx context.Context) error {
	d.say("A day that doesn't exist: Kubernetes refuses the manifest.")
	err := d.refused(ctx, "sed s/sunday/someday/ docs/examples/postgresql.yaml | kubectl apply -f -")
	if err != nil {
		return err
	}
	d.print("")
	d.say("A plan that doesn't exist: only Aiven knows its plans, so the answer is in the status.")
	err = d.enter(ctx, "sed 's/my-pg/typo/; s/-4$/-400/' docs/examples/postgresql.yaml | kubectl apply -f -")
	if err != nil {
		return err
	}
	typo := example("PostgreSQL", "typo")
	if err := d.await(ctx, stepTimeout, d.follow([]*watched{typo}, isRejected)); err != nil {
		return err
	}
	ready := meta.FindStatusCondition(typo.status.Conditions, conditionReady)
	d.bad("Ready is %s, with the reason %s: %s", ready.Status, ready.Reason, ready.Message)
	return d.enter(ctx, "kubectl delete postgresql typo")
}

// clear deletes everything, and proves that nothing is left on either side.
func (d *demo) clear(ctx context.Context) error {
	if err := d.drop(ctx, "kubectl delete aiven --all"); err != nil {
		return err
	}
	if err := d.enter(ctx, "kubectl delete secret aiven-token"); err != nil {
		return err
	}
	d.print("")
	err := d.await(ctx, stepTimeout, func(ctx context.Context) ([]row, error) {
		lists := objectLists()
		lists["Secret"] = &corev1.SecretList{}
		left, err := d.left(ctx, lists)
		return []row{emptiness("Kubernetes", "no object of aiven.io and no Secret is left", left)}, err
	})
	if err != nil {
		return err
	}
	err = d.await(ctx, stepTimeout, func(ctx context.Context) ([]row, error) {
		resources, err := d.admin.Resources(ctx)
		left := make([]string, len(resources))
		for i, r := range resources {
			left[i] = r.Type + " " + r.ID
		}
		return []row{emptiness("Local Aiven", "nothing of them is left", left)}, err
	})
	if err != nil {
		return err
	}
	stats, err := d.admin.Stats(ctx)
	d.calls = fmt.Sprintf("%d calls to Aiven", stats.Total)
	return err
}

// emptiness is the row of a side on which nothing should be left.
func emptiness(side, proof string, left []string) row {
	if len(left) == 0 {
		return row{name: side, state: proof, done: true}
	}
	return row{name: side, state: remaining(left)}
}

func remaining(left []string) string {
	if len(left) == 0 {
		return "all gone"
	}
	return "still there: " + strings.Join(left, ", ")
}

// drop is enter for a deletion, which may take its time.
func (d *demo) drop(ctx context.Context, line string) error {
	d.command(line)
	type result struct {
		text string
		err  error
	}
	finished := make(chan result, 1)
	go func() {
		text, err := d.shell(ctx, line)
		finished <- result{text, err}
	}()
	var r result
	ended := false
	err := d.await(ctx, stepTimeout, func(ctx context.Context) ([]row, error) {
		select {
		case r = <-finished:
			ended = true
		default:
		}
		left, err := d.left(ctx, objectLists())
		return []row{{name: "Deleting", state: remaining(left), done: ended}}, err
	})
	if !ended {
		// The command ends with ctx, or by itself; nothing may be printed after this.
		d.fail(err)
		r = <-finished
	}
	if err == nil && r.err != nil {
		err = fmt.Errorf("`%s`: %w: %s", line, r.err, r.text)
	}
	d.output(r.text)
	return err
}

// wait is how long it took since a time, in seconds.
func wait(since time.Time) string { return fmt.Sprintf("%.1f s", time.Since(since).Seconds()) }
