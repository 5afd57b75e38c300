# The door. Meson does the work; `make help` lists what there is.
BUILD  ?= build
PREFIX ?= /usr/local
RUN    ?= info
DESTDIR ?=

.PHONY: all build run test check bench install format clean help
.DEFAULT_GOAL := all

all: build

build: $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet

$(BUILD)/build.ninja:
	@scripts/setup build
	@meson setup $(BUILD) --prefix $(PREFIX) >$(BUILD).log 2>&1 || { cat $(BUILD).log; rm -f $(BUILD).log; exit 1; }
	@rm -f $(BUILD).log

run: build ## run the emulator: make run RUN='run --help'
	@$(BUILD)/bhemu $(RUN)

test: ## build and run every test
	@scripts/setup build test
	@if [ -e $(BUILD)/no-tests ]; then rm -rf $(BUILD); fi # configured before the test packages were there
	@$(MAKE) --no-print-directory build
	@scripts/test $(BUILD)

check: ## sanitizers, both compilers, clang-tidy, format, fuzz smoke; STEPS='asan tidy' picks some
	@scripts/setup build test check
	@scripts/check $(STEPS)

bench: build ## measure, against another library with the same ABI if PEER=/path/libttsim.so is given
	@$(BUILD)/bench/bench $(BUILD)/libttsim.so $(PEER)

install: build ## library, header, command, pkg-config file and manual page below PREFIX
	@meson configure $(BUILD) --prefix $(PREFIX) && ninja -C $(BUILD) --quiet
	@DESTDIR='$(DESTDIR)' meson install -C $(BUILD) --no-rebuild --quiet

format: ## let clang-format have its way with every tracked file
	@scripts/format

clean: ## remove everything that was built
	@rm -rf $(BUILD) $(BUILD)-*

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile
