# Front door; CMakeLists.txt does the building. "make help" lists the targets.
# A fresh Debian 12 needs only git and make: tools/setup.sh installs the rest.

CC = clang-19# not ?=, make presets CC. Another compiler wants its own directory: make CC=gcc BUILD=build-gcc
BUILD = build
PREFIX = /usr/local# where install puts things, below DESTDIR if that is given
ASAN = build-asan
FUZZ = build-fuzz
SECONDS = 60# for how long fuzz and fuzz-readers (each of its targets) run
SEED = $(shell od -An -N4 -tu4 /dev/urandom | tr -d ' ')

CONFIGURE = cmake -S . -G Ninja --log-level=NOTICE -DCMAKE_CXX_COMPILER=clang++-19
CTEST = ctest --output-on-failure --no-tests=error -j $$(nproc)
# What we format. tests/programs are inputs, and *.def are tables laid out by hand.
FILES = find src include bench examples tests/unit tests/engine tests/native tests/native_rounds tests/native_states tests/cluster tests/fuzz tests/real -name '*.[ch]' 2>/dev/null

.PHONY: build profile run test asan fuzz fuzz-readers bench-compile bench-engine bench-native bench-races bench-jobs bench-start soak format format-check tidy clean help
.PHONY: install uninstall package surface
.PHONY: setup setup-test setup-package setup-sanitize setup-format setup-tidy
.PHONY: real setup-real faults
.DEFAULT_GOAL = build

# Configured once; after that ninja itself notices changed CMake files and new sources.
$(BUILD)/build.ninja: Makefile | setup
	$(CONFIGURE) -B $(BUILD) -DCMAKE_C_COMPILER=$(CC)
	tools/profile.sh $(BUILD)

$(ASAN)/build.ninja: Makefile | setup-sanitize
	$(CONFIGURE) -B $(ASAN) -DCMAKE_C_COMPILER=$(CC) -DRADDLE_SANITIZE=ON

$(FUZZ)/build.ninja: Makefile | setup-sanitize # libFuzzer comes with clang only, whatever CC is
	$(CONFIGURE) -B $(FUZZ) -DCMAKE_C_COMPILER=clang-19 -DRADDLE_FUZZ=ON

build: $(BUILD)/build.ninja ## build the program: build/raddle
	cmake --build $(BUILD)

profile: $(BUILD)/build.ninja ## measure anew which ways through libraddle.so are busy, and build it for them
	tools/profile.sh $(BUILD)
	cmake --build $(BUILD)

run: build ## a program with a bug, and one litmus test under the three memory models
	@echo "== $(BUILD)/raddle check examples/counter.c"
	@cd $(BUILD) && export XDG_CACHE_HOME=$$PWD/cache && { ./raddle check $(CURDIR)/examples/counter.c || test $$? -eq 1; } && ./raddle show counter.raddle
	@for model in sc tso pso; do \
		echo "== $(BUILD)/raddle litmus --model $$model examples/litmus/SB.litmus"; \
		$(BUILD)/raddle litmus --model $$model examples/litmus/SB.litmus || exit; \
	done

install: build ## put raddle into PREFIX=/usr/local, below DESTDIR
	DESTDIR=$(DESTDIR) cmake --install $(BUILD) --prefix $(PREFIX)

uninstall: $(BUILD)/build.ninja ## remove what the last install put there
	DESTDIR=$(DESTDIR) cmake --build $(BUILD) --target uninstall

package: build setup-package ## a Debian package: build/raddle_*.deb
	@# cpack installs, too, into a directory of its own: the list of what `make install` wrote is not its to change
	cd $(BUILD) && { [ ! -e install_manifest.txt ] || cp -p install_manifest.txt install_manifest.kept; } && \
		cpack -G DEB; status=$$?; rm -f install_manifest.txt; \
		[ ! -e install_manifest.kept ] || mv install_manifest.kept install_manifest.txt; exit $$status

test: build setup-test ## all tests
	cd $(BUILD) && $(CTEST)

surface: build ## docs/surface.md, from what the runtime intercepts
	tools/surface.sh $(BUILD)

asan: $(ASAN)/build.ninja setup-test ## all tests, under the address and undefined-behaviour sanitizers
	cmake --build $(ASAN)
	cd $(ASAN) && $(CTEST)

fuzz: build ## random programs against the oracle: SECONDS=n, SEED=n
	@seed=$(SEED); echo "seed $$seed, $(SECONDS) seconds"; \
	$(BUILD)/tests/engine_oracle --seed $$seed --seconds $(SECONDS)

