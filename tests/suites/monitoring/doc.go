// Package monitoring tests how aero is monitored: which clients may read its metrics, the alerts, the dashboard, and that all
// of them and the documentation speak of metrics that there are. It has no code of its own.
package monitoring
