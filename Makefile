# aero: `make help` lists the targets.
SHELL := /usr/bin/env bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
# Labels and platforms of the image. The time is that of the commit, so that builds are reproducible.
REVISION ?= $(shell git rev-parse HEAD 2>/dev/null)
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null)
PLATFORMS ?= linux/amd64,linux/arm64
# What make release releases, and where.
RELEASED = --root "$(CURDIR)" --image "$(BIN)" --out "$(BIN)/release" --version "$(VERSION)" --revision "$(REVISION)" --created "$(SOURCE_DATE_EPOCH)"
# Name of the image of make docker-image.
TAG ?= aero:dev

# What of the crash and fault matrices, and of the tenants, make test tries: another part for each commit.
SAMPLE ?= $(REVISION)
export SAMPLE

# The database of make vulncheck: a URL, also of a folder.
VULNDB ?= https://vuln.go.dev

# Another version of Kubernetes, for make test-kubernetes: one with a go.VERSION.mod in tests/harness/controlplane/binaries.
K8S ?= 1.34

# For how long make fuzz runs each test, and which ones.
FUZZTIME ?= 60s
FUZZ ?= .

# The version of the site that make site builds, a folder of bin/site, and the path under which a server has bin/site.
VERSION_PATH ?= latest
SITE_PATH ?= /

# Where delve listens in make debug.
DEBUG_ADDRESS ?= 127.0.0.1:2345

BIN := $(CURDIR)/bin
# Programs, tests and linters share what is compiled, and with the image, which needs no C library; only the race detector does.
# With trimpath, Go's caches also serve each copy of the sources, such as a new clone. Only a debugger reads the debugging information,
# which takes an eighth of the time of compiling; stack traces and profiles don't need it.
export CGO_ENABLED := 0
SHARED := -trimpath -gcflags=all=-dwarf=false
export GOFLAGS := $(strip $(filter-out $(SHARED),$(shell go env GOFLAGS 2>/dev/null)) $(SHARED))
# Garbage of compilers, linters and tests is collected less often, which saves a fifth of the time of compiling. What a test or a
# target starts doesn't have it: the memory of the operator, above all, is a promise.
GO := GOGC=400 go
RACE := CGO_ENABLED=1 $(GO) test -race
TOOL := $(GO) tool -modfile=$(CURDIR)/tools/go.mod
# Every Go module with code of ours. The control plane's module holds four mains of others and is built, not tested.
MODULES := . generators tests tests/localaiven
BUILD := cd tests && $(GO) run ./cmd/build
KUBERNETES := $(BUILD) --skip-current --module harness/controlplane/binaries

# The tests of make crash, without their ids; make test runs a part of them.
CRASHES := AnOperatorThatIsKilledAtAWriteFinishesItLater|EveryAnswerToEveryCallIsSurvived|NoRandomSpecWritesWhatAnotherClientHasMade|ARuleOfAnotherClientIsLeftAlone|EveryKindMeetsEveryRequirement

# The tests of what only the API server decides: CRDs and their rules, admission policies, authorization, manifests.
DECIDED := W08|W11|ReviewM11|Q12_E04|Q12_EveryImmutable|Q12_TheAPIServer|AnnotationsOfTheOperator|AdoptingNeeds|ApprovingNeeds|APIServerAccepts|PodsAreRestricted|CRD|ThePolicyOutlives

# Types of integrations and of their endpoints that have options in a spec.
INTEGRATIONS := autoscaler,clickhouse_kafka,clickhouse_postgresql,datadog,external_aws_cloudwatch_metrics,kafka_connect,kafka_logs,kafka_mirrormaker,logs,metrics
ENDPOINTS := autoscaler,datadog,external_aws_cloudwatch_logs,external_aws_cloudwatch_metrics,external_elasticsearch_logs,external_google_cloud_bigquery,external_google_cloud_logging,external_kafka,external_opensearch_logs,external_postgresql,external_schema_registry,jolokia,prometheus,rsyslog

# Suites that run the operator as a process of its own, in which the race detector of a test sees nothing; and site, which reads what is built.
# They run two at a time: docs takes longest, and ha and startup, which mostly wait, leave it the processors.
PROCESS_SUITES := docs ha startup charts migrate monitoring site
# Suites that run the operator in the process of the test. The race detector takes a part of their cases, another for each commit.
RACED := conformance connectionsecret isolation
EMPTY :=
SPACE := $(EMPTY) $(EMPTY)

