//! The composition of YAML as kubectl composes it: `decode.go` of go-yaml v2, over the events of
//! another parser.
//!
//! kubectl reads YAML 1.1, and the parser reads YAML 1.2. Where they differ, and where the readers
//! of manifests differ among themselves, the text is refused:
//!
//! * the line separators of YAML 1.1, behind which a comment ends to kubectl ([`Separators`]);
//! * a key that a merge (`<<`) changes: kubectl goes by the order of the text, and kustomize and
//!   the specification prefer the explicit key;
//! * a document behind the line `...`, which kubectl ignores;
//! * plain text in brackets with `?` or with a colon before an opening bracket, and a block scalar
//!   as a whole document, of which kubectl makes something else.
//!
//! A colon before a closing bracket or a comma is part of the text to kubectl, and ends a key to
//! the parser. Another character stands for it while the parser reads the text.

mod fields;

use std::borrow::Cow;
use std::collections::BTreeMap;

use granit_parser::{Event, Marker, Options, Parser, ScalarStyle, Span, StructureStyle, Tag};
use serde_json::Value;

use self::fields::Fields;
pub(crate) use self::fields::duplicate_key;
use crate::part::{Part, Parts};
use crate::scalar::{Scalar, key};
use crate::separators::Separators;
use crate::{Position, Problem, division};

/// The deepest nesting, with that of aliases.
const MAX_DEPTH: usize = 128;

/// The most values of a text with many aliases.
const MOST_VALUES: usize = 10_000_000;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Whether the last of duplicate keys counts, and a merged key by its place, as to kubectl.
    pub(crate) takes_duplicates: bool,
    /// Whether aliases may expand to more than kubectl permits.
    pub(crate) has_many_aliases: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// The text is no YAML, in the words of the parser.
    Syntax(Position, String),
    /// A key that is a mapping or a list, such as that of `{{ name }}`.
    Key(Position, String),
    /// YAML that kubectl or this crate does not take.
    Refused(Position, String),
    /// Aliases expand to too much, or values are nested too deeply.
    TooMuch(Position),
    Duplicate(Position, String),
}

impl Fault {
    /// Returns the fault as a problem, with advice in addition to the words of the parser.
    pub(crate) fn problem(&self, text: &str, advised: impl Fn(&str) -> String) -> Problem {
        let invalid = |at: Position, message: String| Problem::invalid("YAML", Some(at), message);
        match self {
            Self::Syntax(at, words) => invalid(*at, advised(words)).in_text(text),
            Self::Key(at, message) => invalid(*at, message.clone()).in_text(text),
            Self::Refused(at, message) => invalid(*at, message.clone()),
            Self::TooMuch(at) => {
                invalid(*at, "nested too deeply, or aliases expand to too much data".to_owned())
            }
            Self::Duplicate(at, message) => Problem::new(Some(*at), message.clone()),
        }
    }
}

/// Composes the documents of a text, without empty ones.
pub(crate) fn documents(text: &str, limits: Limits) -> Result<Vec<Part>, Fault> {
    if let Some((at, advice)) = division::problem(text) {
        let message = format!("kubectl and YAML divide this text into different documents; {advice}");
        return Err(Fault::Refused(at, message));
    }
    let mut changed = Cow::Borrowed(text);
    let stand_in = STAND_INS.into_iter().find(|stand_in| !text.contains(*stand_in));
    for _ in 0..PASSES {
        let mut composer = Composer::new(&changed, limits, stand_in);
        let documents = composer.documents();
        let colons = composer.colons;
        if colons.is_empty() {
            return documents;
        }
        let Some(stand_in) = stand_in else { break };
        for at in colons {
            changed.to_mut().replace_range(at..=at, stand_in.encode_utf8(&mut [0; 1]));
        }
    }
    Composer::new(text, limits, None).documents()
}

