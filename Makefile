# The door. Meson does the work; `make help` lists what there is.
BUILD  ?= build
PREFIX ?= /usr/local
DESTDIR ?=
RUN    ?=
# What `make build` makes; nothing is everything. `make run` does without the tests.
WHAT   ?=

.PHONY: all build run test check bench silicon install format clean help
.DEFAULT_GOAL := all

all: build

build: $(BUILD)/build.ninja
	@ninja -C $(BUILD) -n $(WHAT) | grep -q 'no work to do' || { echo 'building in $(BUILD)'; ninja -C $(BUILD) --quiet $(WHAT); }

$(BUILD)/build.ninja:
	@scripts/setup build
	@meson setup $(BUILD) --prefix $(PREFIX) >$(BUILD).log 2>&1 || { cat $(BUILD).log; rm -f $(BUILD).log; exit 1; }
	@rm -f $(BUILD).log

# A directory configured before a package was there has a mark, and is configured again.
run: ## multiply matrices on all 140 tiles and say how busy they were; RUN='info --help' runs the command with that instead
	@scripts/setup build guest
	@[ ! -e $(BUILD)/no-guest ] || rm -rf $(BUILD)
	@$(MAKE) --no-print-directory build WHAT='bhemu libttsim.so soc_descriptor.yaml'
	@if [ '$(RUN)' ]; then $(BUILD)/bhemu $(RUN); else BHEMU=$(abspath $(BUILD))/bhemu guest/examples/run --show matmul-140; fi

test: ## build and run every test
	@scripts/setup build guest test
	@[ ! -e $(BUILD)/no-tests ] || rm -rf $(BUILD)
	@$(MAKE) --no-print-directory build
	@scripts/test $(BUILD)

check: ## sanitizers, both compilers, clang-tidy, format, fuzz smoke; STEPS='asan tidy' picks some
	@scripts/setup build guest test check
	@scripts/check $(STEPS)

bench: ## measure, against another library with the same ABI if PEER=/path/libttsim.so is given (PEER_X2, PEER_X4: with 2 and 4 chips); ONLY=part of a figure's name
	@scripts/setup build guest
	@[ ! -e $(BUILD)/no-guest ] || rm -rf $(BUILD)
	@$(MAKE) --no-print-directory build
	@$(BUILD)/bench/bench $(BUILD)/libttsim.so '$(PEER)' '$(ONLY)' '$(PEER_X2)' '$(PEER_X4)'

silicon: ## predict published measurements of cards, and write docs/silicon.md again
	@$(MAKE) --no-print-directory build WHAT=bench/silicon/silicon
	@$(BUILD)/bench/silicon/silicon --write docs bench/silicon/measured.csv bench/silicon/measured-noc.csv bench/silicon/measured-flows.csv

install: build ## libraries, headers, command, manual page and what guest programs need, below PREFIX
	@{ meson configure $(BUILD) --prefix $(PREFIX) && ninja -C $(BUILD); } >$(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@rm -f $(BUILD).log
	@DESTDIR='$(DESTDIR)' meson install -C $(BUILD) --no-rebuild --quiet
	@[ -n '$(DESTDIR)' ] || [ "$$(id -u)" -ne 0 ] || ldconfig

format: ## let clang-format have its way with every tracked file
	@scripts/format

clean: ## remove everything that was built
	@rm -rf $(BUILD) $(BUILD)-*

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile
