//! Label selectors: `app=web,tier in (front, back),!legacy`.

use std::collections::BTreeSet;
use std::iter::Peekable;
use std::vec::IntoIter;

use serde_json::Value;

use crate::objects::LookupFailure;

/// Requirements on labels, all of which must hold.
#[derive(Debug)]
pub(crate) struct LabelSelector(Vec<Requirement>);

#[derive(Debug)]
struct Requirement {
    key: String,
    test: Test,
}

#[derive(Debug)]
enum Test {
    Exists,
    Absent,
    In(BTreeSet<String>),
    /// Also holds for objects without the label.
    NotIn(BTreeSet<String>),
    Above(i64),
    Below(i64),
}

#[derive(Debug, Eq, PartialEq)]
enum Token {
    Word(String),
    Open,
    Close,
    Comma,
    Not,
    Equal,
    Unequal,
    Above,
    Below,
}

impl LabelSelector {
    pub(crate) fn parse(text: &str) -> Result<Self, LookupFailure> {
        let mut parser = Parser { tokens: tokens(text).into_iter().peekable() };
        parser
            .selector()
            .map(Self)
            .map_err(|problem| LookupFailure::new(format!("label selector '{text}': {problem}")))
    }

    pub(crate) fn selects(&self, object: &Value) -> bool {
        let labels = object.get("metadata").and_then(|metadata| metadata.get("labels"));
        self.0.iter().all(|Requirement { key, test }| {
            let value = labels.and_then(|labels| labels.get(key)).and_then(Value::as_str);
            let number = || value.and_then(|value| value.parse::<i64>().ok());
            match test {
                Test::Exists => value.is_some(),
                Test::Absent => value.is_none(),
                Test::In(values) => value.is_some_and(|value| values.contains(value)),
                Test::NotIn(values) => !value.is_some_and(|value| values.contains(value)),
                Test::Above(bound) => number().is_some_and(|number| number > *bound),
                Test::Below(bound) => number().is_some_and(|number| number < *bound),
            }
        })
    }
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        tokens.push(match c {
            c if c.is_whitespace() => continue,
            '(' => Token::Open,
            ')' => Token::Close,
            ',' => Token::Comma,
            '>' => Token::Above,
            '<' => Token::Below,
            '!' if chars.next_if_eq(&'=').is_some() => Token::Unequal,
            '!' => Token::Not,
            '=' => {
                chars.next_if_eq(&'=');
                Token::Equal
            }
            c => {
                let mut word = String::from(c);
                while let Some(c) = chars.next_if(|c| !c.is_whitespace() && !"(),><!=".contains(*c)) {
                    word.push(c);
                }
                Token::Word(word)
            }
        });
    }
    tokens
}

struct Parser {
    tokens: Peekable<IntoIter<Token>>,
}

impl Parser {
    fn selector(&mut self) -> Result<Vec<Requirement>, String> {
        let mut requirements = Vec::new();
        if self.tokens.peek().is_none() {
            return Ok(requirements);
        }
        loop {
            requirements.push(self.requirement()?);
            match self.tokens.next() {
                None => return Ok(requirements),
                Some(Token::Comma) => {}
                Some(_) => return Err("expected a comma between two requirements; add it".to_owned()),
            }
        }
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        let absent = self.tokens.next_if_eq(&Token::Not).is_some();
        let Some(Token::Word(key)) = self.tokens.next() else {
            return Err("expected the key of a label; add it".to_owned());
        };
        let test = match self.tokens.peek() {
            _ if absent => Test::Absent,
            None | Some(Token::Comma) => Test::Exists,
            Some(_) => self.test()?,
        };
        Ok(Requirement { key, test })
    }

    fn test(&mut self) -> Result<Test, String> {
        match self.tokens.next() {
            Some(Token::Equal) => Ok(Test::In([self.value()].into())),
            Some(Token::Unequal) => Ok(Test::NotIn([self.value()].into())),
            Some(Token::Above) => self.number().map(Test::Above),
            Some(Token::Below) => self.number().map(Test::Below),
            Some(Token::Word(word)) if word == "in" => self.values().map(Test::In),
            Some(Token::Word(word)) if word == "notin" => self.values().map(Test::NotIn),
            _ => Err("expected =, ==, !=, in, notin, > or < after the key; add one of them".to_owned()),
        }
    }

    /// A value may be empty: `app=`.
    fn value(&mut self) -> String {
        match self.tokens.next_if(|token| matches!(token, Token::Word(_))) {
            Some(Token::Word(value)) => value,
            _ => String::new(),
        }
    }

    fn number(&mut self) -> Result<i64, String> {
        self.value().parse().map_err(|_| "expected an integer after > or <; add one".to_owned())
    }

    fn values(&mut self) -> Result<BTreeSet<String>, String> {
        if self.tokens.next() != Some(Token::Open) {
            return Err("expected ( after in or notin; put the values in parentheses".to_owned());
        }
        let mut values = BTreeSet::new();
        loop {
            values.insert(self.value());
            match self.tokens.next() {
                Some(Token::Comma) => {}
                Some(Token::Close) => return Ok(values),
                _ => return Err("expected , or ) after a value; add it".to_owned()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn selects(selector: &str) -> bool {
        let object = json!({ "metadata": { "labels": { "app": "web", "empty": "", "level": "3" } } });
        LabelSelector::parse(selector).unwrap().selects(&object)
    }

    #[test]
    fn selects_matching_objects_alone() {
        let selected = "; app; !nope; ! nope; app=web; app==web; app = web; app!=db; nope!=db; \
                        app in (web); app in (db,web); app in ( db , web ); app notin (db); \
                        nope notin (db); empty=; empty in (); level>2; level < 4; app=web,!nope,level";
        for selector in selected.split("; ") {
            assert!(selects(selector), "{selector}");
        }
        let left = "nope; !app; app=db; app=; app!=web; app in (db); nope in (db); app notin (web,db); \
                    level>3; app>1; app=web,nope";
        for selector in left.split("; ") {
            assert!(!selects(selector), "{selector}");
        }
    }

    #[test]
    fn negative_requirements_select_objects_without_labels() {
        let object = json!({ "metadata": { "name": "a" } });
        assert!(LabelSelector::parse("!app,tier!=a,x notin (y)").unwrap().selects(&object));
        assert!(!LabelSelector::parse("app").unwrap().selects(&object));
    }

    #[test]
    fn rejects_invalid_selectors() {
        for (selector, problem) in [
            ("=a", "expected the key of a label; add it"),
            ("app,", "expected the key of a label; add it"),
            ("app web", "expected =, ==, !=, in, notin, > or < after the key; add one of them"),
            ("!app=web", "expected a comma between two requirements; add it"),
            ("app in web", "expected ( after in or notin; put the values in parentheses"),
            ("app in (web", "expected , or ) after a value; add it"),
            ("level>much", "expected an integer after > or <; add one"),
        ] {
            assert_eq!(
                LabelSelector::parse(selector).unwrap_err().to_string(),
                format!("Callback evaluation failure: label selector '{selector}': {problem}"),
            );
        }
    }
}