/// Characters that can stand for a colon in plain text in brackets, if the text has none of them.
/// They have its length, so that places stay. `~` is not among them, because the parser gives it as
/// the text of an empty value.
const STAND_INS: [char; 5] = ['^', ';', '$', '=', '%'];

/// The number of times that a text is composed with a stand-in for more colons.
const PASSES: usize = 4;

struct Composer<'t> {
    text: &'t str,
    /// The character that stands for a colon that is part of plain text in brackets.
    stand_in: Option<char>,
    /// The bytes of the text at which there are more such colons.
    colons: Vec<usize>,
    parser: Parser<'t, granit_parser::StrInput<'t>>,
    separators: Separators<'t>,
    limits: Limits,
    anchors: BTreeMap<usize, Anchor>,
    /// The values so far, with those of expanded aliases.
    values: usize,
    of_aliases: usize,
    flow: usize,
}

struct Anchor {
    part: Part,
    /// The number of values, with those in keys and expanded aliases.
    values: usize,
    depth: usize,
}

impl<'t> Composer<'t> {
    fn new(text: &'t str, limits: Limits, stand_in: Option<char>) -> Self {
        let mut options = Options::default();
        options.set_emit_comments(false);
        options.emit_anchor_events = true;
        Self {
            text,
            stand_in,
            colons: Vec::new(),
            parser: Parser::new_from_str_with_options(text, options),
            separators: Separators::of(text),
            limits,
            anchors: BTreeMap::new(),
            values: 0,
            of_aliases: 0,
            flow: 0,
        }
    }

    fn documents(&mut self) -> Result<Vec<Part>, Fault> {
        let mut documents = Vec::new();
        let mut is_first = true;
        loop {
            match self.next()? {
                (Event::StreamEnd, _) => break,
                (Event::DocumentStart(is_explicit, _), span) => {
                    if !(is_first || is_explicit && self.is_separate(&span)) {
                        let message = "kubectl ignores this document; write a line `---` before it";
                        return Err(Fault::Refused(position(&span), message.to_owned()));
                    }
                    is_first = false;
                    self.anchors.clear();
                    (self.values, self.of_aliases) = (1, 0);
                    let (event, span) = self.next()?;
                    let part = self.node(event, &span, 0)?;
                    if !part.is_null() {
                        documents.push(part);
                    }
                }
                _ => {}
            }
        }
        match self.separators.rest() {
            Some(at) => Err(separator(at)),
            None => Ok(documents),
        }
    }

    /// Returns whether a document begins in a line of its own, as kubectl counts lines.
    fn is_separate(&self, span: &Span) -> bool {
        let before = span.start.byte_offset().and_then(|at| self.text.get(..at));
        before.is_some_and(|before| before.ends_with('\n'))
    }

    fn next(&mut self) -> Result<(Event<'t>, Span), Fault> {
        match self.parser.next() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => Err(Fault::Syntax(of_marker(error.marker()), error.info())),
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    fn node(&mut self, event: Event<'t>, span: &Span, depth: usize) -> Result<Part, Fault> {
        let at = position(span);
        if depth > MAX_DEPTH {
            return Err(Fault::TooMuch(at));
        }
        let values = self.values;
        self.values += 1;
        self.properties(&event, span)?;
        let (anchor, part) = match event {
            Event::Alias(anchor) => return self.alias(anchor, span, depth),
            Event::Scalar(text, style, anchor, tag) => {
                let length = u64::try_from(span.len()).unwrap_or(u64::MAX);
                if depth == 0 && matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
                    let message = "expected a mapping or a list; a document cannot be a block scalar";
                    return Err(Fault::Refused(at, message.to_owned()));
                }
                let value = self.scalar(&text, style, tag.as_deref(), span)?;
                (anchor, Part { at, length, parts: Parts::Scalar(value) })
            }
            Event::SequenceStart(style, anchor, _) => {
                let outer = self.enter(style);
                let mut items = Vec::new();
                loop {
                    match self.next()? {
                        (Event::SequenceEnd, _) => break,
                        (event, span) => items.push(self.node(event, &span, depth + 1)?),
                    }
                }
                self.flow = outer;
                (anchor, Part { at, length: 0, parts: Parts::List(items) })
            }
            Event::MappingStart(style, anchor, _) => {
                let outer = self.enter(style);
                let fields = self.mapping(depth + 1)?;
                self.flow = outer;
                (anchor, Part { at, length: 0, parts: Parts::Object(fields) })
            }
            other => {
                return Err(Fault::Syntax(at, format!("did not find expected node content, but {other:?}")));
            }
        };
        if anchor != 0 {
            let values = self.values.saturating_sub(values);
            let anchored = Anchor { part: part.clone(), values, depth: part.height() };
            self.anchors.insert(anchor, anchored);
        }
        Ok(part)
    }

