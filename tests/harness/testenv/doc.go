// Package testenv is the glue of test packages: one real control plane for a package, and for each test a namespace, a local
// Aiven and an operator of its own, so that tests run side by side.
//
// A test package calls [Main] in its TestMain, and [New] in each test. The [Env] that a test gets has the helpers: take
// an example from the documentation, apply it, change it, wait for a condition, read the Secret, ask what was written at
// Aiven. Beside every test a recorder watches all objects of the namespace, and at the end of the test checks what must
// hold for each status that anyone could have seen (invariants.go), whatever the test itself was about.
//
// The timings of the operator are scaled down by one divisor. A test that wants to prove that something was noticed by a
// watch, and not by a timer, takes [OnlyWatches], which makes the timers longer than any test.
package testenv
