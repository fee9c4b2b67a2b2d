# Recipes of this repository; `./justw` runs them where just is not installed.

set ignore-comments

export RUST_BACKTRACE := "0"
# The programs that `scripts/servers` builds come before others of the machine.
export PATH := justfile_directory() / "target/servers" + ":" + env("PATH")

just := quote(just_executable())

_list:
    @{{ just }} --list --unsorted

# Evaluate sample requests with the modules in the embedded host: the main job.
run: _tool
    @scripts/samples

# Run everything that decides whether a change lands, the quick parts first, and time each phase.
# The tests are built by the compiler that checks lints: for `lint` alone, all dependencies would be
# compiled once more.
gate:
    @scripts/timed {{ just }} _quick-lints _test scripts/lint-rustc page

# Run every test that needs no browser: units, then behaviour, then the examples in the docs.
test: (_test "")

_test $RUSTC_WORKSPACE_WRAPPER: setup
    @scripts/docker-registry
    @scripts/pre-commit
    @scripts/phase 'Building the unit tests' cargo test --workspace --lib --bins --no-run
    @scripts/phase 'Running the unit tests' cargo test --workspace --lib --bins --quiet
    @scripts/phase 'Building the tests of behaviour' cargo test --workspace --test '*' --no-run
    @RUSTC_WORKSPACE_WRAPPER= scripts/modules floor
    @scripts/phase "Building Kubernetes' own code" scripts/conformance
    @scripts/phase 'Building the servers of the tests' scripts/servers
    @scripts/phase 'Running the tests of behaviour, and the examples in the docs' scripts/behaviour

# Compare the policies with Kubernetes' own code; needs Go.
conformance SUBJECT="" SEED="" CASES="": setup
    @scripts/phase "Building Kubernetes' own code" scripts/conformance
    @{{ if SUBJECT =~ '^(received|webhooks|)$' { "scripts/phase 'Building the servers of the tests' scripts/servers" } else { "true" } }}
    @CONFORMANCE_SUBJECT={{ quote(SUBJECT) }} CONFORMANCE_SEED={{ quote(SEED) }} CONFORMANCE_CASES={{ quote(CASES) }} cargo test --workspace --test conformance

# Build the servers that the tests start, in target/servers; needs Go.
servers: setup
    @scripts/phase 'Building the servers of the tests' scripts/servers

# Build the page of the playground and test it, and the HTML report, in browsers.
page: setup
    @scripts/playground-test

# Build the modules, annotated, in target/policies, and the tool without its use of networks.
modules *FLOOR: _tool
    @scripts/modules {{ FLOOR }}

_tool: setup
    @scripts/phase 'Building the tool' cargo build --package portcullis --no-default-features

# Build the playground and serve it on loopback: every policy in the browser.
playground: playground-build
    shared/tools/playground/page/node_modules/.bin/vite preview shared/tools/playground/page

# Build the playground as static files for any web server, in target/playground/site.
playground-build: setup
    @scripts/playground

# Measure the playground in a browser on this machine: bytes and milliseconds.
playground-figures: playground-build
    node shared/tools/playground/page/tests/figures.js

# Take screenshots of the playground, light and dark, in target/playground/screenshots.
playground-screenshots: playground-build
    node shared/tools/playground/page/tests/screenshots.js

# Evaluate the samples with kwctl; needs kwctl, bats and jq on PATH.
e2e: modules
    @scripts/e2e

# Measure the modules and the floor.
bench: (modules "floor")
    @scripts/phase 'Building the benchmark' cargo build --package bench
    cargo run --quiet --package bench

# Measure scans of a generated dump: speed and memory, with modules.
bench-scan OBJECTS="100000": modules
    @scripts/phase 'Building the benchmark' cargo build --profile tool --package bench-scan --bin bench-scan
    target/tool/bench-scan {{ OBJECTS }} target/policies

# Measure each module, all of them and FILES (*.wasm) in policy-server, compared with the floor.
bench-server *FILES: (modules "server-floor")
    @scripts/phase 'Building the benchmark' cargo build --profile tool --package bench-scan --bin bench-server
    target/tool/bench-server {{ FILES }}

# Print where a module spends the instructions of a request of tests/bench/requests.
profile MODULE REQUEST SETTINGS="{}": setup
    @scripts/phase 'Building the profile' cargo build --package bench
    @scripts/named-module {{ MODULE }}
    target/debug/profile target/named/wasm32-unknown-unknown/release/$(printf %s {{ MODULE }} | tr - _).wasm {{ REQUEST }} {{ quote(SETTINGS) }}

# Check formatting, prose, lints on both targets, and the licences of dependencies.
lint: _quick-lints
    @scripts/phase 'Checking lints' cargo clippy --workspace --all-targets -- -D warnings

_quick-lints: setup
    @scripts/phase 'Checking the formatting' cargo fmt --all --check
    @scripts/phase 'Checking the prose' scripts/prose
    @scripts/playground-format
    @scripts/phase 'Checking lints for WebAssembly' cargo clippy --target wasm32-unknown-unknown -p guest $(ls policies | sed 's/^/-p /') -- -D warnings
    @scripts/phase 'Checking licences and sources of dependencies' scripts/tool cargo-deny --log-level error check bans licenses sources

# Build the documentation of all crates, and check its links.
docs:
    @RUSTDOCFLAGS="-D warnings" scripts/phase 'Building the docs' cargo doc --workspace --no-deps

# Check the workflows and the action for GitHub with zizmor.
lint-workflows:
    scripts/tool zizmor --quiet --offline --persona auditor --config .github/zizmor.yml .github/workflows .github/action

# Build the modules of HEAD twice, compare digests, and write them to FILE.
reproduce FILE="":
    scripts/reproduce {{ FILE }}

# Write an SBOM and the licences of each module to target/sbom.
sbom: modules
    scripts/sbom

# Rewrite expectations, tables and generated files; read the diff before you commit it.
bless: setup
    @scripts/phase 'Building the tool and the tests' cargo test --workspace --no-run
    @scripts/modules floor
    @scripts/phase 'Building the servers of the tests' scripts/servers
    # In turn, by name: several tests write into one README, and packages copy it afterwards.
    @BLESS=1 RUST_TEST_THREADS=1 scripts/phase 'Rewriting expectations, tables and generated files' cargo test --workspace --quiet

# Install what the machine lacks.
setup:
    @scripts/wasm-target

# Fuzz TARGET, or all targets in turn, for SECONDS each.
fuzz TARGET="all" SECONDS="60":
    scripts/fuzz {{ TARGET }} {{ SECONDS }}

# Mutate the code that decides verdicts and list the mutants that no test detects; takes hours.
mutants *CRATES:
    scripts/mutants {{ CRATES }}

# Measure the coverage of the code of policies by the native tests.
coverage *ARGS:
    scripts/coverage {{ ARGS }}
