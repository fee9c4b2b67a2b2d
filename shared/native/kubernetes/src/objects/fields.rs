//! Field selectors: `metadata.name=a,metadata.namespace!=b`.

use crate::objects::LookupFailure;
use crate::objects::intake::Object;

/// Conditions on fields, all of which must hold.
#[derive(Debug)]
pub(crate) struct FieldSelector<'s>(Vec<Condition<'s>>);

#[derive(Debug)]
struct Condition<'s> {
    field: Field,
    value: &'s str,
    equal: bool,
}

/// A field by which objects of every kind can be selected.
#[derive(Debug)]
enum Field {
    Name,
    Namespace,
}

impl<'s> FieldSelector<'s> {
    pub(crate) fn parse(text: &'s str) -> Result<Self, LookupFailure> {
        let terms = text.split(',').filter(|term| !term.is_empty());
        terms.map(|term| Condition::parse(term, text)).collect::<Result<_, _>>().map(Self)
    }

    pub(crate) fn selects(&self, object: &Object) -> bool {
        self.0.iter().all(|Condition { field, value, equal }| {
            let found = match field {
                Field::Name => object.name.as_str(),
                Field::Namespace => object.namespace.as_deref().unwrap_or_default(),
            };
            (found == *value) == *equal
        })
    }
}

impl<'s> Condition<'s> {
    fn parse(term: &'s str, text: &str) -> Result<Self, LookupFailure> {
        let (key, value) = term.split_once('=').ok_or_else(|| {
            LookupFailure::new(format!(
                "field selector '{text}': expected =, == or != in '{term}'; add a value"
            ))
        })?;
        let (key, equal) = match key.strip_suffix('!') {
            Some(key) => (key, false),
            None => (key, true),
        };
        let value = match value.strip_prefix('=') {
            Some(value) if equal => value,
            _ => value,
        };
        let field = match key {
            "metadata.name" => Field::Name,
            "metadata.namespace" => Field::Namespace,
            _ => {
                return Err(LookupFailure::new(format!(
                    "field selector '{text}': field label not supported: {key}; select by metadata.name or \
                     metadata.namespace",
                )));
            }
        };
        Ok(Self { field, value, equal })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selects(selector: &str, namespace: Option<&str>, name: &str) -> bool {
        let namespace = namespace.map(str::to_owned);
        let object = Object { namespace, name: name.to_owned(), value: serde_json::Value::Null };
        FieldSelector::parse(selector).unwrap().selects(&object)
    }

    #[test]
    fn selects_by_name_and_namespace() {
        for selector in ["", "metadata.name=a", "metadata.name==a", "metadata.name!=b,metadata.namespace=d"] {
            assert!(selects(selector, Some("d"), "a"), "{selector}");
        }
        for selector in ["metadata.name!=a", "metadata.name=a,metadata.namespace=e", "metadata.name="] {
            assert!(!selects(selector, Some("d"), "a"), "{selector}");
        }
    }

    #[test]
    fn cluster_wide_objects_have_an_empty_namespace() {
        assert!(selects("metadata.namespace=", None, "a"));
        assert!(selects("metadata.namespace!=d", None, "a"));
    }

    #[test]
    fn rejects_other_fields() {
        assert_eq!(
            FieldSelector::parse("spec.nodeName=a").unwrap_err().to_string(),
            "Callback evaluation failure: field selector 'spec.nodeName=a': field label not supported: \
             spec.nodeName; select by metadata.name or metadata.namespace",
        );
        assert_eq!(
            FieldSelector::parse("metadata.name").unwrap_err().to_string(),
            "Callback evaluation failure: field selector 'metadata.name': expected =, == or != in \
             'metadata.name'; add a value",
        );
    }
}
