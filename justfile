# Recipes of this repository; `./justw` runs them where just is not installed.

set ignore-comments

export RUST_BACKTRACE := "0"

_list:
    @{{ just_executable() }} --list --unsorted

# Judge sample requests with the real modules in the embedded host: the main job.
run: modules
    scripts/samples

# Every test: cases, modules, laws, coherence, budgets, formatting, lints, docs, licences.
test: setup
    @scripts/docker-registry
    # The tool as the tests link it: built on its own, Wasmtime would be compiled twice.
    cargo test --workspace --no-run --quiet
    scripts/modules
    cargo test --workspace --quiet
    scripts/playground-test
    {{ just_executable() }} lint

# Build the modules, annotated, into target/policies.
modules: setup
    cargo build --quiet --package portcullis
    scripts/modules

# The playground, built and served on loopback: every restriction in the browser.
playground: playground-build
    playground/page/node_modules/.bin/vite preview playground/page

# The playground as static files for any host, in target/playground/site.
playground-build: setup
    scripts/playground

# What the playground costs on this machine: bytes and milliseconds, in a browser.
playground-figures: playground-build
    node playground/page/tests/figures.js

# Pictures of the playground, light and dark, into target/playground/screenshots.
playground-screenshots: playground-build
    node playground/page/tests/screenshots.js

# The samples in kwctl, where kwctl, bats and jq are there.
e2e: modules
    scripts/e2e

# What the modules cost, beside the floor.
bench: modules
    cargo run --quiet --package bench

# Formatting, lints on both targets, docs, licences and sources of dependencies.
lint: setup
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --quiet -- -D warnings
    cargo clippy --quiet --target wasm32-unknown-unknown -p guest -p cluster-objects -p playground $(ls policies | sed 's/^/-p /') -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet
    scripts/tool cargo-deny --log-level error check bans licenses sources

# The workflows for GitHub, by zizmor.
lint-workflows:
    scripts/tool zizmor --quiet --offline --persona auditor --config .github/zizmor.yml .github/workflows

# Build the modules of HEAD twice, in two folders, and compare digests; FILE gets digests and toolchain.
reproduce FILE="":
    scripts/reproduce {{ FILE }}

# An SBOM and the licences of each module, into target/sbom.
sbom: modules
    scripts/sbom

# Rewrite expectations, tables and generated files to what they are now; read the diff before you commit it.
bless: setup
    cargo test --workspace --no-run --quiet
    scripts/modules
    BLESS=1 cargo test --workspace --quiet

# Install what a fresh machine lacks.
setup:
    @scripts/wasm-target

# Fuzz TARGET (or all of them, one after the other) for SECONDS each; the targets are the folders in fuzz/seeds.
fuzz TARGET="all" SECONDS="60":
    scripts/fuzz {{ TARGET }} {{ SECONDS }}

# Mutate the code of policies and list the mutants that no test notices; takes hours. ARGS: --file, --list, ….
mutants *ARGS:
    scripts/tool cargo-mutants mutants --output target {{ ARGS }}

# How much of the code of policies native tests run.
coverage *ARGS:
    scripts/coverage {{ ARGS }}