    /// Checks the anchor, whose name has fewer characters for kubectl, and the tag, which has more.
    fn properties(&mut self, event: &Event<'t>, span: &Span) -> Result<(), Fault> {
        let (Event::Scalar(.., anchor, _)
        | Event::SequenceStart(_, anchor, _)
        | Event::MappingStart(_, anchor, _)) = event
        else {
            return Ok(());
        };
        let behind = span.tag_span().and_then(|tag| self.text.get(tag.end.byte_offset()?..));
        if behind.is_some_and(|rest| !rest.is_empty() && !rest.starts_with(char::is_whitespace)) {
            let message = "kubectl reads another tag here; write a space behind it";
            return Err(Fault::Refused(position(span), message.to_owned()));
        }
        if *anchor == 0 {
            return Ok(());
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        match self.next()? {
            (Event::Anchor(_, name), _) if name.chars().all(is_name) => Ok(()),
            (_, span) => {
                let message = "the name of an anchor has only letters, digits, `-` and `_` for kubectl";
                Err(Fault::Refused(position(&span), message.to_owned()))
            }
        }
    }

    /// Enters a list or mapping. Returns the number of brackets around it.
    fn enter(&mut self, style: StructureStyle) -> usize {
        let outer = self.flow;
        if style == StructureStyle::Flow {
            self.flow = outer + 1;
        }
        outer
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        tag: Option<&Tag>,
        span: &Span,
    ) -> Result<Value, Fault> {
        if style == ScalarStyle::DoubleQuoted
            && let Some(range) = span.byte_range()
            && let Some(at) = self.separators.pass(&range)
        {
            return Err(separator(at));
        }
        let is_plain = style == ScalarStyle::Plain;
        let whole = match self.stand_in {
            Some(stand_in) if is_plain && text.contains(stand_in) => Cow::Owned(text.replace(stand_in, ":")),
            _ => Cow::Borrowed(text),
        };
        if self.flow > 0 && is_plain {
            // The empty value of the text before such a colon.
            let [start, end] = [&span.start, &span.end].map(Marker::byte_offset);
            if text == "~" && start.is_some() && [start, end].contains(&self.colons.last().copied()) {
                return Ok(Value::Null);
            }
            let is_tagged_value = tag.is_some() && text.starts_with(':');
            if let Some(colon) = self.colon_behind(text, span).filter(|_| !is_tagged_value) {
                self.colons.push(colon);
                return Ok(text.into());
            }
            if is_tagged_value || self.is_other_text(text, span) {
                let message = format!("kubectl reads something else than `{whole}` here; quote it");
                return Err(Fault::Refused(position(span), message));
            }
        }
        let tag = tag.map(name);
        let scalar = Scalar { text: &whole, is_plain, tag: tag.as_deref() };
        scalar.value().map_err(|message| Fault::Refused(position(span), message))
    }

    /// Returns whether plain text in brackets ends somewhere else for kubectl: `?` begins a key,
    /// and a colon belongs to the text if a bracket or comma follows it.
    fn is_other_text(&self, text: &str, span: &Span) -> bool {
        let mut words = text.split(char::is_whitespace);
        let behind = span.end.byte_offset().and_then(|end| self.text.get(end..)).unwrap_or_default();
        let is_open =
            behind.strip_prefix(':').is_some_and(|rest| rest.starts_with([',', ']', '}', '[', '{']));
        is_open || text.starts_with('?') || words.any(|word| word.ends_with('?'))
    }

    /// Returns the place of a colon behind plain text in brackets that is part of the text for
    /// kubectl, because no space follows it: `[2001:db8::]`.
    fn colon_behind(&self, text: &str, span: &Span) -> Option<usize> {
        self.stand_in?;
        let end = span.end.byte_offset()?;
        let rest = self.text.get(end..)?.strip_prefix(':')?;
        let is_text = text.starts_with(|first: char| first.is_ascii_alphanumeric()) && !text.contains('?');
        (is_text && rest.starts_with([',', ']', '}'])).then_some(end)
    }

    fn alias(&mut self, anchor: usize, span: &Span, depth: usize) -> Result<Part, Fault> {
        let at = position(span);
        let Some(anchored) = self.anchors.get(&anchor) else {
            return Err(Fault::Refused(at, "the value of an anchor contains itself".to_owned()));
        };
        self.values += anchored.values;
        self.of_aliases += anchored.values;
        let is_too_much = if self.limits.has_many_aliases {
            self.values > MOST_VALUES
        } else {
            is_excessive(self.of_aliases, self.values)
        };
        if is_too_much || depth.saturating_add(anchored.depth) > MAX_DEPTH {
            return Err(Fault::TooMuch(at));
        }
        let length = u64::try_from(span.len()).unwrap_or(u64::MAX);
        Ok(anchored.part.clone().moved(at, length))
    }

    fn mapping(&mut self, depth: usize) -> Result<Vec<(String, Position, Part)>, Fault> {
        let mut fields = Fields::default();
        loop {
            let (event, span) = self.next()?;
            let at = position(&span);
            if let Event::MappingEnd = event {
                return Ok(fields.list);
            }
            let is_merge = match &event {
                Event::Scalar(text, style, _, tag) => {
                    let tag = tag.as_deref().map(name);
                    let is_plain = *style == ScalarStyle::Plain;
                    Scalar { text, is_plain, tag: tag.as_deref() }.is_merge()
                }
                _ => false,
            };
            let name = self.node(event, &span, depth)?;
            let (event, span) = self.next()?;
            let value = self.node(event, &span, depth)?;
            if is_merge {
                fields.merge(value, at, self.limits)?;
            } else {
                let name = name.into_value();
                let name = key(&name).map_err(|message| match name {
                    Value::Array(_) | Value::Object(_) => Fault::Key(at, message),
                    _ => Fault::Refused(at, message),
                })?;
                fields.explicit(name, at, value, self.limits)?;
            }
        }
    }
}

fn separator(at: Position) -> Fault {
    let message = "this character (U+0085, U+2028, U+2029 or U+FEFF) ends a line for kubectl or changes a key; \
                   remove it, or escape it in double quotes";
    Fault::Refused(at, message.to_owned())
}

/// Returns whether kubectl refuses so many values of aliases among all (`allowedAliasRatio`).
fn is_excessive(of_aliases: usize, values: usize) -> bool {
    const LOW: f64 = 400_000.0;
    const HIGH: f64 = 4_000_000.0;
    let number = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    let (of_aliases, values) = (number(of_aliases), number(values));
    let allowed = 0.99 - 0.89 * ((values - LOW) / (HIGH - LOW)).clamp(0.0, 1.0);
    of_aliases > 100.0 && values > 1000.0 && of_aliases / values > allowed
}

fn name(tag: &Tag) -> String {
    format!("{}{}", tag.handle(), tag.suffix())
}

fn position(span: &Span) -> Position {
    of_marker(&span.start)
}

fn of_marker(marker: &Marker) -> Position {
    let number = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    Position { line: number(marker.line()), column: number(marker.col() + 1) }
}
