//! `match` and `exclude` of a Kyverno rule.

use super::resource_filter::ResourceFilter;
use crate::InputError;
use crate::conversion::FieldProblem;
use crate::fields::Fields;

#[derive(Clone, Debug, Default)]
pub(super) struct MatchResources {
    pub(super) filters: Vec<ResourceFilter>,
    /// Whether one matching filter is enough.
    pub(super) any: bool,
    /// The fields that belong to no filter.
    pub(super) problems: Vec<FieldProblem>,
}

impl MatchResources {
    pub(super) fn read(fields: Option<&Fields<'_>>) -> Result<Self, InputError> {
        let Some(fields) = fields else { return Ok(Self::default()) };
        for (key, any) in [("any", true), ("all", false)] {
            let filters = fields.objects(key)?;
            if !filters.is_empty() {
                let ignored = |(other, _)| {
                    FieldProblem::new(
                        fields.path(other),
                        format!("is ignored because {} is set", fields.path(key)),
                    )
                };
                let problems = fields.others(&[key]).map(ignored).collect();
                let filters: Result<Vec<ResourceFilter>, InputError> =
                    filters.iter().map(ResourceFilter::read).collect();
                return Ok(Self { filters: filters?, any, problems });
            }
        }
        let filter = ResourceFilter::read(fields)?;
        let filters = if filter.is_empty() { Vec::new() } else { vec![filter] };
        Ok(Self { filters, any: false, problems: Vec::new() })
    }
}
