# Each target does its own set-up in a virtual environment, .venv. Nothing else is touched.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q

# Corpora that may not be shipped are found through CAESURA_DATA; tests that need them skip with a reason without it.
CAESURA_DATA ?= $(realpath $(wildcard ../shared/data))
ifneq ($(CAESURA_DATA),)
export CAESURA_DATA
else
unexport CAESURA_DATA
endif

FUZZ_SECONDS ?= 600

.PHONY: help demo shell quick quick-tests test test-train test-ray test-recipes test-site site lint lock wheel fuzz arrays bench reproduce docs clean
help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/'

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# An editable install leaves built kernels beside their source, which hide later edits: so they are built again, all of
# them, when one has changed, and only then. The stamps say when that was.
KERNELS := $(wildcard src/caesura/kernels/*.py)
# The demo needs no optional part, and byte code is made for what it imports only, also of what builds the package (the setting, unlike the
# option of pip, holds there, too): half the CPU of a full install.
# With LOCKED=1 everything comes from requirements.lock, by its hashes, and nothing else is fetched to build the package.
$(VENV)/installed: $(BIN)/python pyproject.toml setup.py $(KERNELS)
	@echo "Installing, and compiling the kernels if there is a C compiler: a minute or less; with CAESURA_PURE=1 seconds."
	rm -f src/caesura/kernels/*.so src/caesura/kernels/*.pyd
ifdef LOCKED
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --no-deps --no-build-isolation --editable .
else
	PIP_NO_COMPILE=1 $(PIP) install --editable .
endif
	@touch $@
$(VENV)/reproductions: $(VENV)/installed reproductions/pyproject.toml
	PIP_NO_COMPILE=1 $(PIP) install --no-deps $(if $(LOCKED),--no-build-isolation) --editable reproductions
	@touch $@
$(VENV)/develop: $(VENV)/installed $(VENV)/reproductions
	@echo "Installing what the tests need."
	$(PIP) install --upgrade pip
	$(PIP) install 'caesura-eval[report,sentences,explore]' --group dev
	@touch $@

.PHONY: installed develop
installed: $(VENV)/installed
develop: $(VENV)/develop

demo: installed  ## see it work on real chats and a novel
	@mkdir -p build
	@$(BIN)/caesura demo --report build/demo.html --force
	@echo "make shell opens a shell in which caesura is on the PATH."

shell: installed  ## open a shell with caesura on its PATH
	@echo "caesura is on the PATH of this shell; exit leaves it."
	@PATH="$(CURDIR)/$(BIN):$$PATH" $${SHELL:-sh}

quick: develop  ## ruff, mypy, doctests, contract and architecture with few examples and without what is slow: a minute
	@$(MAKE) --no-print-directory --jobs 2 lint quick-tests
quick-tests: develop
	HYPOTHESIS_PROFILE=quick $(BIN)/python -m pytest -n 2 -m "not slow" src/caesura tests/contract tests/architecture

test: develop  ## run the tests
	$(BIN)/python -m pytest -n 2

# torch is large, so what it trains is tested in an environment of its own. Only this version can be had everywhere without
# the parts for graphics cards; the source is that of the folder, with the kernels that are built beside it.
TRAIN := .venv-train
$(TRAIN)/installed: pyproject.toml
	@echo "Installing torch, about 1 GB."
	$(PYTHON) -m venv $(TRAIN)
	$(TRAIN)/bin/python -m pip --disable-pip-version-check -q install --upgrade pip
	$(TRAIN)/bin/python -m pip --disable-pip-version-check -q install torch==2.13.0
	CAESURA_PURE=1 $(TRAIN)/bin/python -m pip --disable-pip-version-check -q install '.[train,torch]' --group train
	@touch $@

test-train: installed $(TRAIN)/installed  ## run the tests that need torch, in an environment of their own
	CAESURA_TORCH=required OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PYTHONPATH=src $(TRAIN)/bin/python -m pytest -n 2 \
	  tests/training/test_torch.py tests/scorers/test_next_sentence.py tests/encoders/test_torch.py tests/encoders/test_numpy.py \
	  tests/encoders/test_no_code.py

# Ray takes 300 MB and half a minute, so engines are tested on it in an environment of their own too, on one cluster of two workers.
RAY := .venv-ray
$(RAY)/installed: pyproject.toml
	$(PYTHON) -m venv $(RAY)
	$(RAY)/bin/python -m pip --disable-pip-version-check -q install --upgrade pip
	CAESURA_PURE=1 $(RAY)/bin/python -m pip --disable-pip-version-check -q install '.[ray]' --group ray
	@touch $@

test-ray: installed $(RAY)/installed  ## run the tests that need Ray, in an environment of their own
	CAESURA_RAY=required PYTHONPATH=src $(RAY)/bin/python -m pytest -k "not local" tests/scale/test_ray.py tests/cli/test_engines.py

# Engines and tools that others wrote, each installed by itself: one that cannot be had here is told, and its test is skipped.
RECIPES := .venv-recipes
$(RECIPES)/installed: pyproject.toml
	$(PYTHON) -m venv $(RECIPES)
	$(RECIPES)/bin/python -m pip --disable-pip-version-check -q install --upgrade pip
	CAESURA_PURE=1 $(RECIPES)/bin/python -m pip --disable-pip-version-check -q install '.[parquet]' --group ray
	for engine in dask daft 'pyspark[sql]' scikit-learn inspect-ai mlflow-skinny wandb dvc 'torch==2.13.0 lightning'; do \
	  $(RECIPES)/bin/python -m pip --disable-pip-version-check -q install $$engine || echo "$$engine cannot be installed here"; done
	@touch $@

test-recipes: installed $(RECIPES)/installed  ## run the recipes for Spark, Dask, Daft, scikit-learn, Inspect, MLflow and others, in an environment of their own
	PYTHONPATH=src $(RECIPES)/bin/python -m pytest -rs tests/scale/test_recipes.py tests/integrations/test_recipes.py

# The site is built in an environment of its own, which does not need the package: it reads docstrings from the source.
SITE := .venv-site
$(SITE)/installed: pyproject.toml
	$(PYTHON) -m venv $(SITE)
	$(SITE)/bin/python -m pip --disable-pip-version-check -q install --upgrade pip
	$(SITE)/bin/python -m pip --disable-pip-version-check -q install --group site
	@touch $@

site: $(SITE)/installed  ## build the site of the documentation in build/site/html, and check its links, anchors and formulas
	PYTHONPATH=src $(SITE)/bin/python -m scripts.site
	@echo "$(PYTHON) -m http.server -d build/site/html serves it."

test-site: develop site  ## look at the site in Chromium: light, dark, on a phone, with its search
	CAESURA_SITE=build/site/html $(BIN)/python -m pytest tests/browser/test_site.py

lint: develop  ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

lock:  ## write requirements.lock: what make test installs, in the versions of today, with hashes
	PYTHON=$(PYTHON) scripts/lock.sh

wheel:  ## build the wheels and the source distribution into dist, and try them in empty environments without a compiler
	$(PYTHON) scripts/wheel.py

N ?= 100000
SEED ?= 1
JOBS ?= 2
KILLS ?= 100
fuzz: develop  ## read N damaged files of every format, then kill KILLS runs (N=1000000 SEED=1 JOBS=2 KILLS=100)
	$(BIN)/python -m tests.fuzz --files $(N) --seed $(SEED) --jobs $(JOBS)
	CAESURA_KILLS=$(KILLS) $(BIN)/python -m pytest -q tests/fuzz/test_kills.py
	CAESURA_KILLS=300 $(BIN)/python -m pytest -q tests/annotate/test_kills.py

bench: develop  ## measure against other tools, and write docs/benchmarks.md
	$(PIP) install --group bench Cython setuptools build
	$(BIN)/python -m benchmarks --out benchmarks/results.json --docs docs/benchmarks.md

# Kernels that check every index, beside the ordinary ones.
.PHONY: checked
checked: develop
	CAESURA_CHECKED=1 $(PIP) install --no-deps --upgrade --target build/checked .

arrays: checked  ## random arrays into every call that takes arrays, and through three builds of the kernels
	$(BIN)/python -m tests.fuzz.arrays --seconds $(FUZZ_SECONDS)
	$(BIN)/python -m tests.fuzz.arrays --seconds $(FUZZ_SECONDS) --checked build/checked

reproduce: $(VENV)/reproductions  ## make the numbers of the papers again (those that need data only with CAESURA_DATA)
	for paper in 000 001 002 003 004 chroma2024; do $(BIN)/caesura reproduce $$paper || exit 1; done

docs: develop  ## write the pages that come from the declarations
	$(BIN)/python -m scripts.docs

clean:  ## remove everything that was built
	rm -rf $(VENV) $(TRAIN) $(RAY) $(RECIPES) $(SITE) build dist src/*.egg-info reproductions/*.egg-info src/caesura/kernels/*.so src/caesura/kernels/*.pyd
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis
