package localaiven

import (
	"fmt"
	"strings"
)

// plan is what a subscription plan buys.
type plan struct {
	name     string
	nodes    int
	cpus     int
	memoryMB int
	diskMB   int
}

// sizes are the memory sizes of plans in GB, with the disk of their PostgreSQL plans in GB. Those of Kafka have the same
// here.
var sizes = []struct{ memoryGB, cpus, diskGB int }{
	{4, 2, 80}, {8, 2, 175}, {16, 4, 350}, {32, 8, 700}, {64, 16, 1000}, {120, 32, 1600}, {180, 48, 2200}, {225, 64, 3000},
}

func postgresPlans() map[string]plan {
	return plansOf(map[string]int{"startup": 1, "business": 2, "premium": 3},
		plan{"free-1-1gb", 1, 1, 1024, 1024}, plan{"free-1-5gb", 1, 1, 1024, 5 * 1024},
		plan{"developer-1", 1, 1, 1024, 8 * 1024}, plan{"hobbyist", 1, 1, 2048, 8 * 1024},
	)
}

func kafkaPlans() map[string]plan {
	return plansOf(map[string]int{"startup": 3, "business": 3, "premium": 6}, plan{"startup-2", 3, 2, 2048, 90 * 1024})
}

// valkeyPlans have the sizes of the others, besides small ones.
func valkeyPlans() map[string]plan {
	return plansOf(map[string]int{"startup": 1, "business": 2, "premium": 3},
		plan{"free-1", 1, 1, 1024, 1024}, plan{"hobbyist", 1, 1, 1024, 1024},
		plan{"startup-1", 1, 1, 1024, 16 * 1024}, plan{"business-1", 2, 1, 1024, 16 * 1024}, plan{"premium-1", 3, 1, 1024, 16 * 1024},
	)
}

func clickHousePlans() map[string]plan {
	return plansOf(map[string]int{"startup": 1, "business": 3, "premium": 6})
}

// plansOf returns plans by name: those of all sizes for each tier, with its number of nodes, and more.
func plansOf(tiers map[string]int, more ...plan) map[string]plan {
	all := map[string]plan{}
	for tier, nodes := range tiers {
		for _, s := range sizes {
			name := fmt.Sprintf("%s-%d", tier, s.memoryGB)
			all[name] = plan{name, nodes, s.cpus, s.memoryGB * 1024, s.diskGB * 1024}
		}
	}
	for _, p := range more {
		all[p.name] = p
	}
	return all
}

func (k *kind) plan(name string) (plan, *apiError) {
	if p, ok := k.plans[name]; ok {
		return p, nil
	}
	return plan{}, badRequest("Invalid plan '%s' for service type '%s'", name, k.name)
}

// maxDiskMB is the upper bound of additional disk space, for every plan.
const maxDiskMB = 16 * 1024 * 1024

// disk is the space a service of the plan has when wanted is asked for; nil is the plan's own.
func (p plan) disk(wanted *int) (int, *apiError) {
	switch {
	case wanted == nil:
		return p.diskMB, nil
	case *wanted < p.diskMB || *wanted > maxDiskMB:
		return 0, badRequest("Invalid disk_space_mb %d: plan '%s' allows %d to %d", *wanted, p.name, p.diskMB, maxDiskMB)
	}
	return *wanted, nil
}

const defaultCloud = "google-europe-west1"

var cloudProviders = []string{"aws-", "azure-", "custom-", "do-", "google-", "upcloud-"}

// cloud checks the provider only: the list of regions changes too often to be kept here.
func cloud(name string) *apiError {
	for _, provider := range cloudProviders {
		if region, ok := strings.CutPrefix(name, provider); ok && region != "" {
			return nil
		}
	}
	return badRequest("Invalid cloud '%s'", name)
}
