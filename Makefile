# Targets that `sam build` calls, one for each function in template.yaml: build the functions'
# binaries and copy that one to $(ARTIFACTS_DIR) as `bootstrap`, the name provided.al2023 starts.
#
#   sam build                               arm64, the template's default
#   ARCHITECTURE=x86_64 sam build           the same for x86_64 (deploy with Architecture=x86_64)
#   CARGO_PROFILE=dev sam build             quick, to check the wiring
#   ARCHITECTURE=x86_64 make startup        what each function costs to start
#
# A plain `cargo build` is used where this machine is of the target architecture and its C library is
# no newer than that of provided.al2023; elsewhere CARGO_BUILD="cargo zigbuild" links against that
# version (`pip install cargo-zigbuild ziglang` and `rustup target add <target>`).

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
CARGO_BUILD ?= $(if $(filter $(TARGET),$(HOST)),cargo build,cargo zigbuild)
BUILD_TARGET := $(TARGET)$(if $(findstring zigbuild,$(CARGO_BUILD)),.$(GLIBC))
# Cargo names the directory of the dev profile differently.
PROFILE_DIRECTORY := $(if $(filter dev,$(CARGO_PROFILE)),debug,$(CARGO_PROFILE))
TARGET_DIRECTORY := $(or $(CARGO_TARGET_DIR),target)

FUNCTIONS := events carts entitlements checkout orders returns reservations backoffice memberships members onboarding refunds reference mailer cleanup
# The template's logical name of a function: EventsFunction for events.
logical_name = $(shell echo $(1) | sed 's/^./\U&/')Function

# Every function at once, so that what they share is built once. The code knows its addresses: a function that could lie
# anywhere in memory would spend most of its start on finding out where it does (docs/adr/0101).
.PHONY: build
build: export RUSTFLAGS := -C relocation-model=static
build:
	$(CARGO_BUILD) --locked --profile $(CARGO_PROFILE) --target $(BUILD_TARGET) --bins $(addprefix -p ,$(FUNCTIONS))

define build_function
.PHONY: build-$(call logical_name,$(1))
build-$(call logical_name,$(1)): build
	cp $(TARGET_DIRECTORY)/$(TARGET)/$(PROFILE_DIRECTORY)/$(1) $$(ARTIFACTS_DIR)/bootstrap
endef
$(foreach function,$(FUNCTIONS),$(eval $(call build_function,$(function))))

# What every function costs to start, beside the least that one can be; for the architecture of this machine.
.PHONY: startup
startup: build
	RUSTFLAGS="-C relocation-model=static" $(CARGO_BUILD) --locked --profile $(CARGO_PROFILE) --target $(BUILD_TARGET) -p blackbox --bin bare --bin startup
	$(TARGET_DIRECTORY)/$(TARGET)/$(PROFILE_DIRECTORY)/startup
