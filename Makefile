# Daily work, at the end of this file: make run, test, check, measure, routes, docs.
#
# Targets that `sam build` calls, one for each function in template.yaml: build the function's
# binary and copy it to $(ARTIFACTS_DIR) as `bootstrap`, the name provided.al2023 starts.
#
#   sam build                               arm64, the template's default
#   ARCHITECTURE=x86_64 sam build           the same for x86_64 (deploy with Architecture=x86_64)
#   CARGO_PROFILE=dev sam build             quick, to check the wiring
#   ARCHITECTURE=x86_64 make startup        what each function costs to start
#
# A plain `cargo rustc` is used where this machine is of the target architecture, and cargo-zigbuild elsewhere
# (`pip install cargo-zigbuild ziglang` and `rustup target add <target>`), which links against the C library of
# provided.al2023. Where this machine has a newer one, CARGO_RUSTC="cargo-zigbuild rustc" does the same.

ARCHITECTURE ?= arm64
CARGO_PROFILE ?= lambda
GLIBC := 2.34

TARGET_arm64 := aarch64-unknown-linux-gnu
TARGET_x86_64 := x86_64-unknown-linux-gnu
TARGET := $(TARGET_$(ARCHITECTURE))
ifeq ($(TARGET),)
$(error ARCHITECTURE must be arm64 or x86_64, not $(ARCHITECTURE))
endif

HOST := $(shell rustc -vV | sed -n 's/^host: //p')
CARGO_RUSTC ?= $(if $(filter $(TARGET),$(HOST)),cargo rustc,cargo-zigbuild rustc)
BUILD_TARGET := $(TARGET)$(if $(findstring zigbuild,$(CARGO_RUSTC)),.$(GLIBC))
# Cargo names the directory of the dev profile differently.
PROFILE_DIRECTORY := $(if $(filter dev,$(CARGO_PROFILE)),debug,$(CARGO_PROFILE))
BINARIES := $(or $(CARGO_TARGET_DIR),target)/$(TARGET)/$(PROFILE_DIRECTORY)

FUNCTIONS := events carts entitlements checkout orders order_refunds admission reservations backoffice memberships membership_validation staff onboarding payment_refunds reference mailer cleanup
# The template's logical name of a function: EventsFunction for events. An underscore begins a word.
logical_name = $(shell echo $(1) | sed -E 's/(^|_)(.)/\U\2/g')Function

# The program knows its addresses: one that could lie anywhere in memory would spend most of its start on finding out where
# it does (docs/adr/0101).
rustc = $(CARGO_RUSTC) --locked --profile $(CARGO_PROFILE) --target $(BUILD_TARGET) -p $(1) --bin $(2) -- -C relocation-model=static

define build_function
.PHONY: $(1) build-$(call logical_name,$(1))
$(1):
	$(call rustc,$(1),$(1))
build-$(call logical_name,$(1)): $(1)
	cp $(BINARIES)/$(1) $$(ARTIFACTS_DIR)/bootstrap
endef
$(foreach function,$(FUNCTIONS),$(eval $(call build_function,$(function))))

# What every function costs to start, beside the least that one can be; for the architecture of this machine.
.PHONY: startup
startup: $(FUNCTIONS)
	$(call rustc,blackbox,bare)
	$(call rustc,blackbox,startup)
	$(BINARIES)/startup

.PHONY: run test check measure routes docs
# The service with two demo venues, on http://127.0.0.1:3000.
run:
	cargo run

test:
	cargo test --workspace

# What a change has to pass, as far as Rust alone can tell; `.ci/run` is all of it.
check:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo test --workspace

# Figures of the structure: lines, longest function, cycles, names of two things.
measure:
	cargo run --quiet -p blackbox --bin measure

# Every route with its scope, function, tables and round trips.
routes:
	cargo run --quiet -- routes

# Writes the documents that the program prints, after measuring the routes and how what they cost grows.
DOCS_PROGRAM := $(or $(CARGO_TARGET_DIR),target)/debug/boxoffice
docs:
	BOXOFFICE_MEASURED="$(CURDIR)/cli/src/route_table/measured.txt" cargo test --workspace --test suite laws::route_table
	BOXOFFICE_GROWTH="$(CURDIR)/docs/GROWTH.md" BOXOFFICE_LONG_WALKS="$(CURDIR)/target/walks" \
	  cargo test --workspace --test suite laws::growth
	cargo build
	$(DOCS_PROGRAM) openapi >docs/openapi.json
	$(DOCS_PROGRAM) errors >docs/errors.md
	$(DOCS_PROGRAM) onboarding >docs/onboarding.md
	$(DOCS_PROGRAM) routes >docs/ROUTES.md
