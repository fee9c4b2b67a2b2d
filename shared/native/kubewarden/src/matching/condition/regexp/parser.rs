//! The reading of patterns.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::Reason;
use super::class::{self, Named};

/// The most copies that repetitions within each other make of the innermost one.
const MOST_COPIES: u64 = 1000;

/// The most instructions of a program (`maxSize`). The count here has no simplification, so it is
/// not below Go's.
const MOST_INSTRUCTIONS: u64 = (128 << 20) / 40;

/// The longest translation, in bytes. A name of one letter can stand for hundreds of ranges.
const LONGEST: usize = 1 << 20;

/// The most classes of Unicode in a pattern.
const MOST_NAMED: usize = 100;

const TOO_LARGE: Reason = Reason::Unknown("the pattern is too large");
const INVALID_ESCAPE: Reason = Reason::Refused("invalid escape sequence");
const INVALID_RANGE: Reason = Reason::Refused("invalid character class range");
const INVALID_SIZE: Reason = Reason::Refused("invalid repeat count");
const MISSING_BRACKET: Reason = Reason::Refused("missing closing ]");
const MISSING_PAREN: Reason = Reason::Refused("missing closing )");

/// Writes a pattern of Go in the syntax of the crate `regex`.
pub(super) fn translate(pattern: &str) -> Result<String, Reason> {
    let mut parser = Parser { rest: pattern, ..Parser::default() };
    parser.parse()?;
    Ok(parser.out)
}

#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "these are flags, and independent")]
struct Flags {
    fold: bool,
    multi_line: bool,
    dot_matches_newline: bool,
    lazy: bool,
}

/// An expression that a repetition can repeat.
#[derive(Clone, Copy, Debug)]
struct Item {
    /// The location in the translation.
    start: usize,
    copies: u64,
    instructions: u64,
    is_repeated: bool,
}

/// An open group, or the pattern as a whole.
#[derive(Debug, Default)]
struct Group {
    start: usize,
    flags: Flags,
    /// The last expression of the branch.
    last: Option<Item>,
    copies: u64,
    instructions: u64,
}

#[derive(Debug, Default)]
struct Parser<'p> {
    rest: &'p str,
    out: String,
    flags: Flags,
    group: Group,
    outer: Vec<Group>,
    named: usize,
}

impl<'p> Parser<'p> {
    fn parse(&mut self) -> Result<(), Reason> {
        let mut is_after_repetition = false;
        while let Some(next) = self.take() {
            let mut is_repetition = false;
            match next {
                '(' if self.eat("?") => self.flags_or_group()?,
                '(' => self.open(self.flags),
                ')' => self.close()?,
                '|' => {
                    self.settle();
                    self.out.push('|');
                }
                '^' if self.flags.multi_line => self.push("(?m:^)", 1),
                '^' => self.push(r"\A", 1),
                '$' if self.flags.multi_line => self.push("(?m:$)", 1),
                '$' => self.push(r"\z", 1),
                '.' if self.flags.dot_matches_newline => self.push("(?s:.)", 1),
                '.' => self.push(r"[^\n]", 1),
                '[' => self.class()?,
                '*' | '+' | '?' => {
                    let (min, max) = match next {
                        '*' => (0, None),
                        '+' => (1, None),
                        _ => (0, Some(1)),
                    };
                    self.repeat(next.encode_utf8(&mut [0; 4]), min, max, is_after_repetition)?;
                    is_repetition = true;
                }
                '{' => match bounds(self.rest) {
                    None => self.literal('{'),
                    Some((min, max, rest)) => {
                        if min > MOST_COPIES || max.is_some_and(|max| max > MOST_COPIES || min > max) {
                            return Err(INVALID_SIZE);
                        }
                        self.rest = rest;
                        let text = match max {
                            Some(max) => format!("{{{min},{max}}}"),
                            None => format!("{{{min},}}"),
                        };
                        let copies = self.repeat(&text, min, max, is_after_repetition)?;
                        if (min >= 2 || max.is_some_and(|max| max >= 2)) && copies > MOST_COPIES {
                            return Err(INVALID_SIZE);
                        }
                        is_repetition = true;
                    }
                },
                '\\' => self.backslash()?,
                _ => self.literal(next),
            }
            is_after_repetition = is_repetition;
            if self.out.len() > LONGEST || self.group.instructions > MOST_INSTRUCTIONS {
                return Err(TOO_LARGE);
            }
        }
        self.settle();
        match self.outer.is_empty() {
            true if self.group.instructions > MOST_INSTRUCTIONS => Err(TOO_LARGE),
            true => Ok(()),
            false => Err(MISSING_PAREN),
        }
    }

