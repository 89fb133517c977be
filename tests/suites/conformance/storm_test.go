package conformance_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// reconcilesOf is how many reconciles of a kind have ended.
func reconcilesOf(e *testenv.Env, kind string) int {
	n := 0
	for _, line := range e.Operator.Log() {
		if strings.Contains(line, `"msg"="Concluded"`) && strings.Contains(line, `"controllerKind"="`+kind+`"`) {
			n++
		}
	}
	return n
}

// atRest waits until no object of a kind was reconciled while its service was read several times.
func atRest(e *testenv.Env, kind string) int {
	e.T.Helper()
	mark, before := e.Aiven.Mark(), reconcilesOf(e, kind)
	e.Until(func() bool {
		if now := reconcilesOf(e, kind); now != before {
			mark, before = e.Aiven.Mark(), now
		}
		reads := 0
		for _, call := range e.Aiven.Calls(mark) {
			if call.Operation == "ServiceGet" || call.Operation == "ServiceList" {
				reads++
			}
		}
		return reads >= 5
	}, func() string { return kind + " isn't at rest" })
	return before
}

// Each ACL changes what Aiven returns for the service, and only its own object is enqueued for that: no topic has a reason to be read again.
func TestACLsThatComeAndGoCauseNoReconcilesOfTheTopicsBesideThem(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{
		Kinds: []string{"Kafka", "KafkaTopic", "KafkaACL", "KafkaNativeACL"}, Config: testenv.OnlyWatches,
	})
	makeService(e, inKafka)
	for i := range 3 {
		topic := e.Example("kafkatopic").(*v1alpha1.KafkaTopic)
		topic.Name, topic.Spec.TopicName = fmt.Sprintf("topic-%d", i), ""
		e.Create(topic)
		e.Wait(topic, testenv.Ready())
	}
	var acls []testenv.Object
	for i := range 10 {
		acl, native := e.Example("kafkaacl").(*v1alpha1.KafkaACL), e.Example("kafkanativeacl").(*v1alpha1.KafkaNativeACL)
		acl.Name, acl.Spec.Topic = fmt.Sprintf("acl-%d", i), fmt.Sprintf("topic-%d", i)
		native.Name, native.Spec.ResourceName = fmt.Sprintf("native-%d", i), fmt.Sprintf("topic-%d", i)
		acls = append(acls, acl, native)
	}
	before := atRest(e, "KafkaTopic")
	assert.Positive(t, before)
	for _, obj := range acls {
		e.Create(obj)
	}
	for _, obj := range acls {
		e.Wait(obj, testenv.Ready())
	}
	assert.Equal(t, before, atRest(e, "KafkaTopic"), "reconciles of topics until all ACLs are there")
	for _, obj := range acls {
		e.Delete(obj)
	}
	for _, obj := range acls {
		e.WaitGone(obj)
	}
	assert.Equal(t, before, atRest(e, "KafkaTopic"), "reconciles of topics until all ACLs are gone")
}
