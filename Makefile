# Each target sets up what it needs: a virtual environment in .venv and a release build.
#
#   make demo    trains five tokenizers on the Python standard library, compares them, writes a report
#   make test    checks and tests everything; make check is its first, quick part
#   make bench   measures speed against the peers that are installed
#   make fuzz    feeds hostile bytes to the core for a minute a target (needs nightly Rust)

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
OUT ?= demo-output
SECONDS_PER_TARGET ?= 60
RUST_SOURCES := $(shell find crates -name '*.rs' -o -name '*.toml' -o -name '*.tsv') Cargo.toml Cargo.lock

.PHONY: demo test check format bench fuzz clean tools

demo: $(VENV)/built
	$(BIN)/toksmith demo --out $(OUT)

test: check
	cargo test --release --locked -p toksmith-core --features jieba
	$(BIN)/python -m pytest

check: $(VENV)/built
	@cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1 || { echo "toksmith's checks need rustfmt and clippy: rustup component add rustfmt clippy"; exit 1; }
	cargo fmt --check
	cargo clippy --locked --all-targets -- -D warnings
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/ready
	cargo fmt
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/built
	$(BIN)/python benchmarks/run.py

fuzz:
	for target in $$(cargo +nightly fuzz list); do \
		cargo +nightly fuzz run $$target -- -max_total_time=$(SECONDS_PER_TARGET) || exit 1; done

clean:
	rm -rf $(VENV) target $(OUT)

tools:
	@test -n "$(PYTHON)" || { echo "toksmith needs Python 3.11 or newer: install it, or name it: make PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { echo "toksmith needs Python 3.11 or newer, and $(PYTHON) is not"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "toksmith needs Python's venv module: install it (Debian and Ubuntu: apt install python3-venv)"; exit 1; }
	@command -v cargo >/dev/null || { echo "toksmith needs Rust 1.85 or newer: install it from https://rustup.rs"; exit 1; }
	@cargo --version | awk '{ split($$2, v, "."); exit !(v[1] > 1 || v[2] >= 85) }' || { echo "toksmith needs Rust 1.85 or newer: rustup update"; exit 1; }
	@command -v cc >/dev/null || { echo "toksmith needs a C linker for Rust: install a compiler (Debian and Ubuntu: apt install gcc)"; exit 1; }

$(VENV)/ready: requirements.lock | tools
	@echo "setting up $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	@touch $@

$(VENV)/built: $(VENV)/ready pyproject.toml $(RUST_SOURCES)
	@echo "building the core, about two minutes"
	@PATH=$(CURDIR)/$(BIN):$$PATH MATURIN_PEP517_ARGS=--locked $(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--no-deps --no-build-isolation --editable .
	@touch $@