    fn take(&mut self) -> Option<char> {
        let mut rest = self.rest.chars();
        let next = rest.next()?;
        self.rest = rest.as_str();
        Some(next)
    }

    fn eat(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Takes the text up to an end that follows, and the end.
    fn take_until(&mut self, end: &str) -> Option<&'p str> {
        let (text, rest) = self.rest.split_once(end)?;
        self.rest = rest;
        Some(text)
    }

    /// Counts the last expression, which no repetition can repeat from here on.
    fn settle(&mut self) {
        if let Some(item) = self.group.last.take() {
            self.group.copies = self.group.copies.max(item.copies);
            self.group.instructions = self.group.instructions.saturating_add(item.instructions);
        }
    }

    fn push(&mut self, text: &str, instructions: u64) {
        self.settle();
        let start = self.out.len();
        self.out.push_str(text);
        self.group.last = Some(Item { start, copies: 1, instructions, is_repeated: false });
    }

    fn push_class(&mut self, class: &ClassUnicode) {
        let mut text = String::new();
        class::write(class, &mut text);
        self.push(&text, 1);
    }

    fn literal(&mut self, one: char) {
        if self.flags.fold {
            let mut class = class::range(one, one);
            class::fold(&mut class);
            self.push_class(&class);
        } else if one.is_ascii_alphanumeric() {
            self.push(one.encode_utf8(&mut [0; 4]), 1);
        } else {
            self.push(&format!(r"\x{{{:X}}}", u32::from(one)), 1);
        }
    }

    fn open(&mut self, flags: Flags) {
        self.settle();
        let group = Group { start: self.out.len(), flags: self.flags, copies: 1, ..Group::default() };
        self.outer.push(std::mem::replace(&mut self.group, group));
        self.flags = flags;
        // The matches of groups are not asked for.
        self.out.push_str("(?:");
    }

    fn close(&mut self) -> Result<(), Reason> {
        self.settle();
        let outer = self.outer.pop().ok_or(Reason::Refused("unexpected )"))?;
        let group = std::mem::replace(&mut self.group, outer);
        self.out.push(')');
        self.flags = group.flags;
        self.settle();
        self.group.last = Some(Item {
            start: group.start,
            copies: group.copies,
            instructions: group.instructions.saturating_add(2),
            is_repeated: false,
        });
        Ok(())
    }

    /// Repeats the last expression. Returns the number of copies.
    fn repeat(&mut self, text: &str, min: u64, max: Option<u64>, is_nested: bool) -> Result<u64, Reason> {
        let is_lazy = self.flags.lazy ^ self.eat("?");
        if is_nested {
            return Err(Reason::Refused("invalid nested repetition operator"));
        }
        let item =
            self.group.last.as_mut().ok_or(Reason::Refused("missing argument to repetition operator"))?;
        // As in `a*(?i)*`.
        if item.is_repeated {
            self.out.insert_str(item.start, "(?:");
            self.out.push(')');
        }
        self.out.push_str(text);
        if is_lazy {
            self.out.push('?');
        }
        item.copies = match max {
            Some(0) => 1,
            _ => item.copies.saturating_mul(max.unwrap_or(min).max(1)),
        };
        let most = max.unwrap_or(min).max(1);
        item.instructions = item.instructions.saturating_add(2).saturating_mul(most);
        item.is_repeated = true;
        Ok(item.copies)
    }

