package localaiven_test

import (
	"fmt"
	"testing"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

func TestAPlanIsKnownByItsFamilyAndItsSize(t *testing.T) {
	t.Parallel()
	h := start(t, localaiven.Options{})
	for plan, want := range map[[2]string]struct{ nodes, memoryGB, diskGB int }{
		{"pg", "free-1-5gb"}:             {1, 1, 5},
		{"pg", "hobbyist"}:               {1, 2, 8},
		{"pg", "startup-v2-16"}:          {1, 16, 350},
		{"pg", "business-8"}:             {2, 8, 175},
		{"pg", "premium-memory-v3-64"}:   {3, 64, 1000},
		{"kafka", "startup-2"}:           {3, 2, 40},
		{"kafka", "premium-6x-8"}:        {6, 8, 175},
		{"kafka", "premium-15x-120"}:     {15, 120, 1600},
		{"opensearch", "premium-9x-16"}:  {9, 16, 350},
		{"clickhouse", "business-16"}:    {3, 16, 350},
		{"grafana", "dashboard-1"}:       {1, 1, 16},
		{"valkey", "business-1"}:         {2, 1, 16},
		{"kafka_connect", "business-32"}: {3, 32, 700},
	} {
		t.Run(fmt.Sprint(plan), func(t *testing.T) {
			made, err := h.client.ServiceCreate(t.Context(), proj, &service.ServiceCreateIn{
				ServiceName: "s" + plan[0][:2] + plan[1], ServiceType: plan[0], Plan: plan[1],
			})
			require.NoError(t, err)
			assert.Equal(t, []int{want.nodes, want.memoryGB * 1024, want.diskGB * 1024},
				[]int{*made.NodeCount, int(*made.NodeMemoryMb), *made.DiskSpaceMb})
			assert.Len(t, made.NodeStates, want.nodes)
			assert.Equal(t, plan[1], made.Plan)
		})
	}
}

func TestAPlanOfNoFamilyOrSizeIsRefused(t *testing.T) {
	t.Parallel()
	h := start(t, localaiven.Options{})
	for _, plan := range [][2]string{
		{"pg", "enterprise-4"}, {"pg", "startup"}, {"pg", "startup-"}, {"pg", "startup-5"}, {"pg", "startup-400"}, {"pg", "startup-4-8"},
		{"pg", "Startup-4"}, {"pg", "startup--4"}, {"pg", "startup-0x-4"}, {"pg", "dashboard-1"}, {"clickhouse", "hobbyist"}, {"grafana", "premium-4"},
	} {
		body := fmt.Sprintf(`{"service_name":"s","service_type":%q,"plan":%q}`, plan[0], plan[1])
		assertRefused(t, h, "x", badCall{post, servicesPath, body, 400, fmt.Sprintf("Invalid plan '%s' for service type '%s'", plan[1], plan[0])})
	}
}

func TestDiskSpaceIsAddedOnlyWhereItCanBe(t *testing.T) {
	t.Parallel()
	h := start(t, localaiven.Options{})
	for plan, diskMB := range map[[2]string]int{
		{"valkey", "startup-4"}: 80 * 1024, {"grafana", "startup-4"}: 80 * 1024, {"flink", "startup-4"}: 80 * 1024,
		{"kafka_connect", "startup-4"}: 80 * 1024, {"pg", "hobbyist"}: 8 * 1024, {"pg", "free-1-1gb"}: 1024,
	} {
		body := func(disk int) string {
			return fmt.Sprintf(`{"service_name":"s-%s-%s","service_type":"%s","plan":"%s","disk_space_mb":%d}`, plan[0][:2], plan[1], plan[0], plan[1], disk)
		}
		assertRefused(t, h, "x", badCall{post, servicesPath, body(diskMB + 1024), 400, "Invalid disk_space_mb"})
		status, answer := h.send(t, post, servicesPath, "x", body(diskMB))
		assert.Equal(t, 200, status, "that of the plan: %v", answer)
	}
}
