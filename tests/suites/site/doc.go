// Package site checks the site that `make site` builds: its links without a browser, and what readers see in Chromium.
package site