# Checksums of everything that make generate may write.
GENERATED := find api config charts controllers docs/user/kinds docs/user/reasons -name '*.go' -o -name '*.yaml' -o -name '*.tpl' -o -name '*.json' -o -name '*.md' | sort | xargs sha256sum

export KUBEBUILDER_ASSETS := $(BIN)/k8s

##@ Use

.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: demo
demo: build ## Run the demo, from an empty cluster to a query in a real PostgreSQL (KEEP=1 leaves it running)
	@exec $(BIN)/demo $(if $(KEEP),--keep)

.PHONY: run
run: build plugin ## Start a control plane, the local Aiven and the operator, and print what to type, until Ctrl-C
	@exec $(BIN)/demo --run

.PHONY: debug
debug: build plugin ## make run with the operator under delve, which listens at DEBUG_ADDRESS
	@$(BUILD) --module ../tools --out $(BIN) github.com/go-delve/delve/cmd/dlv
	@$(BUILD) --debuggable --module .. --out $(BIN)/debug manager=.
	@exec $(BIN)/demo --run --debug $(DEBUG_ADDRESS)

.PHONY: build
build: deps manager ## Build what runs here into bin/: the operator, the control plane, the local Aiven, the demo
	@$(BUILD) --module localaiven --out $(BIN) ./cmd/localaiven
	@$(BUILD) --module . --out $(BIN) ./cmd/controlplane ./cmd/demo
	@$(KUBERNETES) --out $(BIN)/k8s ./cmd/etcd ./cmd/kube-apiserver ./cmd/kube-controller-manager ./cmd/kubectl ./cmd/kubectlclient

.PHONY: manager
manager: # The operator alone
	@$(BUILD) --module .. --out $(BIN) --ldflags "-X main.version=$(VERSION)" manager=.

.PHONY: plugin
plugin: ## Build kubectl aero, a plugin of kubectl, into bin/
	@$(BUILD) --module .. --out $(BIN) --ldflags "-X main.version=$(VERSION)" ./cmd/kubectl-aero

.PHONY: helm
helm: ## Build Helm 4 into bin/
	@$(BUILD) --module ../tools --out $(BIN) helm.sh/helm/v4/cmd/helm

.PHONY: image
image: ## Build the container image for amd64 and arm64 into bin/image, without Docker (PUSH=registry/name:tag pushes it, SIGNING_KEY=key.pem signs it)
	@$(BUILD) --module ../generators --out $(BIN) imager=./image
	@cd generators && GOGC=400 $(BIN)/imager --module .. --out $(BIN) --version "$(VERSION)" --revision "$(REVISION)" \
		--created "$(SOURCE_DATE_EPOCH)" --platforms "$(PLATFORMS)" --push "$(PUSH)" --key "$(abspath $(SIGNING_KEY))" \
		$(if $(BUILDER),--builder "$(BUILDER)") $(if $(RELEASE),--release)

# What tests install runs here. How images for two platforms are made is tested with a small program: compiling the operator for both takes minutes.
.PHONY: own-image
own-image: # The image for the platform of this machine
	@$(MAKE) image PLATFORMS=linux/$$(go env GOARCH) PUSH= SIGNING_KEY=

.PHONY: verify-image
verify-image: ## Verify the signed provenance of an image in a registry (PUBLIC_KEY=key.pub IMAGE=registry/name:tag)
	@$(BUILD) --module ../generators --out $(BIN) imager=./image
	@$(BIN)/imager verify --key "$(PUBLIC_KEY)" "$(IMAGE)"

.PHONY: docker-image
docker-image: ## Build the image with Docker as TAG (RELEASE=1 resolves the bases to digests)
	@bases=$$(cd generators && $(GO) run ./bases $(if $(RELEASE),--digests) ../Dockerfile); \
	docker build $$(printf -- '--build-arg %s ' $$bases) --build-arg RELEASE="$(RELEASE)" --build-arg VERSION="$(VERSION)" \
		--build-arg REVISION="$(REVISION)" --build-arg CREATED="$$(TZ=UTC date -d "@$(SOURCE_DATE_EPOCH)" +%Y-%m-%dT%H:%M:%SZ)" -t "$(TAG)" .

.PHONY: release
release: ## Write all files of a release into bin/release (VERSION=v1.2.3, the top entry of CHANGELOG.md)
	@$(BUILD) --module ../generators --out $(BIN) releaser=./release
	@$(BIN)/releaser --check $(RELEASED)
	@$(MAKE) image RELEASE=1 PUSH= SIGNING_KEY=
	@$(BIN)/releaser $(RELEASED)

