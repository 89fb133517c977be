package main

// references are what aiven-operator was measured to need for the same work against the same local
// Aiven. A measurement that isn't here was not made there.
var references = map[string]string{
	measuredFamilyCalls:       "2805",
	measuredFamilyConnections: "1241",
	measuredFamilyLag:         "36",
	measuredFamilyPeak:        "113",
	measuredSteadyCalls:       "750, and services are never polled",
	measuredSteadyConnections: "301",
	measuredRepair:            "up to 600",
	measuredMassReady:         "840 to 1140 with 1080 users",
}
