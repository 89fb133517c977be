package main

// budget is what a value may be: at most the limit, or at least.
type budget struct {
	limit   float64
	atLeast bool
}

func (b budget) allows(value float64) bool {
	if b.atLeast {
		return value >= b.limit
	}
	return value <= b.limit
}

// budgetOf is the budget of a value, if it has one.
func budgetOf(name string) (b budget, limited bool) {
	all := []map[string]budget{budgets, limitBudgets}
	for i := range families {
		all = append(all, families[i].limits())
	}
	for _, some := range all {
		if b, limited = some[name]; limited {
			break
		}
	}
	return b, limited
}

// budgets are by the name of what is measured. A budget without a measurement is a failure.
var budgets = map[string]budget{
	// A read that finds nothing, the creation, two checks of the project while Aiven builds, a read that finds the service
	// running, and the project's CA certificate for the Secret.
	named(phaseCreate, "PostgreSQL"): {limit: 6},
	// A read, unless a recent one is cached, and the creation. There is nothing to publish.
	named(phaseCreate, "Database"): {limit: 2},
	// As a database. Setting a declared password may be a call more, and the CA certificate another.
	named(phaseCreate, "ServiceUser"): {limit: 4},
	// As a database. The certificate may be a call more, and so may the read that proves the pool.
	named(phaseCreate, "ConnectionPool"): {limit: 4},

	// One read of the service returns all that lives in it. The other call is the CA certificate, whenever
	// the remembered one has become too old.
	named(phaseRest, "PostgreSQL"):     {limit: 2},
	named(phaseRest, "Database"):       {limit: 2},
	named(phaseRest, "ServiceUser"):    {limit: 2},
	named(phaseRest, "ConnectionPool"): {limit: 2},

	// A person watches it. With all programs built, so that nothing is compiled.
	measuredDemo: {limit: 120},

	// A test suite with dozens of operators must wait for the operators, never for the local Aiven.
	measuredThroughput: {limit: 2000, atLeast: true},

	// A creation for each object, and what it takes to notice that the service runs.
	measuredFamilyCalls: {limit: 350},
	// The rest is writes to Kubernetes. It is what an idle machine takes: on a busy one, the API server sets the pace.
	measuredFamilyLag:  {limit: 3},
	measuredFamilyAnon: {limit: 80},
	measuredFamilyPeak: {limit: 75},
	// One status while it waits for its service; then the finalizer, the annotations, the status, and an event.
	measuredDatabaseWrites: {limit: 5},
	// The same, and its Secret once.
	measuredUserWrites: {limit: 6},
	// The API server's own speed is the floor.
	measuredBareRatio: {limit: 1.5},
	// A read of the project for each watch interval, and at the service for each poll of the object that is the service.
	measuredSteadyCalls:  {limit: 30},
	measuredSteadyWrites: {limit: 0},
	measuredSteadyEvents: {limit: 0},
	// What is found by the watch is mended at once.
	measuredRepair: {limit: scaledWatch.Seconds() + 3},

	measuredNewLate:  {limit: 2},
	measuredMassAnon: {limit: 300},
	// One read for each service answers for all that is in it, and what is in order isn't written.
	measuredRestartCalls:  {limit: 100},
	measuredRestartWrites: {limit: 0},

	measuredBesideReads:  {limit: 1},
	measuredBesideWrites: {limit: 1},
}
