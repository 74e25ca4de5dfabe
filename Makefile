# The list of what is done with this project. CI runs the same targets.

# Where the database and the files are. ADDR and DATABASE_URL reach the server as
# they are given.
DATA_DIR ?= ./data
export DATA_DIR

AXE_DIR ?= internal/browser/testdata
export AXE_DIR

.DEFAULT_GOAL := help
.PHONY: help run test bench lint generate verify db-reset vendor bin/countersign bin/withpg

help: ## Say what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: ## Start with demo data on http://localhost:8080 (ADDR, DATA_DIR, DATABASE_URL change it)
	@scripts/need.sh go
	@[ -n "$$DATABASE_URL" ] || scripts/need.sh --soft postgres
	@echo "Building…"
	@$(MAKE) --no-print-directory bin/countersign
	@exec bin/countersign serve --demo

test: ## Run every test, browser tests included (TEST_FLAGS="-run X", PKG=./models/...)
	@scripts/need.sh go postgres chromium
	@$(MAKE) --no-print-directory bin/withpg
	@exec bin/withpg -- go test -vet=off -timeout 40m $(TEST_FLAGS) $(or $(PKG),./...)

bench: ## Run the benchmarks and print ratios against the bare database
	@scripts/need.sh go postgres
	@$(MAKE) --no-print-directory bin/withpg
	@exec bin/withpg -durable -- go run ./internal/bench

lint: ## Check formatting, go vet and staticcheck
	@unformatted=$$(gofmt -l .); [ -z "$$unformatted" ] || { echo "not formatted (gofmt -w):"; echo "$$unformatted"; exit 1; }
	go vet ./...
	go tool staticcheck ./...

generate: ## Turn templ files into Go
	go tool templ generate

verify: generate ## Check that generated files and go.mod are committed as they should be
	@git diff --stat --exit-code -- '*_templ.go' || { echo "generated files differ: commit what 'make generate' makes"; exit 1; }
	@new=$$(git ls-files --others --exclude-standard -- '*_templ.go'); [ -z "$$new" ] || { echo "generated files not committed:"; echo "$$new"; exit 1; }
	go mod tidy -diff
	go mod verify

db-reset: ## Delete DATA_DIR with its database and files (CONFIRM=yes), unless it is in use
	@[ "$(CONFIRM)" = yes ] || { echo "This deletes $(DATA_DIR) for good. Say: make db-reset CONFIRM=yes"; exit 1; }
	@go run ./internal/withpg reset "$(DATA_DIR)" && echo "$(DATA_DIR) is gone."

vendor: ## Fetch the vendored front-end files again (scripts/vendor.sh says from where)
	scripts/vendor.sh

bin/countersign:
	@go build -o $@ ./cmd/countersign

bin/withpg:
	@go build -o $@ ./internal/withpg
