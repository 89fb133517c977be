package localaiven

import (
	"maps"
	"regexp"
	"strconv"
	"strings"
)

// plan is what a subscription plan buys.
type plan struct {
	name     string
	nodes    int
	cpus     int
	memoryMB int
	diskMB   int
	// fixedDisk is set where no disk space can be added.
	fixedDisk bool
}

// family is a line of plans, such as startup. Names of its plans are family-size, or family-word-size with any words
// between: v2 and the like for a generation, 6x for a number of nodes.
type family struct {
	nodes int
	// memoryMB is that of a family whose plans have no size in their names.
	memoryMB int
	// diskMB is that of a family whose disks are small, and can't grow.
	diskMB int
}

// families of plans, by their names.
type families map[string]family

// with returns the families with others besides.
func (f families) with(more families) families {
	all := maps.Clone(f)
	maps.Copy(all, more)
	return all
}

// nodes are families without peculiarities.
func nodes(startup, business, premium int) families {
	return families{"startup": {nodes: startup}, "business": {nodes: business}, "premium": {nodes: premium}}
}

// small are families for trying things out.
var small = families{
	"free": {nodes: 1, diskMB: 1024}, "developer": {nodes: 1, diskMB: 8 * 1024}, "hobbyist": {nodes: 1, memoryMB: 2048, diskMB: 8 * 1024},
}

// sizes are the memory sizes of plans in GB, with CPUs, and the disk of PostgreSQL's plans in GB. Other types have the same
// here.
var sizes = map[int]struct{ cpus, diskGB int }{
	1: {1, 16}, 2: {2, 40}, 4: {2, 80}, 8: {2, 175}, 16: {4, 350}, 24: {6, 525}, 32: {8, 700}, 48: {12, 850}, 64: {16, 1000}, 96: {24, 1300},
	112: {32, 1600}, 120: {32, 1600}, 128: {32, 1600}, 160: {48, 2000}, 180: {48, 2200}, 192: {48, 2200}, 200: {48, 2200}, 220: {64, 3000},
	225: {64, 3000}, 240: {64, 3000}, 256: {64, 3000}, 384: {96, 4500}, 512: {128, 6000},
}

var (
	planWord  = regexp.MustCompile(`^[a-z][a-z0-9]*$`)
	planNodes = regexp.MustCompile(`^([1-9][0-9]?)x$`)
	planDisk  = regexp.MustCompile(`^([1-9][0-9]*)gb$`)
)

// plan reads the name of a plan.
func (k *kind) plan(name string) (plan, *apiError) {
	if p, ok := k.families.plan(name); ok {
		p.fixedDisk = p.fixedDisk || k.fixedDisk
		return p, nil
	}
	return plan{}, badRequest("Invalid plan '%s' for service type '%s'", name, k.name)
}

func (f families) plan(name string) (plan, bool) {
	words := strings.Split(name, "-")
	of, known := f[words[0]]
	if !known {
		return plan{}, false
	}
	p := plan{name: name, nodes: of.nodes, cpus: 1, memoryMB: of.memoryMB, diskMB: of.diskMB, fixedDisk: of.diskMB > 0}
	for _, word := range words[1:] {
		if !p.read(word) {
			return plan{}, false
		}
	}
	return p, p.memoryMB > 0
}

// read applies one word of the name: the memory, the nodes, the disk, or one that says nothing here.
func (p *plan) read(word string) bool {
	if gb, err := strconv.Atoi(word); err == nil {
		size, known := sizes[gb]
		if !known || p.memoryMB > 0 {
			return false
		}
		p.cpus, p.memoryMB = size.cpus, gb*1024
		if !p.fixedDisk {
			p.diskMB = size.diskGB * 1024
		}
		return true
	}
	if count := planNodes.FindStringSubmatch(word); count != nil {
		p.nodes, _ = strconv.Atoi(count[1])
		return true
	}
	if disk := planDisk.FindStringSubmatch(word); disk != nil {
		gb, _ := strconv.Atoi(disk[1])
		p.diskMB = gb * 1024
		return true
	}
	return planWord.MatchString(word)
}

// maxDiskMB is the upper bound of additional disk space, for every plan.
const maxDiskMB = 16 * 1024 * 1024

// disk is the space a service of the plan has when wanted is asked for; nil is the plan's own.
func (p plan) disk(wanted *int) (int, *apiError) {
	switch {
	case wanted == nil:
		return p.diskMB, nil
	case p.fixedDisk && *wanted != p.diskMB:
		return 0, badRequest("Invalid disk_space_mb %d: plan '%s' has a fixed disk of %d", *wanted, p.name, p.diskMB)
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