    /// Reads what follows `(?`.
    fn flags_or_group(&mut self) -> Result<(), Reason> {
        if self.eat("P<") || self.eat("<") {
            let is_name =
                |name: &str| !name.is_empty() && name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric());
            self.take_until(">")
                .filter(|name| is_name(name))
                .ok_or(Reason::Refused("invalid named capture"))?;
            self.open(self.flags);
            return Ok(());
        }
        let mut flags = self.flags;
        let mut value = true;
        let mut has_flag = false;
        loop {
            let flag = match self.take() {
                Some('i') => &mut flags.fold,
                Some('m') => &mut flags.multi_line,
                Some('s') => &mut flags.dot_matches_newline,
                Some('U') => &mut flags.lazy,
                Some('-') if value => {
                    (value, has_flag) = (false, false);
                    continue;
                }
                Some(':') if value || has_flag => {
                    self.open(flags);
                    return Ok(());
                }
                Some(')') if value || has_flag => {
                    self.flags = flags;
                    return Ok(());
                }
                _ => return Err(Reason::Refused("invalid or unsupported Perl syntax")),
            };
            *flag = value;
            has_flag = true;
        }
    }

    /// Reads what follows a backslash outside of a class.
    fn backslash(&mut self) -> Result<(), Reason> {
        for (letter, assertion) in [("A", r"\A"), ("b", r"(?-u:\b)"), ("B", r"(?-u:\B)"), ("z", r"\z")] {
            if self.eat(letter) {
                self.push(assertion, 1);
                return Ok(());
            }
        }
        if self.eat("Q") {
            let rest = self.rest;
            let text = self.take_until(r"\E").unwrap_or_else(|| {
                self.rest = "";
                rest
            });
            text.chars().for_each(|one| self.literal(one));
            return Ok(());
        }
        if let Some(class) = self.escaped_class()? {
            self.push_class(&class);
        } else {
            let one = self.escape()?;
            self.literal(one);
        }
        Ok(())
    }

    /// Reads a class such as `\w` or `\pL` behind the backslash, if there is one.
    fn escaped_class(&mut self) -> Result<Option<ClassUnicode>, Reason> {
        let before = self.rest;
        let Some(letter) = self.take() else { return Ok(None) };
        if !matches!(letter, 'p' | 'P') {
            let class = class::perl(letter, self.flags.fold);
            if class.is_none() {
                self.rest = before;
            }
            return Ok(class);
        }
        let name = if self.eat("{") {
            self.take_until("}").ok_or(INVALID_RANGE)?
        } else {
            let rest = self.rest;
            self.take().and_then(|one| rest.get(..one.len_utf8())).unwrap_or_default()
        };
        self.named = self.named.saturating_add(1);
        if self.named > MOST_NAMED {
            return Err(TOO_LARGE);
        }
        let positive = name.strip_prefix('^');
        match class::unicode(positive.unwrap_or(name), self.flags.fold) {
            Named::Class(mut class) => {
                if (letter == 'P') ^ positive.is_some() {
                    class.negate();
                }
                Ok(Some(class))
            }
            Named::Unknown => {
                Err(Reason::Unknown("the name of a script depends on the version of the API server"))
            }
            Named::Missing => Err(INVALID_RANGE),
        }
    }

    fn escape(&mut self) -> Result<char, Reason> {
        let one = self.take().ok_or(Reason::Refused("trailing backslash at end of expression"))?;
        let code = match one {
            '0'..='7' => {
                // A single digit is a reference to a group, which Go does not have.
                if one != '0' && !self.rest.starts_with(|next| matches!(next, '0'..='7')) {
                    return Err(INVALID_ESCAPE);
                }
                let mut code = one.to_digit(8).unwrap_or_default();
                for _ in 0..2 {
                    let Some(digit) = self.rest.chars().next().and_then(|next| next.to_digit(8)) else {
                        break;
                    };
                    self.take();
                    code = code.saturating_mul(8).saturating_add(digit);
                }
                code
            }
            'x' if self.eat("{") => {
                let digits = self.take_until("}").ok_or(INVALID_ESCAPE)?;
                let is_hex = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
                let digits = digits.trim_start_matches('0');
                match is_hex {
                    true if digits.is_empty() => 0,
                    true => u32::from_str_radix(digits, 16).map_err(|_| INVALID_ESCAPE)?,
                    false => return Err(INVALID_ESCAPE),
                }
            }
            'x' => {
                let mut digit = || self.take().and_then(|digit| digit.to_digit(16)).ok_or(INVALID_ESCAPE);
                digit()?.saturating_mul(16).saturating_add(digit()?)
            }
            'a' => 7,
            'f' => 12,
            'n' => 10,
            'r' => 13,
            't' => 9,
            'v' => 11,
            _ if one.is_ascii() && !one.is_ascii_alphanumeric() => return Ok(one),
            _ => return Err(INVALID_ESCAPE),
        };
        match char::from_u32(code) {
            Some(one) => Ok(one),
            None if code > u32::from(char::MAX) => Err(INVALID_ESCAPE),
            None => Err(Reason::Unknown("the pattern has a surrogate")),
        }
    }

    /// Reads a class behind its bracket.
    fn class(&mut self) -> Result<(), Reason> {
        let is_negated = self.eat("^");
        let (mut characters, mut ranges) = (Vec::new(), Vec::new());
        let mut is_first = true;
        while is_first || !self.eat("]") {
            is_first = false;
            if let Some((name, rest)) = self.rest.strip_prefix("[:").and_then(|rest| rest.split_once(":]")) {
                let named = class::posix(name, self.flags.fold).ok_or(INVALID_RANGE)?;
                ranges.extend(named.ranges().iter().copied());
                self.rest = rest;
                continue;
            }
            if let Some(escaped) = self.rest.strip_prefix('\\') {
                let before = std::mem::replace(&mut self.rest, escaped);
                if let Some(named) = self.escaped_class()? {
                    ranges.extend(named.ranges().iter().copied());
                    continue;
                }
                self.rest = before;
            }
            let first = self.class_character()?;
            let is_range = self.rest.len() >= 2 && self.rest.starts_with('-') && !self.rest.starts_with("-]");
            let last = if is_range {
                self.eat("-");
                self.class_character()?
            } else {
                first
            };
            if last < first {
                return Err(INVALID_RANGE);
            }
            characters.push(ClassUnicodeRange::new(first, last));
        }
        let mut class = ClassUnicode::new(characters);
        if self.flags.fold {
            class::fold(&mut class);
        }
        class.union(&ClassUnicode::new(ranges));
        if is_negated {
            class.negate();
        }
        self.push_class(&class);
        Ok(())
    }

    fn class_character(&mut self) -> Result<char, Reason> {
        match self.take().ok_or(MISSING_BRACKET)? {
            '\\' => self.escape(),
            one => Ok(one),
        }
    }
}

/// Reads the bounds of a repetition behind its brace. Text that has another form is literal.
fn bounds(text: &str) -> Option<(u64, Option<u64>, &str)> {
    let (min, rest) = number(text)?;
    if let Some(rest) = rest.strip_prefix('}') {
        return Some((min, Some(min), rest));
    }
    let rest = rest.strip_prefix(',')?;
    if let Some(rest) = rest.strip_prefix('}') {
        return Some((min, None, rest));
    }
    let (max, rest) = number(rest)?;
    Some((min, Some(max), rest.strip_prefix('}')?))
}

/// Reads a number without leading zeros. One that is too large stays too large.
fn number(text: &str) -> Option<(u64, &str)> {
    let rest = text.trim_start_matches(|digit: char| digit.is_ascii_digit());
    let digits = text.strip_suffix(rest)?;
    let has_leading_zero = digits.len() > 1 && digits.starts_with('0');
    (!digits.is_empty() && !has_leading_zero).then(|| (digits.parse().unwrap_or(u64::MAX), rest))
}
