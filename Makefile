# Everything runs in .venv, which the first target that needs it builds.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find src -name '*.py' -o -name '*.cpp' -o -name '*.hpp' -o -name '*.pyi' -o -name '*.jinja' -o -name '*.css' -o -name '*.js') CMakeLists.txt pyproject.toml

.PHONY: help fetch demo test browser coverage fuzz bugs sanitize sanitize-calls sanitize-threads lint types style layers review docs bench changelog release clean
help:
	@echo "make demo    set up, run a report on an embedded dataset, say where the page is"
	@echo "make test    set up, run all tests"
	@echo "make lint    formatting, types, layers, repository review"
	@echo "make docs    build the documentation into docs/_build/html"
	@echo "make bench   measure speed against peers, a minute or two"
	@echo "make coverage  which lines the tests run: a table here, a page in coverage/html (TESTS=tests/test_x.py for a part)"
	@echo "make sanitize  the tests that reach the C++ core, with a core that looks for bad addresses and undefined behaviour"
	@echo "make sanitize-threads  the scans, with a core that looks for data races"
	@echo "make bugs    plants a bug at a time: do the tests find it? (half an hour; BUGS=core for those of the core)"
	@echo "make fuzz    random tables, files, commands and calls of the core for SECONDS=60 (SEED=0; the same seed, the same cases)"
	@echo "make changelog what the next release will say; make release VERSION=1.2.3 writes it down"

$(VENV)/pip:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade 'pip>=25.1'
	@touch $@

# the core is compiled here and nowhere else
$(VENV)/wheel: $(SOURCES) | $(VENV)/pip
	rm -rf build/wheel
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir build/wheel .
	@touch $@

# pip leaves what is installed alone where the version has not changed
$(VENV)/installed: $(VENV)/wheel
	$(BIN)/pip uninstall -qq --yes paclearn
	$(BIN)/pip install --quiet "$$(ls build/wheel/*.whl)[cli,plot]"
	@$(BIN)/python -c "from paclearn.kernels import dispatch as native; native.available()"
	@touch $@

$(VENV)/tools: pyproject.toml | $(VENV)/installed
	$(BIN)/pip install --quiet --group dev
	@touch $@

# what the extra asks for, without building the package once more
WANTED := from importlib.metadata import requires; \
	print(*(r.split(";")[0] for r in requires("paclearn") if "docs" in r and not r.startswith("paclearn")))

$(VENV)/docs-tools: $(VENV)/installed
	$(BIN)/pip install --quiet $$($(BIN)/python -c '$(WANTED)')
	@touch $@

# all that others wrote; beside `$(VENV)/wheel` it takes no time of its own
NEEDED := import tomllib; project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	print(*(r for part in [project["dependencies"], *project["optional-dependencies"].values()] for r in part \
	if not r.startswith(("paclearn", "cupy"))))
fetch: | $(VENV)/pip
	$(BIN)/pip install --quiet --group dev $$($(BIN)/python -c '$(NEEDED)')

demo: $(VENV)/installed
	@mkdir -p demo
	$(BIN)/paclearn datasets tic-tac-toe --output demo/tic-tac-toe.csv
	$(BIN)/paclearn report demo/tic-tac-toe.csv --target "x wins" --output demo/report.html

# the tests of the page want a chromium; where none can be had they say so and are skipped
browser:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
	  || { test "$$(id -u)" = 0 && apt-get install -y --no-install-recommends chromium; } \
	  || echo "NOTICE: no chromium, and none could be installed: the page will not be tried in a browser"

# as many at once as there are cores; then those that measure time, one by one on a quiet machine
test: $(VENV)/installed $(VENV)/tools browser
	$(BIN)/python -m pytest -m "not alone" --numprocesses auto --dist worksteal
	$(BIN)/python -m pytest -m alone $$(grep -rl mark.alone tests --include='*.py')

