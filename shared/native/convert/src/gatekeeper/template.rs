//! Constraint templates: whether they are those of the library.

use serde_json::Value;

use crate::InputError;
use crate::fields::Fields;

const CEL: &str = "K8sNativeValidation";

pub(super) const DIFFERS: &str = "has other code than the template in gatekeeper-library at 5c441fb, so that its \
     constraints are not converted; keep them, or replace the template by that of the library first";

/// The code of a template.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Template {
    /// That of the library, or of no kind of the library.
    Known,
    /// That of the library before it left out updates.
    WithUpdates,
    Other,
}

/// Each kind with the fingerprints of its Rego and, if it has some, of its CEL.
///
/// Source: open-policy-agent/gatekeeper-library at 5c441fb, `library/**/template.yaml`.
const LIBRARY: &[(&str, u64, Option<u64>)] = &[
    ("K8sExternalIPs", 0x4974_b218_270d_7044, None),
    ("K8sPSPAllowPrivilegeEscalationContainer", 0x901e_c670_de39_dc8f, Some(0x080a_17d1_be1c_8930)),
    ("K8sPSPAllowedUsers", 0x8b17_b669_97d8_7d13, None),
    ("K8sPSPAppArmor", 0xbd12_7cfd_d636_c894, Some(0x4741_c008_f4f4_1651)),
    ("K8sPSPAutomountServiceAccountTokenPod", 0xf589_5472_708a_d5a6, None),
    ("K8sPSPCapabilities", 0x9d29_8fb0_dd99_0fe2, Some(0x2b2f_ab31_efa1_b303)),
    ("K8sPSPFSGroup", 0xbdcb_beea_d10e_9236, Some(0x10de_d8df_1d71_ad3b)),
    ("K8sPSPFlexVolumes", 0xb4a8_fc3b_ec7b_6914, None),
    ("K8sPSPForbiddenSysctls", 0x66ff_2f93_d6d5_bd8b, Some(0xebb8_2fdb_4416_84d2)),
    ("K8sPSPHostFilesystem", 0xd615_4c3b_cd41_5c5f, Some(0x7b11_cf4d_f8e0_773c)),
    ("K8sPSPHostNamespace", 0x49a6_081a_9459_873b, Some(0xbd0b_a9a4_d52f_f48b)),
    ("K8sPSPHostNetworkingPorts", 0xf102_be63_df0b_5150, Some(0x1adb_543a_0373_ddfd)),
    ("K8sPSPHostProbesLifecycle", 0x0001_c849_cc2f_5598, Some(0xcc51_aaab_adbd_bd2d)),
    ("K8sPSPHostProcess", 0x4e2e_bfab_18fb_85c4, Some(0xd08f_6037_4eb5_6741)),
    ("K8sPSPPrivilegedContainer", 0xbf32_ba0d_adfa_b80b, Some(0x1588_b853_3176_85c4)),
    ("K8sPSPProcMount", 0x31f1_3284_7401_3dd1, Some(0xc3c4_27a9_5b9f_e673)),
    ("K8sPSPReadOnlyRootFilesystem", 0xaad0_59dc_ff5e_6ae9, Some(0xd678_cc6a_251f_8d5a)),
    ("K8sPSPSELinuxV2", 0x8d75_b90e_c352_ca86, None),
    ("K8sPSPSeccomp", 0xe402_2c51_5220_b0b5, Some(0xe5a4_f38d_df7b_45a7)),
    ("K8sPSPSeccompV2", 0xaead_5624_837f_bdd9, Some(0xea2b_12c3_92e8_0906)),
    ("K8sPSPVolumeTypes", 0xb141_0d6a_d150_368b, None),
];

/// The kinds whose templates evaluated updates until bd942ad (September 2023) and had the same Rego
/// otherwise, with its fingerprint.
const WITH_UPDATES: &[(&str, u64)] = &[
    ("K8sPSPAllowPrivilegeEscalationContainer", 0x53cd_767b_4caf_cdbb),
    ("K8sPSPAutomountServiceAccountTokenPod", 0x480d_6be2_8d97_b29a),
    ("K8sPSPFlexVolumes", 0x3ed2_3ec2_22d7_6e24),
    ("K8sPSPHostNamespace", 0x9403_005d_04dc_0cf5),
    ("K8sPSPPrivilegedContainer", 0x9820_a48d_af96_2151),
    ("K8sPSPReadOnlyRootFilesystem", 0x1b34_6939_c43a_3dd7),
];

pub(super) fn kind<'d>(template: &Fields<'d>) -> Result<&'d str, InputError> {
    let mut at = template.clone();
    for key in ["spec", "crd", "spec", "names"] {
        at = at.required_object(key)?;
    }
    at.required_text("kind")
}

impl Template {
    pub(super) fn read(template: &Fields<'_>, kind: &str) -> Result<Self, InputError> {
        let Some((_, rego, cel)) = LIBRARY.iter().find(|(known, ..)| *known == kind) else {
            return Ok(Self::Known);
        };
        let (mut found_rego, mut found_cel) = (None, None);
        for target in template.required_object("spec")?.objects("targets")? {
            if target.get("rego").is_some() {
                found_rego = Some(rego_of(&target)?);
            }
            for code in target.objects("code")? {
                let engine = code.required_text("engine")?;
                let source = code.required_object("source")?;
                if engine == CEL {
                    found_cel = code.get("source").map(|source| fingerprint(&source.to_string()));
                } else {
                    found_rego = Some(rego_of(&source)?);
                }
            }
        }
        let is_known = found_cel.is_none() || found_cel == *cel;
        Ok(if is_known && found_rego == Some(*rego) {
            Self::Known
        } else if found_cel.is_none() && found_rego.is_some_and(|rego| WITH_UPDATES.contains(&(kind, rego))) {
            Self::WithUpdates
        } else {
            Self::Other
        })
    }
}

/// The fingerprint of Rego with its libraries, without comments, empty lines and indentation.
fn rego_of(source: &Fields<'_>) -> Result<u64, InputError> {
    let mut code = source.text("rego")?.unwrap_or_default().to_owned();
    for library in source.list("libs")?.iter().filter_map(Value::as_str) {
        code.push('\n');
        code.push_str(library);
    }
    let lines: Vec<&str> =
        code.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    Ok(fingerprint(&lines.join("\n")))
}

/// FNV-1a of 64 bits: it tells versions of a text apart, and protects nothing.
fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_are_fnv_1a() {
        assert_eq!(fingerprint(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fingerprint("foobar"), 0x8594_4171_f739_67e8);
    }
}