# A copy of the seeds, because libFuzzer adds what it finds to its corpus. Crashing inputs stay in $(FUZZ).
fuzz-readers: $(FUZZ)/build.ninja ## libFuzzer on each reader of input: SECONDS=n for each
	cmake --build $(FUZZ) --target fuzzers
	@corpus=$$(mktemp -d); trap 'rm -rf "$$corpus"' EXIT; ran=0; \
	for source in tests/fuzz/fuzz_*.c; do \
		[ -e "$$source" ] || continue; \
		name=$$(basename $$source .c); log=$(FUZZ)/$$name.log; mkdir $$corpus/$$name; \
		[ ! -d tests/fuzz/corpus/$$name ] || cp -R tests/fuzz/corpus/$$name/. $$corpus/$$name; \
		echo "$$name: $(SECONDS) seconds from $$(find $$corpus/$$name -type f | wc -l) seeds"; \
		$(FUZZ)/fuzz/$$name -max_total_time=$(SECONDS) -timeout=10 -print_final_stats=1 \
			-artifact_prefix=$(FUZZ)/$$name- $$corpus/$$name >$$log 2>&1 \
			|| { tail -n 60 $$log; echo "$$name failed; the whole log: $$log"; exit 1; }; \
		echo "$$name: ok, $$(sed -n 's/^stat::number_of_executed_units: *//p' $$log) inputs"; \
		ran=$$((ran + 1)); \
	done; \
	[ $$ran -gt 0 ] || { echo "no tests/fuzz/fuzz_*.c: nothing was fuzzed"; exit 1; }

bench-compile: build ## how long `raddle cc` takes, as a ratio to clang
	bench/compile.sh $(BUILD)

bench-engine: $(BUILD)/build.ninja ## speed of the engine
	cmake --build $(BUILD) --target bench_engine
	$(BUILD)/bench/bench_engine

bench-races: build ## cost of the search for data races: ten million plain accesses, as a ratio to the bare program
	bench/races.sh $(BUILD)

bench-jobs: build ## what several processes gain and cost, in one search of half a minute; on a machine with nothing else to do
	bench/jobs.sh $(BUILD)

bench-start: build ## how long a check of a tiny program takes, from its start to the verdict
	bench/start.sh $(BUILD)

bench-native: build ## speed of native programs, as ratios to a fiber switch
	cmake --build $(BUILD) --target bench_restart
	bench/native.sh $(BUILD)

tutorial: build ## what the commands of README.md and docs/tutorial.md print, written anew
	RADDLE=$(BUILD)/raddle SOURCE_DIR=. bash tests/tool/tutorial.sh --update

faults: build ## RUNS=100 searches whose workers and coordinators are killed at random: SEED=n
	RUNS=$(or $(RUNS),100) SEED=$(SEED) RADDLE=$(BUILD)/raddle SOURCE_DIR=. bash tests/tool/faults.sh

soak: build ## memory and descriptors over EXECUTIONS=10000000 executions
	bench/soak.sh $(BUILD) $(EXECUTIONS)

# Needs a network: the sources of the programs come from where apt has its packages.
real: build setup-real ## fetch real programs, build them with raddle cc, and check them: ONLY="pigz axel" for some
	tests/real/real.sh $(BUILD) $(ONLY)

format: setup-format ## lay out the C files by .clang-format
	$(FILES) | xargs -r clang-format-19 -i

format-check: setup-format ## fail if "make format" would change a file
	$(FILES) | xargs -r clang-format-19 --dry-run -Werror

tidy: $(BUILD)/build.ninja setup-tidy ## clang-tidy on src/
	find src -name '*.c' | xargs -r -n 1 -P $$(nproc) clang-tidy-19 -p $(BUILD) --quiet

clean: ## remove the build directories
	rm -rf $(BUILD) $(ASAN) $(FUZZ)

setup: ## install missing Debian packages; silent if there are none
	@tools/setup.sh build

setup-test:
	@tools/setup.sh test

setup-package:
	@tools/setup.sh build package

setup-sanitize:
	@tools/setup.sh build sanitize

setup-format:
	@tools/setup.sh format

setup-real:
	@tools/setup.sh build real

setup-tidy:
	@tools/setup.sh build tidy

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r target what; do \
		printf '  %-13s %s\n' "$$target" "$$what"; \
	done
