//! Modules are within their budgets, and no figure is above the committed table. `BLESS=1` writes
//! the table.

use bench::Figures;

const HEAD: &str = "# Figures\n\nPrinted by `./justw bench` and written by `./justw bless`. A test fails if a figure \
                    grows by more\nthan 3 % or exceeds its budget. Instructions are counted as Wasmtime's fuel. The \
                    floor is a module\nthat only skips over the payload.\n\n";

#[test]
fn modules_are_within_their_budgets_and_have_not_grown() {
    let figures = Figures::measure().unwrap();
    assert_eq!(figures.over_budget(), Vec::<String>::new());
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/FIGURES.md");
    if std::env::var_os("BLESS").is_some_and(|value| value == "1") {
        std::fs::write(path, format!("{HEAD}{}", figures.table())).unwrap();
    }
    let table = std::fs::read_to_string(path).unwrap();
    assert_eq!(figures.grown(&table).unwrap(), Vec::<String>::new());
}
