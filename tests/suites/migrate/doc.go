// Package migrate types what docs/user/migrate.md says, into a cluster in which a stand-in for aiven-operator is
// installed as a user would have it: with Helm, with its webhooks, and with objects and Secrets as it leaves them.
package migrate