.PHONY: site
site: ## Build the site of README and docs/ into bin/site/latest (VERSION_PATH=v0.1 beside it; SITE_PATH=/aero/ if a server has it there)
	@$(BUILD) --module ../site --out $(BIN) github.com/gohugoio/hugo
	@site/build.sh "$(BIN)" "$(VERSION_PATH)" "$(SITE_PATH)" "$(REVISION)"

.PHONY: deps
deps: ## Install PostgreSQL and PgBouncer, or print how to
	@bash tests/deps.sh

##@ Develop

.PHONY: kind
kind: ## Write the files of a new kind, and print what is left (KIND=KafkaQuota IN=kafka; or IN=project, organization, anywhere, service)
	@written=$$(cd generators && $(GO) run ./kind --kind "$(KIND)" --in "$(IN)" 2>&1) || { echo "$$written" >&2; exit 1; }; \
	failed=0; $(MAKE) generate || failed=$$?; echo; echo "$$written"; exit $$failed

.PHONY: generate
generate: ## Generate option types, deepcopy, CRDs, RBAC, charts, the pages of the kinds, the list of reasons and mocks
	cd generators && $(GO) run ./userconfigs --services clickhouse,flink,grafana,kafka,kafka_connect,mysql,opensearch,pg,valkey \
		--integrations $(INTEGRATIONS) --integration-endpoints $(ENDPOINTS)
	$(TOOL) controller-gen object crd:allowDangerousTypes=true paths=./api/... output:crd:dir=config/crd/bases
	$(TOOL) controller-gen rbac:roleName=manager-role paths=./controllers/... paths=./internal/... output:rbac:dir=config/rbac
	cd generators && $(GO) run ./charts
	cd generators && $(GO) run ./pages
	$(TOOL) mockgen -destination controllers/mock_test.go -package controllers github.com/aero-operator/aero/controllers AivenController

.PHONY: generated
generated: # Fails if generated files are stale
	@before=$$($(GENERATED)); $(MAKE) generate; after=$$($(GENERATED)); \
	diff <(echo "$$before") <(echo "$$after") || { echo "Generated files were stale, and are current now: commit them" >&2; exit 1; }

.PHONY: lint
lint: ## Run the linters, import rules included
	@for module in $(MODULES); do (cd $$module && $(TOOL) golangci-lint run --allow-parallel-runners --config $(CURDIR)/.golangci.yml ./...); done

.PHONY: unit
unit: manager ## Test what needs no cluster, the operator with the race detector
	$(RACE) ./...
	@# With the race detector, deadlines of templates are twenty times as long, and answers of 64 MiB take a minute.
	$(GO) test ./controllers/internal/secrettemplate
	$(GO) test -run AnAnswerIsUsed ./controllers/internal/aiven
	@# Go's cache of results knows no file outside of a module: the CRDs, the charts, the pages. Some of generators compile.
	cd generators && $(GO) test -count=1 -timeout 0 ./...
	@$(MAKE) fuzz FUZZ=FuzzAnswers

.PHONY: integration
integration: build helm own-image plugin site ## Test on the real control plane and the local Aiven; what they need is built first
	cd tests/localaiven && $(RACE) -count=1 ./engine/postgres ./... # with the engines that are installed, and the longest first
	cd tests && $(GO) test -count=1 -timeout 60m ./suites/conformance $$(go list ./... | grep -vE '/suites/($(subst $(SPACE),|,$(PROCESS_SUITES)))$$')
	cd tests && $(RACE) -count=1 -timeout 60m $(RACED:%=./suites/%)
	cd tests && $(GO) test -count=1 -timeout 30m $(PROCESS_SUITES:%=./suites/%)

.PHONY: test-kubernetes
test-kubernetes: deps manager ## Test CRDs, policies, permissions and a kind on another version of Kubernetes, which is built first (K8S=1.34)
	@$(BUILD) --module localaiven --out $(BIN) ./cmd/localaiven
	@$(KUBERNETES) --variant $(K8S) --out $(BIN)/k8s-$(K8S) ./cmd/etcd ./cmd/kube-apiserver ./cmd/kube-controller-manager ./cmd/kubectl
	cd tests && KUBEBUILDER_ASSETS=$(BIN)/k8s-$(K8S) $(GO) test -count=1 -timeout 30m ./harness/controlplane
	cd tests && KUBEBUILDER_ASSETS=$(BIN)/k8s-$(K8S) $(GO) test -count=1 -timeout 30m -run '$(DECIDED)' ./suites/charts ./suites/conformance
	cd tests && KUBEBUILDER_ASSETS=$(BIN)/k8s-$(K8S) $(GO) test -count=1 -timeout 30m -run 'EveryKindMeetsEveryRequirement//^Database$$' ./suites/conformance