TESTS ?= tests
coverage: $(VENV)/installed $(VENV)/tools
	$(BIN)/pip install --quiet --group coverage
	rm -rf coverage
	$(BIN)/coverage run -m pytest -m "not alone" --numprocesses auto --dist worksteal $(TESTS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage html --quiet
	$(BIN)/coverage report
	@echo "Line by line: $(CURDIR)/coverage/html/index.html"

# a minute by default, in CI too, an hour by hand: make fuzz SECONDS=3600 SEED=1000000; two processes share the seconds
SECONDS ?= 60
SEED ?= 0
PROCESSES ?= 2
fuzz: $(VENV)/installed $(VENV)/tools
	cd tests && ../$(BIN)/python -m fuzz --seconds $(SECONDS) --seed $(SEED) --processes $(PROCESSES)

BUGS ?= :
bugs: $(VENV)/installed $(VENV)/tools
	$(BIN)/python tests/planted_bugs.py --only $(BUGS)

# the sanitizers' library must come first in the process, and the one it watches for exceptions with it; stacks that it
# keeps to look for late uses put vectors of 64 bytes where AVX-512 must not have them (GCC 13)
CXX ?= c++
ISAS := avx512 avx2 plain
SANITIZERS = $(foreach library,libasan.so libstdc++.so,$(shell $(CXX) -print-file-name=$(library)))
TSAN = $(foreach library,libtsan.so libstdc++.so,$(shell $(CXX) -print-file-name=$(library)))
SANITIZED = PYTHONPATH=$(CURDIR)/build/sanitized LD_PRELOAD="$(SANITIZERS)" \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:detect_stack_use_after_return=0 ../$(BIN)/python
build/sanitized/made: $(SOURCES) | $(VENV)/tools
	PACLEARN_SANITIZE=ON $(BIN)/pip install --quiet --no-deps --upgrade --target build/sanitized -C build-dir=build/sanitize .
	@touch $@
build/threads/made: $(SOURCES) | $(VENV)/tools
	PACLEARN_SANITIZE=thread $(BIN)/pip install --quiet --no-deps --upgrade --target build/threads -C build-dir=build/thread .
	@touch $@

sanitize: sanitize-calls
	cd tests && for isa in $(ISAS); do export PACLEARN_ISA=$$isa; \
	  $(SANITIZED) -m pytest -q counting/test_counting.py kernels/test_kernels.py || exit 1; \
	  $(SANITIZED) -m fuzz calls --seed 1000 --cases 50 --seconds 120 || exit 1; done

# half a minute, for every change: each hostile call that is a test, and a few thousand of the fuzzer's
CALLS ?= 10
sanitize-calls: build/sanitized/made
	cd tests && for isa in $(ISAS); do export PACLEARN_ISA=$$isa; \
	  $(SANITIZED) hostile_calls.py 0 >/dev/null || exit 1; \
	  $(SANITIZED) -m fuzz calls --cases $(CALLS) || exit 1; done

# Python itself is not built for it, so only reports that name the core count
sanitize-threads: build/threads/made
	for isa in $(ISAS); do \
	  PACLEARN_ISA=$$isa PYTHONPATH=$(CURDIR)/build/threads LD_PRELOAD="$(TSAN)" \
	  TSAN_OPTIONS="exitcode=66 ignore_noninstrumented_modules=1" $(BIN)/python tests/shared_scans.py || exit 1; done

# each on its own, so that `make --jobs` takes one a core
lint: types style layers review
types style layers review: $(VENV)/installed $(VENV)/tools
types:
	$(BIN)/mypy
style:
	$(BIN)/ruff check
	$(BIN)/ruff format --check
layers:
	$(BIN)/lint-imports
review:
	$(BIN)/repo-review .

docs: $(VENV)/docs-tools
	$(BIN)/sphinx-build -W --keep-going -q docs docs/_build/html
	@echo "The documentation: $(CURDIR)/docs/_build/html/index.html"

bench: $(VENV)/installed $(VENV)/tools
	$(BIN)/python -m benchmarks.speed.foundation
	$(BIN)/python -m benchmarks.speed.scans

changelog: $(VENV)/installed $(VENV)/tools
	$(BIN)/towncrier build --draft --version "$$($(BIN)/python -c 'import paclearn; print(paclearn.__version__)')"

# writes CHANGELOG.md and the version, and commits nothing: read it first
release: $(VENV)/tools
	@test -n "$(VERSION)" || { echo "which one? make release VERSION=1.2.3"; exit 2; }
	sed -i.bak 's/^__version__ = .*/__version__ = "$(VERSION)"/' src/paclearn/__init__.py && rm src/paclearn/__init__.py.bak
	sed -i.bak 's/^version: .*/version: "$(VERSION)"/; s/^date-released: .*/date-released: "'"$$(date +%F)"'"/' CITATION.cff && rm CITATION.cff.bak
	$(BIN)/towncrier build --yes --version "$(VERSION)"

clean:
	rm -rf $(VENV) build demo coverage docs/_build docs/api/generated docs/gallery .mypy_cache .ruff_cache .hypothesis
