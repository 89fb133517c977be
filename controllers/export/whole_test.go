package export

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
)

// exported are the objects of a kind in a project.
func exported[T any](t *testing.T, a *aiventest.Aiven, kind string) []T {
	result, err := export(t.Context(), a.Client(), Options{Project: aiventest.Project, Kinds: []string{kind}, Verify: true})
	require.NoError(t, err)
	require.Empty(t, result.Differences)
	all := make([]T, len(result.Manifests))
	for i, m := range result.Manifests {
		require.NoError(t, yaml.UnmarshalStrict(m.YAML, &all[i]))
	}
	return all
}

// What ClickHouse has beyond a grant is no difference to its controller, so a part that was left out wouldn't be one.
func TestAllThatWasGrantedInClickHouseIsExported(t *testing.T) {
	for seed := range uint64(20) {
		c, a := clickhouseState{databases: []string{"Orders_V1", "db"}, users: []string{"app"}, roles: []string{"team", "readers"}}, aiventest.New(t)
		r := rand.New(rand.NewPCG(seed, 9))
		c.grant(r, [2]any{"app", nil})
		c.grant(r, [2]any{nil, "team"})
		c.script(a)
		var want, got []string
		for _, row := range c.grants {
			want = append(want, fmt.Sprint(text(row[0]), text(row[1]), row[2], text(row[3]), text(row[4]), text(row[5]), row[7] == 1))
		}
		for _, row := range c.memberships {
			want = append(want, fmt.Sprint(text(row[0]), text(row[1]), row[2], row[3] == 1))
		}
		for _, obj := range exported[v1alpha1.ClickhouseGrant](t, a, "ClickhouseGrant") {
			got = append(got, granted(obj.Spec.ClickhouseGrants)...)
		}
		assert.ElementsMatch(t, want, got, "seed %d", seed)
	}
}

// text is a name in a row; * where it is NULL.
func text(name any) string { return fmt.Sprintf("%v/", ptr.Deref(asText(name), "*")) }

func asText(name any) *string {
	if text, is := name.(string); is && text != "" {
		return &text
	}
	return nil
}

// granted are grants as the rows that ClickHouse has of them.
func granted(all v1alpha1.ClickhouseGrants) (rows []string) {
	for _, grant := range all.PrivilegeGrants {
		columns := grant.Columns
		if len(columns) == 0 {
			columns = []string{""}
		}
		for _, to := range grant.Grantees {
			for _, access := range grant.Privileges {
				for _, column := range columns {
					rows = append(rows, fmt.Sprint(text(to.User), text(to.Role), access, text(grant.Database), text(grant.Table), text(column), ptr.Deref(grant.WithGrantOption, false)))
				}
			}
		}
	}
	for _, grant := range all.RoleGrants {
		for _, to := range grant.Grantees {
			for _, role := range grant.Roles {
				rows = append(rows, fmt.Sprint(text(to.User), text(to.Role), role, ptr.Deref(grant.WithAdminOption, false)))
			}
		}
	}
	return rows
}

// An earlier version would be no difference: the registry has it, too.
func TestTheLatestVersionOfASchemaIsExported(t *testing.T) {
	a := aiventest.New(t)
	inKafka(a, aiventest.Object{"user_config": aiventest.Object{"schema_registry": true}})
	a.On("GET service/my-kafka/kafka/schema/subjects", aiventest.OK(aiventest.Object{"subjects": []any{"orders"}}))
	versions := "GET service/my-kafka/kafka/schema/subjects/orders/versions"
	a.On(versions, aiventest.OK(aiventest.Object{"versions": []any{10, 2, 9}}))
	for _, number := range []int{2, 9, 10} {
		version := aiventest.Object{"id": number, "version": number, "subject": "orders", "schema": fmt.Sprintf(`{"version":%d}`, number)}
		a.On(fmt.Sprintf("%s/%d", versions, number), aiventest.OK(aiventest.Object{"version": version}))
	}
	a.On("GET service/my-kafka/kafka/schema/config/orders", aiventest.Missing())
	all := exported[v1alpha1.KafkaSchema](t, a, "KafkaSchema")
	require.Len(t, all, 1)
	assert.JSONEq(t, `{"version":10}`, all[0].Spec.Schema)
}
