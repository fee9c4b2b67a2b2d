//! Types that are known not to confine processes.

use admission::contains;

/// The names of such types, apart from those that contain `unconfined`. Each of them exists on some
/// systems only.
///
/// Source: the calls of `unconfined_domain` and `unconfined_domain_noaudit` in container-selinux
/// 2.250, refpolicy `RELEASE_2_20260616` and Fedora's selinux-policy 41.24, with the alias
/// `docker_t`; the subjects that `subject.cil` of Bottlerocket (core kit 3.1) excludes from
/// `unprivileged_s`.
const NAMES: &str = "\
    abrt_handle_event_t anaconda_t api_t apt_t auditd_t authconfig_t boinc_project_t \
    bootloader_t checkpolicy_t chkpwd_t cinder_api_t cinder_backup_t cinder_scheduler_t \
    cinder_volume_t cloud_init_t cluster_t clvmd_t condor_startd_t container_runtime_t \
    control_t crond_t devicekit_disk_t devicekit_power_t devicekit_t dhcpc_t docker_t \
    dpkg_script_t dpkg_t firstboot_t fsadm_t fwupd_t getty_t gnome_initial_setup_t ifconfig_t \
    inetd_child_t inetd_t init_t initrc_t insights_client_t install_t ipmievd_helper_t \
    kdumpctl_t kernel_t klogd_t kmod_t kpatch_t kubelet_t ldconfig_t livecd_t load_policy_t \
    local_login_t lvm_t mono_t mount_t nagios_eventhandler_plugin_t newrole_t \
    openshift_initrc_t openwsman_t pam_console_t pam_t pam_timestamp_t pcp_plugin_t \
    pegasus_openlmi_logicalfile_t pki_tomcat_script_t prelink_t preupgrade_t puppet_t \
    puppetagent_t realmd_consolehelper_t realmd_t restorecond_t rgmanager_t rolekit_t \
    rpm_script_t rpm_t rtas_errd_t run_init_t runtime_t semanage_t setfiles_mac_t setfiles_t \
    sge_job_t sge_shepherd_t sosreport_t spc_t spc_user_t stratisd_t super_t syslogd_t \
    system_cronjob_t system_t tomcat_t tuned_t udev_t updpwd_t useradd_t utempter_t \
    virtd_lxc_t virtd_t virtvzd_t virtxend_t vmtools_helper_t vmtools_t vmware_host_t wine_t \
    xdm_t xserver_t zabbix_script_t";

/// Whether a type is known not to confine processes.
pub(super) fn is_known(name: &str) -> bool {
    contains(name, "unconfined") || NAMES.split(' ').any(|known| known == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_unconfined_types_of_several_systems() {
        for name in [
            "container_runtime_t",
            "control_t",
            "docker_t",
            "httpd_unconfined_script_t",
            "init_t",
            "kernel_t",
            "kubelet_t",
            "spc_t",
            "super_t",
            "unconfined_service_t",
            "unconfined_t",
            "zabbix_script_t",
        ] {
            assert!(is_known(name), "{name}");
        }
    }

    #[test]
    fn does_not_know_types_of_containers() {
        for name in
            ["", " ", "container_t", "container_engine_t", "container_user_t", "virt_launcher.process"]
        {
            assert!(!is_known(name), "{name}");
        }
    }

    #[test]
    fn lists_each_name_once_and_in_order() {
        let names: Vec<_> = NAMES.split(' ').collect();
        assert!(names.is_sorted_by(|one, other| one < other));
        assert!(names.iter().all(|name| name.ends_with("_t")));
    }
}
