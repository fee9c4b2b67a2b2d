//! The expressions of groups, as the policy server reads and evaluates them.
//!
//! Source: `validate` in `crates/policy-evaluator/src/policy_group_evaluator/evaluator.rs` of
//! kubewarden/kubewarden-controller at 3460bb71, and the parser of Rhai 1.24, by which it evaluates
//! an expression with the members as functions. Of Rhai, this module has what the controller
//! allows. Rhai counts levels while it reads, and refuses an expression that has too many of them.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::vec::IntoIter;

use text::nearest;

/// The most levels of an expression: the default of Rhai where it is compiled for release, as in
/// the policy server.
const MOST_LEVELS: usize = 64;

/// The words of Rhai that it does not read as the name of a function, and its own functions, which
/// no member can replace.
pub(super) const RESERVED: [&str; 61] = [
    "Fn",
    "as",
    "async",
    "await",
    "break",
    "call",
    "case",
    "catch",
    "const",
    "continue",
    "curry",
    "debug",
    "default",
    "do",
    "else",
    "eval",
    "export",
    "false",
    "fn",
    "for",
    "go",
    "goto",
    "if",
    "import",
    "in",
    "is",
    "is_def_fn",
    "is_def_var",
    "is_shared",
    "let",
    "loop",
    "match",
    "module",
    "new",
    "nil",
    "null",
    "package",
    "print",
    "private",
    "protected",
    "public",
    "return",
    "shared",
    "spawn",
    "static",
    "super",
    "switch",
    "sync",
    "this",
    "thread",
    "throw",
    "true",
    "try",
    "type_of",
    "until",
    "use",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

#[derive(Debug)]
pub(super) enum Expression {
    Literal(bool),
    /// Whether the member with this name admits.
    Member(String),
    Not(Box<Self>),
    Binary(Operator, Box<(Self, Self)>),
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Operator {
    Or,
    And,
    Equal,
    Differ,
}

impl Operator {
    /// Operators with a higher number bind more strongly. All of them bind to the left.
    fn precedence(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::Equal | Self::Differ => 3,
        }
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Token<'e> {
    Open,
    Close,
    Not,
    Operator(Operator),
    Word(&'e str),
}

/// The symbols. One that begins like another one comes before it.
const SYMBOLS: [(&str, Token<'static>); 7] = [
    ("(", Token::Open),
    (")", Token::Close),
    ("!=", Token::Operator(Operator::Differ)),
    ("!", Token::Not),
    ("==", Token::Operator(Operator::Equal)),
    ("&&", Token::Operator(Operator::And)),
    ("||", Token::Operator(Operator::Or)),
];

/// Returns whether Rhai calls a function with this name, and does not read a word of its own.
pub(super) fn is_name(name: &str) -> bool {
    name.trim_start_matches('_').starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(is_part_of_word)
        && !RESERVED.contains(&name)
}

fn is_part_of_word(one: char) -> bool {
    one.is_ascii_alphanumeric() || one == '_'
}

impl Expression {
    /// Reads an expression about these members. An error is the rule and the remedy.
    pub(super) fn read(text: &str, members: &[&str]) -> Result<Self, String> {
        let mut reader = Reader { tokens: tokens(text, members)?.into_iter().peekable(), members };
        let expression = reader.expression(0)?;
        match reader.tokens.next() {
            None => Ok(expression),
            token => Err(unexpected(token)),
        }
    }

    /// Returns the value if members have these values; an error is the first member that is called
    /// and has none.
    pub(super) fn value(&self, values: &BTreeMap<String, bool>) -> Result<bool, String> {
        match self {
            Self::Literal(value) => Ok(*value),
            Self::Member(name) => values.get(name).copied().ok_or_else(|| name.clone()),
            Self::Not(of) => Ok(!of.value(values)?),
            Self::Binary(operator, sides) => {
                let (left, right) = &**sides;
                let left = left.value(values)?;
                match operator {
                    Operator::Or => Ok(left || right.value(values)?),
                    Operator::And => Ok(left && right.value(values)?),
                    Operator::Equal => Ok(left == right.value(values)?),
                    Operator::Differ => Ok(left != right.value(values)?),
                }
            }
        }
    }
}

/// Returns the symbols and words between white space and comments.
fn tokens<'e>(mut text: &'e str, members: &[&str]) -> Result<Vec<Token<'e>>, String> {
    let mut tokens = Vec::new();
    loop {
        text = text.trim_ascii_start();
        if let Some(behind) = text.strip_prefix("//") {
            let (comment, next) = behind.split_at(behind.find('\n').unwrap_or(behind.len()));
            if comment.trim_end_matches('\r').contains('\r') {
                return Err(
                    "a carriage return ends a comment for the policy server alone; write a line feed"
                        .to_owned(),
                );
            }
            text = next;
            continue;
        }
        let Some(first) = text.chars().next() else { return Ok(tokens) };
        let symbol = SYMBOLS.iter().find_map(|(symbol, token)| Some((*token, text.strip_prefix(*symbol)?)));
        let (token, next) = match symbol {
            Some(found) => found,
            None if is_part_of_word(first) => {
                let end = text.find(|one: char| !is_part_of_word(one)).unwrap_or(text.len());
                let (word, next) = text.split_at(end);
                (Token::Word(word), next)
            }
            None => return Err(format!("{first:?} has no meaning in a group; {}", usage(members))),
        };
        tokens.push(token);
        text = next;
    }
}

/// Returns what an expression may consist of, as a remedy.
fn usage(members: &[&str]) -> String {
    format!("use {} with the operators !, ==, !=, && and ||", members.join(", "))
}

fn unexpected(token: Option<Token<'_>>) -> String {
    let problem = match token {
        None => "it ends too early".to_owned(),
        Some(Token::Word(word)) => format!("unexpected {word}"),
        Some(token) => {
            let symbol = SYMBOLS.iter().find(|(_, known)| *known == token).map(|(symbol, _)| *symbol);
            format!("unexpected {}", symbol.unwrap_or_default())
        }
    };
    format!("not an expression of CEL: {problem}; write members as calls, such as a() && !b()")
}

fn below(level: usize) -> Result<usize, String> {
    if level >= MOST_LEVELS {
        return Err(
            "the policy server cannot evaluate it: Syntax error: Expression exceeds maximum complexity; \
                    write it in another way"
                .to_owned(),
        );
    }
    Ok(level + 1)
}

/// The rest of an expression. The functions follow those of Rhai's parser, and so do the levels:
/// brackets take two, and an operator takes one.
struct Reader<'e> {
    tokens: Peekable<IntoIter<Token<'e>>>,
    members: &'e [&'e str],
}