.PHONY: test
test: generated lint unit integration ## Run everything that CI runs

.PHONY: bench
bench: build ## Measure cost and speed against budgets, into bin/bench.json (STRICT=1 fails if one is missed; FAMILY=kafka for one, PERCENT=10 of it)
	@$(BUILD) --module . --out $(BIN) ./bench
	@exec $(BIN)/bench $(if $(STRICT),--strict) $(if $(FAMILY),--family $(FAMILY)) $(if $(PERCENT),--percent $(PERCENT))

.PHONY: bench-limit
bench-limit: build ## Measure 1,000 objects where Aiven accepts 120 calls a minute, in about 15 minutes (STRICT=1)
	@$(BUILD) --module . --out $(BIN) ./bench
	@exec $(BIN)/bench --at-limit 1000 $(if $(STRICT),--strict)

.PHONY: crash
crash: build ## Kill the operator at each of its writes, answer each of its calls badly, rotate 100 passwords, let two objects contend in every order, and 10,200 tenants act; results in bin/crash.json
	@rm -f $(BIN)/crash.json
	$(GO) test -count=1 ./controllers -run OneOwnsItInEveryOrder
	@cd tests; tests=$$($(GO) test -list '$(CRASHES)' ./suites/conformance) || { echo "$$tests" >&2; exit 1; }; \
	for name in $(subst |, ,$(CRASHES)); do grep -q "^Test.*$$name" <<< "$$tests" || { echo "No test is called $$name" >&2; exit 1; }; done
	cd tests && $(GO) test -timeout 60m ./suites/conformance -run '$(CRASHES)' -crash.all -crash.report $(BIN)/crash.json -v | grep -v '^=== '
	cd tests && $(GO) test -timeout 10m ./suites/connectionsecret -run NoLoginFails -crash.all -v | grep -v '^=== '
	cd tests && $(GO) test -timeout 120m ./suites/isolation -crash.all

.PHONY: fuzz
fuzz: ## Fuzz what reads answers, requests and texts, each test for FUZZTIME (60s), or those that match FUZZ
	@grep -rEo --include='*_test.go' '^func Fuzz[A-Za-z]+' controllers tests/localaiven | grep -E '$(FUZZ)' | while IFS=: read -r file name; do \
		(cd $$(dirname $$file) && $(GO) test -run '^$$' -fuzz "^$${name#func }$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s . </dev/null); \
	done

.PHONY: mutants
mutants: ## Test the tests: mutate what decides without I/O, and count the mutants that live (PKG=fault for one package)
	@$(BUILD) --module ../tools --out $(BIN) github.com/go-gremlins/gremlins/cmd/gremlins
	@cd tests && $(GO) run ./cmd/mutants --gremlins $(BIN)/gremlins --root .. $(PKG)

.PHONY: vulncheck
vulncheck: ## List known vulnerabilities in code that is called, from VULNDB (error 3: there are some, error 4: it isn't reached)
	@$(BUILD) --module ../tools --out $(BIN) golang.org/x/vuln/cmd/govulncheck
	@$(BUILD) --module . --out $(BIN) ./cmd/vulncheck
	@$(BIN)/vulncheck --govulncheck $(BIN)/govulncheck --root $(CURDIR) --db "$(VULNDB)" $(MODULES)

.PHONY: requirements
requirements: ## Write the tests of each requirement to docs/contributor/requirements.md
	@cd tests && $(GO) run ./cmd/requirements > $(CURDIR)/docs/contributor/requirements.md

.PHONY: routes
routes: ## Write the routes of the local Aiven to docs/contributor/localaiven-routes.md
	@cd tests && $(GO) run ./cmd/routes > $(CURDIR)/docs/contributor/localaiven-routes.md

.PHONY: recording
recording: build plugin ## Record the session that the README shows, into docs/user/pictures/session.svg
	@cd tests && go run ./cmd/record --bin $(BIN) --out $(CURDIR)/docs/user/pictures/session.svg

.PHONY: clean
clean: ## Remove bin/, with Kubernetes in bin/k8s, which takes minutes to build again
	rm -rf $(BIN)
