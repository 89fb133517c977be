// Package userconfig encodes and compares user options: the generated trees below api/v1alpha1/userconfig, which
// services, integrations and integration endpoints have alike.
//
// Encode turns a tree into what the API takes. Compare finds where Aiven has another value than the spec, and which
// options it doesn't report. CreateOnly does so for options that Aiven takes at creation only.
//
// A service merges the options that it is sent: Encode for Update. An integration and an endpoint replace the whole
// block: Encode for Replace. The values of sensitive options, and of options that come from a Secret, are wrapped in
// Secret, which is sent and compared, and never printed.
package userconfig
