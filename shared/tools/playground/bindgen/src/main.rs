//! Writes the bindings of a module for browsers: bindgen MODULE FOLDER NAME
//!
//! This is `wasm-bindgen --target web --out-dir FOLDER --out-name NAME MODULE` without the other
//! targets and the runner of tests, which take minutes to compile.

use std::error::Error;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder, name] = arguments.as_slice() else {
        return Err("usage: bindgen MODULE FOLDER NAME".into());
    };
    // The last two are defaults of the tool of wasm-bindgen, and not of its library.
    let mut bindgen = Bindgen::new();
    bindgen.input_path(module).out_name(name).web(true)?.typescript(true).omit_default_module_path(false);
    Ok(bindgen.generate(folder)?)
}
