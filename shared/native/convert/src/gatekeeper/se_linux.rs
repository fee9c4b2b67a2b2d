//! SELinux contexts: `K8sPSPSELinuxV2`.

use super::parameters::{literal, refuses_nothing_without};
use crate::InputError;
use crate::controls::{MINOR, Outcome, Requirement, allowed_values};
use crate::fields::Fields;

pub(super) fn options(
    parameters: &Fields<'_>,
    images: &[String],
    outcome: &mut Outcome,
) -> Result<(), InputError> {
    const KEY: &str = "allowedSELinuxOptions";
    if parameters.get(KEY).is_none() {
        refuses_nothing_without(KEY, outcome);
        return Ok(());
    }
    let path = parameters.path(KEY);
    let options = parameters.objects(KEY)?;
    let mut check = Requirement::of("seLinuxOptions").allow_images(images);
    for field in ["type", "user", "role"] {
        let mut values = Vec::new();
        for option in &options {
            values.extend(option.text(field)?.map(str::to_owned));
        }
        let values = literal(values, &path, outcome);
        let standard = if field == "type" { allowed_values("seLinuxOptions", MINOR) } else { &[] };
        let admitted: Vec<&str> = standard
            .iter()
            .copied()
            .filter(|known| !known.is_empty() && !values.iter().any(|value| value == known))
            .collect();
        if !admitted.is_empty() {
            let problem = format!(
                "the Pod Security Standards allow the types {}, which the constraint refuses; the manifest admits them",
                admitted.join(", ")
            );
            outcome.admits(&path, problem);
        }
        let others: Vec<String> =
            values.into_iter().filter(|value| !standard.contains(&value.as_str())).collect();
        for place in ["spec.securityContext", "spec.containers[*].securityContext"] {
            check = check.allow(&format!("{place}.seLinuxOptions.{field}"), &others);
        }
    }
    let fields_of =
        |option: &Fields<'_>| ["type", "user", "role"].iter().filter(|key| option.get(key).is_some()).count();
    if options.len() > 1 && options.iter().any(|option| fields_of(option) > 1) {
        let problem = "each entry allows its user, role and type together; the manifest admits all combinations of them";
        outcome.admits(&path, problem);
    }
    let problem = "levels other than those of the entries are refused; the manifest evaluates no levels, which the policy \
                   selinux does";
    outcome.admits(path, problem);
    outcome.require(check);
    Ok(())
}
