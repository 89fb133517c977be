#!/bin/sh
# Moves this module to another Kubernetes release: ./bump.sh v1.37.2
# With the name of a variant, it writes the requirements of that: ./bump.sh v1.34.4 1.34
# It writes go.mod, go.sum and ldflags again: nothing in them is kept by hand.
#
# Kubernetes publishes its libraries both inside k8s.io/kubernetes (the staging
# folder) and as modules of their own. Its go.mod points at the folder, which
# means nothing to a module that depends on it. So every library is replaced by
# the module published for the same release: v1.37.2 goes with v0.37.2.
set -eu

release=${1:?usage: ./bump.sh v1.MINOR.PATCH [VARIANT]}
variant=${2:+.$2}
case $release in
v1.*.*) library=v0.${release#v1.} ;;
*) echo "bump.sh: $release isn't a Kubernetes release such as v1.37.2" >&2; exit 2 ;;
esac
cd "$(dirname "$0")"

# Asked from outside this module, so that its present go.mod has no say.
upstream=$(cd / && go mod download -json "k8s.io/kubernetes@$release" |
	sed -n 's/^[[:space:]]*"GoMod": "\(.*\)",*$/\1/p')
[ -n "$upstream" ] || { echo "bump.sh: no go.mod for k8s.io/kubernetes@$release" >&2; exit 1; }

# etcd is the release that this Kubernetes was built and tested with.
etcd=$(sed -n 's/^[[:space:]]*go\.etcd\.io\/etcd\/server\/v3 \(v[^ ]*\).*/\1/p' "$upstream")
{
	echo 'module github.com/aero-operator/aero/tests/harness/controlplane/binaries'
	echo
	sed -n '/^go /p;/^godebug /p' "$upstream"
	echo
	echo 'require ('
	printf '\tgo.etcd.io/etcd/server/v3 %s\n' "$etcd"
	printf '\tk8s.io/kubernetes %s\n' "$release"
	echo ')'
	echo
	echo 'replace ('
	sed -n "s|^[[:space:]]*\([^ ]*\) => \./staging/.*|\t\1 => \1 $library|p" "$upstream"
	echo ')'
} >"go$variant.mod"
go mod tidy -modfile="go$variant.mod"

# The operator is built from libraries of the same release. Both are compiled once where what these import is the same, too: the newer
# one of both versions. A variant is as it was released.
if [ -z "$variant" ]; then
	go mod edit -json ../../../../go.mod | sed -n 's/^[[:space:]]*"Path": "\(.*\)",$/\1/p' | while read -r path; do
		! go list -m "$path" >/dev/null 2>&1 || (cd ../../../.. && go list -m -f '-require={{.Path}}@{{.Version}}' "$path")
	done | xargs go mod edit
	go mod tidy
fi

# What a release build stamps into its programs, so that they report the release.
minor=${release#v1.}
{
	for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
		for pair in gitVersion="$release" gitMajor=1 gitMinor="${minor%%.*}" gitCommit= gitTreeState=clean; do
			printf '%s\n' "-X $package.$pair"
		done
	done
} >"ldflags$variant"
echo "Kubernetes $release (libraries $library), etcd $etcd"
