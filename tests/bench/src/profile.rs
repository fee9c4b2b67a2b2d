//! The instructions of a request by function, counted by the module itself.
//!
//! Each run of instructions between two branches of a module starts with instructions that add its
//! length to a counter of its function. Instructions are counted as Wasmtime counts fuel: a call
//! costs one more, and block structure nothing. Bytes that are copied or filled are not counted,
//! because their number is known only at run time.

use std::sync::Arc;

use kubernetes::objects::Objects;
use wasm_encoder::reencode::{Reencode, RoundtripReencoder};
use wasm_encoder::{
    CodeSection, ConstExpr, ExportKind, ExportSection, Function, GlobalSection, GlobalType, Instruction,
    RawSection, ValType,
};
use wasmparser::{FunctionBody, KnownCustom, Name, Operator, Parser, Payload};

use crate::meter::Meter;

/// A function of a module, and the instructions that it takes itself, without those it calls.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Line {
    /// The name, as the module's section of names has it.
    pub function: String,
    /// The number of calls.
    pub calls: u64,
    /// The instructions.
    pub instructions: u64,
}

/// Counts the instructions of each function that a call of `validate` runs, most first.
///
/// # Errors
/// A module that cannot be read or does not answer.
pub fn profile(wasm: &[u8], payload: Vec<u8>, cluster: &Arc<Objects>) -> Result<Vec<Line>, String> {
    let (counting, names) = with_counters(wasm)?;
    let meter = Meter::new(&counting).map_err(|error| error.to_string())?;
    let counters = meter.counters(payload, cluster).map_err(|error| error.to_string())?;
    let mut lines: Vec<Line> = names
        .into_iter()
        .zip(counters.chunks(2))
        .filter_map(|(function, counters)| match counters {
            [calls, instructions] if *calls > 0 => {
                Some(Line { function, calls: *calls, instructions: *instructions })
            }
            _ => None,
        })
        .collect();
    lines.sort_by_key(|line| std::cmp::Reverse(line.instructions));
    Ok(lines)
}

/// The prefix of the exported counters: two for each function, its calls and its instructions.
pub(crate) const COUNTER: &str = "counter ";

/// Returns the module with counters, and the name of each function that it defines.
fn with_counters(wasm: &[u8]) -> Result<(Vec<u8>, Vec<String>), String> {
    let mut module = wasm_encoder::Module::new();
    let mut encoder = RoundtripReencoder;
    let (mut globals, mut exports, mut code) =
        (GlobalSection::new(), ExportSection::new(), CodeSection::new());
    let (mut imported, mut functions, mut first) = (0_u32, 0_u32, 0_u32);
    let mut names = Vec::new();
    for payload in Parser::new(0).parse_all(wasm) {
        let payload = payload.map_err(failed)?;
        match &payload {
            Payload::ImportSection(imports) => imported = imports.count(),
            Payload::FunctionSection(section) => functions = section.count(),
            _ => {}
        }
        match payload {
            Payload::GlobalSection(section) => {
                first = section.count();
                encoder.parse_global_section(&mut globals, section).map_err(failed)?;
                for _ in 0..functions.saturating_mul(2) {
                    let counter = GlobalType { val_type: ValType::I64, mutable: true, shared: false };
                    globals.global(counter, &ConstExpr::i64_const(0));
                }
                module.section(&globals);
            }
            Payload::ExportSection(section) => {
                encoder.parse_export_section(&mut exports, section).map_err(failed)?;
                for number in 0..functions.saturating_mul(2) {
                    exports.export(
                        &format!("{COUNTER}{number}"),
                        ExportKind::Global,
                        first.saturating_add(number),
                    );
                }
                module.section(&exports);
            }
            Payload::CodeSectionEntry(body) => {
                let calls = first + code.len().saturating_mul(2);
                code.function(&counting(&mut encoder, &body, calls)?);
                if code.len() == functions {
                    module.section(&code);
                }
            }
            Payload::CustomSection(section) => {
                if let KnownCustom::Name(section) = section.as_known() {
                    for name in section {
                        let Name::Function(functions) = name.map_err(failed)? else { continue };
                        for naming in functions {
                            let naming = naming.map_err(failed)?;
                            if naming.index >= imported {
                                names.push(naming.name.to_owned());
                            }
                        }
                    }
                }
            }
            Payload::CodeSectionStart { .. } | Payload::Version { .. } | Payload::End(_) => {}
            other => {
                if let Some((id, range)) = other.as_section() {
                    module.section(&RawSection { id, data: wasm.get(range).unwrap_or_default() });
                }
            }
        }
    }
    if names.len() != usize::try_from(functions).unwrap_or(usize::MAX) {
        return Err("the module does not name its functions; build it without stripping".to_owned());
    }
    Ok((module.finish(), names))
}

fn failed(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn counting(
    encoder: &mut RoundtripReencoder,
    body: &FunctionBody<'_>,
    calls: u32,
) -> Result<Function, String> {
    let mut function = encoder.new_function_with_parsed_locals(body).map_err(failed)?;
    add(&mut function, calls, 1);
    let instructions = calls + 1;
    let mut run: Vec<Operator<'_>> = Vec::new();
    // The call itself.
    let mut length = 1_i64;
    for operator in body.get_operators_reader().map_err(failed)? {
        let operator = operator.map_err(failed)?;
        length += cost(&operator);
        let ends = ends_run(&operator);
        run.push(operator);
        if ends {
            add(&mut function, instructions, length);
            for operator in run.drain(..) {
                function.instruction(&encoder.instruction(operator).map_err(failed)?);
            }
            length = 0;
        }
    }
    Ok(function)
}

fn add(function: &mut Function, counter: u32, count: i64) {
    if count > 0 {
        function.instruction(&Instruction::GlobalGet(counter));
        function.instruction(&Instruction::I64Const(count));
        function.instruction(&Instruction::I64Add);
        function.instruction(&Instruction::GlobalSet(counter));
    }
}

fn cost(operator: &Operator<'_>) -> i64 {
    match operator {
        Operator::Nop
        | Operator::Drop
        | Operator::Block { .. }
        | Operator::Loop { .. }
        | Operator::Unreachable
        | Operator::Return
        | Operator::Else
        | Operator::End => 0,
        _ => 1,
    }
}

/// Returns whether the next instruction may not follow, or may be reached from elsewhere.
fn ends_run(operator: &Operator<'_>) -> bool {
    matches!(
        operator,
        Operator::Loop { .. }
            | Operator::If { .. }
            | Operator::Else
            | Operator::End
            | Operator::Br { .. }
            | Operator::BrIf { .. }
            | Operator::BrTable { .. }
            | Operator::Return
            | Operator::Unreachable
    )
}
