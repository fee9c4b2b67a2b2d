//! Modules within their budgets, and no figure above the committed table. `BLESS=1` writes the table.

use bench::Figures;

const HEAD: &str = "# Figures\n\nPrinted by `./justw bench`, written by `BLESS=1 ./justw test`; a test fails when a \
                    figure grows by more than 3 % or exceeds its\nbudget. Instructions are Wasmtime's fuel; the floor is \
                    a module that only skips over the payload.\n\n";

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
