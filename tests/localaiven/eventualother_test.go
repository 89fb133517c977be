package localaiven_test

import (
	"slices"
	"testing"

	aiven "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/kafkatopic"
	"github.com/aiven/go-client-codegen/handler/opensearch"
	"github.com/aiven/go-client-codegen/handler/project"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

// topicListedV2 asks for one topic: the list of version 2 refuses a name that it doesn't know.
func topicListedV2(t *testing.T, h *harness, id string) bool {
	t.Helper()
	all, err := h.client.ServiceKafkaTopicListV2(t.Context(), proj, late, &kafkatopic.ServiceKafkaTopicListV2In{TopicNames: []string{id}})
	if aiven.IsNotFound(err) {
		return false
	}
	require.NoError(t, err)
	return len(all) == 1 && all[0].TopicName == id
}

func makeDatabase(t *testing.T, h *harness) string {
	t.Helper()
	require.NoError(t, h.client.ServiceDatabaseCreate(t.Context(), proj, late, &service.ServiceDatabaseCreateIn{Database: "orders"}))
	return "orders"
}

func removeDatabase(t *testing.T, h *harness, id string) error {
	t.Helper()
	return h.client.ServiceDatabaseDelete(t.Context(), proj, late, id)
}

func databaseListed(t *testing.T, h *harness, id string) bool {
	t.Helper()
	all, err := h.client.ServiceDatabaseList(t.Context(), proj, late)
	require.NoError(t, err)
	return slices.ContainsFunc(all.Databases, func(d service.DatabaseOut) bool { return d.DatabaseName == id })
}

func setLateSearchACL(t *testing.T, h *harness, acls []opensearch.AclIn) error {
	t.Helper()
	_, err := h.client.ServiceOpenSearchAclSet(t.Context(), proj, late, &opensearch.ServiceOpenSearchAclSetIn{
		OpensearchAclConfig: opensearch.OpensearchAclConfigIn{Enabled: len(acls) > 0, Acls: acls},
	})
	return err
}

func makeSearchACL(t *testing.T, h *harness) string {
	t.Helper()
	require.NoError(t, setLateSearchACL(t, h, []opensearch.AclIn{{Username: "bob", Rules: []opensearch.RuleIn{}}}))
	return "bob"
}

func removeSearchACL(t *testing.T, h *harness, _ string) error {
	t.Helper()
	return setLateSearchACL(t, h, []opensearch.AclIn{})
}

func searchACLListed(t *testing.T, h *harness, id string) bool {
	t.Helper()
	got, err := h.client.ServiceOpenSearchAclGet(t.Context(), proj, late)
	require.NoError(t, err)
	listed := slices.ContainsFunc(got.Acls, func(a opensearch.AclOut) bool { return a.Username == id })
	require.Equal(t, listed, got.Enabled)
	return listed
}

func setLateTags(t *testing.T, h *harness, tags map[string]string) error {
	t.Helper()
	return h.client.ProjectServiceTagsReplace(t.Context(), proj, late, &service.ProjectServiceTagsReplaceIn{Tags: tags})
}

func makeTag(t *testing.T, h *harness) string {
	t.Helper()
	require.NoError(t, setLateTags(t, h, map[string]string{"team": "a"}))
	return "team"
}

func removeTag(t *testing.T, h *harness, _ string) error {
	t.Helper()
	return setLateTags(t, h, map[string]string{})
}

func tagListed(t *testing.T, h *harness, id string) bool {
	t.Helper()
	tags, err := h.client.ProjectServiceTagsList(t.Context(), proj, late)
	require.NoError(t, err)
	return tags[id] != ""
}

// A copied project has a billing group of its own, which stays; the card shows the projects that it pays for.
func TestBillingGroupsAndCardsAreReadLate(t *testing.T) {
	h := start(t, localaiven.Options{Eventual: lag})
	h.createProject(t, project.ProjectCreateIn{Project: "source"})
	h.clock.Advance(lag)
	require.Len(t, h.billingGroups(t), 1, "the first one was always there")
	see := func(groups int, paidFor []string, when string) {
		t.Helper()
		assert.Len(t, h.billingGroups(t), groups, when)
		assert.Equal(t, paidFor, h.cards(t)[0].Projects, when)
	}
	h.createProject(t, project.ProjectCreateIn{Project: "copy", CopyFromProject: ptr("source"), CardId: ptr(h.ids(t).card)})
	see(1, []string{}, "at once")
	h.clock.Advance(lag - 1)
	see(1, []string{}, "just before")
	h.clock.Advance(1)
	see(2, []string{"copy"}, "after the lag")
	require.NoError(t, h.deleteProject(t, "copy"))
	see(2, []string{"copy"}, "just deleted")
	h.clock.Advance(lag)
	see(2, []string{}, "deleted long ago")
}