impl Reader<'_> {
    fn expression(&mut self, level: usize) -> Result<Expression, String> {
        let level = below(level)?;
        let left = self.unary(level)?;
        self.binary(level, 0, left)
    }

    fn unary(&mut self, level: usize) -> Result<Expression, String> {
        match self.tokens.next() {
            Some(Token::Not) => Ok(Expression::Not(Box::new(self.unary(below(level)?)?))),
            Some(Token::Open) => {
                let inner = self.expression(below(level)?)?;
                match self.tokens.next() {
                    Some(Token::Close) => Ok(inner),
                    token => Err(unexpected(token)),
                }
            }
            Some(Token::Word("true")) => Ok(Expression::Literal(true)),
            Some(Token::Word("false")) => Ok(Expression::Literal(false)),
            Some(Token::Word(name)) => self.member(name),
            token => Err(unexpected(token)),
        }
    }

    /// Reads the brackets behind a name.
    fn member(&mut self, name: &str) -> Result<Expression, String> {
        let is_member = self.members.contains(&name);
        if !is_member || self.tokens.next_if_eq(&Token::Open).is_none() {
            let remedy = match nearest(name, self.members) {
                Some(near) => format!("write {near}()"),
                None => usage(self.members),
            };
            return Err(format!("{name} is not the call of a member; {remedy}"));
        }
        if self.tokens.next_if_eq(&Token::Close).is_none() {
            return Err(format!("{name} has no arguments; write {name}()"));
        }
        Ok(Expression::Member(name.to_owned()))
    }

    /// Reads the operators that bind more strongly than `outer` behind their left side, with their
    /// right sides.
    fn binary(&mut self, mut level: usize, outer: u8, mut left: Expression) -> Result<Expression, String> {
        while let Some(operator) = self.operator(outer) {
            self.tokens.next();
            let mut right = self.unary(level)?;
            if self.operator(operator.precedence()).is_some() {
                right = self.binary(below(level)?, operator.precedence(), right)?;
            }
            level = below(level)?;
            left = Expression::Binary(operator, Box::new((left, right)));
        }
        Ok(left)
    }

    /// Returns the next token if it is an operator that binds more strongly than `outer`.
    fn operator(&mut self, outer: u8) -> Option<Operator> {
        match self.tokens.peek() {
            Some(Token::Operator(operator)) if operator.precedence() > outer => Some(*operator),
            _ => None,
        }
    }
}
