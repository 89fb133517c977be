// Package startup tests what the manager says while it can't work, and that it goes on by itself: as a process, with the permissions
// of its role and no others, on a real control plane. Tests change what the whole cluster shares, so they don't run side by
// side.
package startup
