#!/usr/bin/env bash
# Builds one version of the site into a folder of its own, beside the versions that are there, and lists all of them for
# the menu. The theme is read where Go keeps the modules that it has downloaded: nothing else is fetched.
set -euo pipefail
cd "$(dirname "$0")"
bin=$1 version=$2 path=$3 revision=$4

# The version is a folder that is replaced, and both are parts of each link.
if [[ ! $version =~ ^[A-Za-z0-9][A-Za-z0-9._-]*$ ]]; then
  echo "VERSION_PATH=$version isn't the name of a folder: set it to latest, or to a version such as v0.1" >&2
  exit 2
fi
if [[ ! $path =~ ^/([A-Za-z0-9._~-]+/)*$ ]]; then
  echo "SITE_PATH=$path isn't a path with a slash at both ends: set it to / or to one such as /aero/" >&2
  exit 2
fi

theme=github.com/imfing/hextra
go mod download "$theme"
export HUGO_MODULE_REPLACEMENTS="hextra->$(go list -m -f '{{.Dir}}' "$theme")"
export HUGO_PARAMS_VERSION=$version HUGO_PARAMS_HOME=$path HUGO_PARAMS_REF=main
# An older version links to the files of its own commit.
if [ "$version" != latest ]; then
  HUGO_PARAMS_REF=$revision
fi

echo "Building the site of README.md and docs/ into bin/site/$version ..."
started=$SECONDS
"$bin/hugo" build --logLevel error --noBuildLock --cleanDestinationDir --cacheDir "$bin/.hugo" --baseURL "$path$version/" --destination "$bin/site/$version" >/dev/null

cd "$bin/site"
versions=$(printf '%s\n' */index.html | sed 's|/.*||' | sort -V)
printf '["%s"]\n' "$(paste -sd, <<<"$versions" | sed 's/,/","/g')" >versions.json
cat >index.html <<HTML
<!DOCTYPE html>
<title>aero</title>
<meta http-equiv="refresh" content="0; url=latest/">
HTML
cat >404.html <<HTML
<!DOCTYPE html>
<title>Not found – aero</title>
<h1>Not found</h1>
<p>There is no such page, or not in this version. <a href="${path}latest/">Documentation of aero</a>
HTML
echo "Built $(find "$version" -name index.html | wc -l) pages, $(du -sh "$version" | cut -f1), in $((SECONDS - started)) s. Versions: ${versions//$'\n'/, }"
