//! Generated from the types of `k8s-openapi` by `./justw bless`.

use crate::fields::{Fields, Type};

/// The kinds that policies judge, with their API versions.
pub(crate) static KINDS: &[(&str, &Fields)] = &[
    ("batch/v1", &CRON_JOB),
    ("apps/v1", &DAEMON_SET),
    ("apps/v1", &DEPLOYMENT),
    ("policy/v1", &EVICTION),
    ("batch/v1", &JOB),
    ("v1", &NAMESPACE),
    ("v1", &NODE),
    ("v1", &PERSISTENT_VOLUME),
    ("v1", &POD),
    ("v1", &POD_TEMPLATE),
    ("apps/v1", &REPLICA_SET),
    ("v1", &REPLICATION_CONTROLLER),
    ("v1", &SERVICE),
    ("apps/v1", &STATEFUL_SET),
];

static AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE: Fields = Fields { name: "AWSElasticBlockStoreVolumeSource", fields: &[
    ("fsType", Type::Leaf),
    ("partition", Type::Leaf),
    ("readOnly", Type::Leaf),
    ("volumeID", Type::Leaf),
] };

static AFFINITY: Fields = Fields { name: "Affinity", fields: &[
    ("nodeAffinity", Type::Object(&NODE_AFFINITY)),
    ("podAffinity", Type::Object(&POD_AFFINITY)),
    ("podAntiAffinity", Type::Object(&POD_ANTI_AFFINITY)),
] };

static APP_ARMOR_PROFILE: Fields = Fields { name: "AppArmorProfile", fields: &[
    ("localhostProfile", Type::Leaf),
    ("type", Type::Leaf),
] };

static ATTACHED_VOLUME: Fields = Fields { name: "AttachedVolume", fields: &[
    ("devicePath", Type::Leaf),
    ("name", Type::Leaf),
] };

static AZURE_DISK_VOLUME_SOURCE: Fields = Fields { name: "AzureDiskVolumeSource", fields: &[
    ("cachingMode", Type::Leaf),
    ("diskName", Type::Leaf),
    ("diskURI", Type::Leaf),
    ("fsType", Type::Leaf),
    ("kind", Type::Leaf),
    ("readOnly", Type::Leaf),
] };

static AZURE_FILE_PERSISTENT_VOLUME_SOURCE: Fields = Fields { name: "AzureFilePersistentVolumeSource", fields: &[
    ("readOnly", Type::Leaf),
    ("secretName", Type::Leaf),
    ("secretNamespace", Type::Leaf),
    ("shareName", Type::Leaf),
] };

static AZURE_FILE_VOLUME_SOURCE: Fields = Fields { name: "AzureFileVolumeSource", fields: &[
    ("readOnly", Type::Leaf),
    ("secretName", Type::Leaf),
    ("shareName", Type::Leaf),
] };

static CSI_PERSISTENT_VOLUME_SOURCE: Fields = Fields { name: "CSIPersistentVolumeSource", fields: &[
    ("controllerExpandSecretRef", Type::Object(&SECRET_REFERENCE)),
    ("controllerPublishSecretRef", Type::Object(&SECRET_REFERENCE)),
    ("driver", Type::Leaf),
    ("fsType", Type::Leaf),
    ("nodeExpandSecretRef", Type::Object(&SECRET_REFERENCE)),
    ("nodePublishSecretRef", Type::Object(&SECRET_REFERENCE)),
    ("nodeStageSecretRef", Type::Object(&SECRET_REFERENCE)),
    ("readOnly", Type::Leaf),
    ("volumeAttributes", Type::Map(&Type::Leaf)),
    ("volumeHandle", Type::Leaf),
] };

static CSI_VOLUME_SOURCE: Fields = Fields { name: "CSIVolumeSource", fields: &[
    ("driver", Type::Leaf),
    ("fsType", Type::Leaf),
    ("nodePublishSecretRef", Type::Object(&LOCAL_OBJECT_REFERENCE)),
    ("readOnly", Type::Leaf),
    ("volumeAttributes", Type::Map(&Type::Leaf)),
] };

static CAPABILITIES: Fields = Fields { name: "Capabilities", fields: &[
    ("add", Type::List(&Type::Leaf)),
    ("drop", Type::List(&Type::Leaf)),
] };

static CEPH_FS_PERSISTENT_VOLUME_SOURCE: Fields = Fields { name: "CephFSPersistentVolumeSource", fields: &[
    ("monitors", Type::List(&Type::Leaf)),
    ("path", Type::Leaf),
    ("readOnly", Type::Leaf),
    ("secretFile", Type::Leaf),
    ("secretRef", Type::Object(&SECRET_REFERENCE)),
    ("user", Type::Leaf),
] };

static CEPH_FS_VOLUME_SOURCE: Fields = Fields { name: "CephFSVolumeSource", fields: &[
    ("monitors", Type::List(&Type::Leaf)),
    ("path", Type::Leaf),
    ("readOnly", Type::Leaf),
    ("secretFile", Type::Leaf),
    ("secretRef", Type::Object(&LOCAL_OBJECT_REFERENCE)),
    ("user", Type::Leaf),
] };

static CINDER_PERSISTENT_VOLUME_SOURCE: Fields = Fields { name: "CinderPersistentVolumeSource", fields: &[
    ("fsType", Type::Leaf),
    ("readOnly", Type::Leaf),
    ("secretRef", Type::Object(&SECRET_REFERENCE)),
    ("volumeID", Type::Leaf),
] };

static CINDER_VOLUME_SOURCE: Fields = Fields { name: "CinderVolumeSource", fields: &[
    ("fsType", Type::Leaf),
    ("readOnly", Type::Leaf),
    ("secretRef", Type::Object(&LOCAL_OBJECT_REFERENCE)),
    ("volumeID", Type::Leaf),
] };

static CLIENT_IP_CONFIG: Fields = Fields { name: "ClientIPConfig", fields: &[
    ("timeoutSeconds", Type::Leaf),
] };

static CLUSTER_TRUST_BUNDLE_PROJECTION: Fields = Fields { name: "ClusterTrustBundleProjection", fields: &[
    ("labelSelector", Type::Object(&LABEL_SELECTOR)),
    ("name", Type::Leaf),
    ("optional", Type::Leaf),
    ("path", Type::Leaf),
    ("signerName", Type::Leaf),
] };

static CONDITION: Fields = Fields { name: "Condition", fields: &[
    ("lastTransitionTime", Type::Leaf),
    ("message", Type::Leaf),
    ("observedGeneration", Type::Leaf),
    ("reason", Type::Leaf),
    ("status", Type::Leaf),
    ("type", Type::Leaf),
] };

static CONFIG_MAP_ENV_SOURCE: Fields = Fields { name: "ConfigMapEnvSource", fields: &[
    ("name", Type::Leaf),
    ("optional", Type::Leaf),
] };

static CONFIG_MAP_KEY_SELECTOR: Fields = Fields { name: "ConfigMapKeySelector", fields: &[
    ("key", Type::Leaf),
    ("name", Type::Leaf),
    ("optional", Type::Leaf),
] };

static CONFIG_MAP_NODE_CONFIG_SOURCE: Fields = Fields { name: "ConfigMapNodeConfigSource", fields: &[
    ("kubeletConfigKey", Type::Leaf),
    ("name", Type::Leaf),
    ("namespace", Type::Leaf),
    ("resourceVersion", Type::Leaf),
    ("uid", Type::Leaf),
] };

static CONFIG_MAP_PROJECTION: Fields = Fields { name: "ConfigMapProjection", fields: &[
    ("items", Type::List(&Type::Object(&KEY_TO_PATH))),
    ("name", Type::Leaf),
    ("optional", Type::Leaf),
] };

static CONFIG_MAP_VOLUME_SOURCE: Fields = Fields { name: "ConfigMapVolumeSource", fields: &[
    ("defaultMode", Type::Leaf),
    ("items", Type::List(&Type::Object(&KEY_TO_PATH))),
    ("name", Type::Leaf),
    ("optional", Type::Leaf),
] };

static CONTAINER: Fields = Fields { name: "Container", fields: &[
    ("args", Type::List(&Type::Leaf)),
    ("command", Type::List(&Type::Leaf)),
    ("env", Type::List(&Type::Object(&ENV_VAR))),
    ("envFrom", Type::List(&Type::Object(&ENV_FROM_SOURCE))),
    ("image", Type::Leaf),
    ("imagePullPolicy", Type::Leaf),
    ("lifecycle", Type::Object(&LIFECYCLE)),
    ("livenessProbe", Type::Object(&PROBE)),
    ("name", Type::Leaf),
    ("ports", Type::List(&Type::Object(&CONTAINER_PORT))),
    ("readinessProbe", Type::Object(&PROBE)),
    ("resizePolicy", Type::List(&Type::Object(&CONTAINER_RESIZE_POLICY))),
    ("resources", Type::Object(&RESOURCE_REQUIREMENTS)),
    ("restartPolicy", Type::Leaf),
    ("restartPolicyRules", Type::List(&Type::Object(&CONTAINER_RESTART_RULE))),
    ("securityContext", Type::Object(&SECURITY_CONTEXT)),
    ("startupProbe", Type::Object(&PROBE)),
    ("stdin", Type::Leaf),
    ("stdinOnce", Type::Leaf),
    ("terminationMessagePath", Type::Leaf),
    ("terminationMessagePolicy", Type::Leaf),
    ("tty", Type::Leaf),
    ("volumeDevices", Type::List(&Type::Object(&VOLUME_DEVICE))),
    ("volumeMounts", Type::List(&Type::Object(&VOLUME_MOUNT))),
    ("workingDir", Type::Leaf),
] };

static CONTAINER_EXTENDED_RESOURCE_REQUEST: Fields = Fields { name: "ContainerExtendedResourceRequest", fields: &[
    ("containerName", Type::Leaf),
    ("requestName", Type::Leaf),
    ("resourceName", Type::Leaf),
] };

static CONTAINER_IMAGE: Fields = Fields { name: "ContainerImage", fields: &[
    ("names", Type::List(&Type::Leaf)),
    ("sizeBytes", Type::Leaf),
] };

static CONTAINER_PORT: Fields = Fields { name: "ContainerPort", fields: &[
    ("containerPort", Type::Leaf),
    ("hostIP", Type::Leaf),
    ("hostPort", Type::Leaf),
    ("name", Type::Leaf),
    ("protocol", Type::Leaf),
] };

static CONTAINER_RESIZE_POLICY: Fields = Fields { name: "ContainerResizePolicy", fields: &[
    ("resourceName", Type::Leaf),
    ("restartPolicy", Type::Leaf),
] };

static CONTAINER_RESTART_RULE: Fields = Fields { name: "ContainerRestartRule", fields: &[
    ("action", Type::Leaf),
    ("exitCodes", Type::Object(&CONTAINER_RESTART_RULE_ON_EXIT_CODES)),
] };

static CONTAINER_RESTART_RULE_ON_EXIT_CODES: Fields = Fields { name: "ContainerRestartRuleOnExitCodes", fields: &[
    ("operator", Type::Leaf),
    ("values", Type::List(&Type::Leaf)),
] };

static CONTAINER_STATE: Fields = Fields { name: "ContainerState", fields: &[
    ("running", Type::Object(&CONTAINER_STATE_RUNNING)),
    ("terminated", Type::Object(&CONTAINER_STATE_TERMINATED)),
    ("waiting", Type::Object(&CONTAINER_STATE_WAITING)),
] };

static CONTAINER_STATE_RUNNING: Fields = Fields { name: "ContainerStateRunning", fields: &[
    ("startedAt", Type::Leaf),
] };

static CONTAINER_STATE_TERMINATED: Fields = Fields { name: "ContainerStateTerminated", fields: &[
    ("containerID", Type::Leaf),
    ("exitCode", Type::Leaf),
    ("finishedAt", Type::Leaf),
    ("message", Type::Leaf),
    ("reason", Type::Leaf),
    ("signal", Type::Leaf),
    ("startedAt", Type::Leaf),
] };

static CONTAINER_STATE_WAITING: Fields = Fields { name: "ContainerStateWaiting", fields: &[
    ("message", Type::Leaf),
    ("reason", Type::Leaf),
] };

static CONTAINER_STATUS: Fields = Fields { name: "ContainerStatus", fields: &[
    ("allocatedResources", Type::Map(&Type::Leaf)),
    ("allocatedResourcesStatus", Type::List(&Type::Object(&RESOURCE_STATUS))),
    ("containerID", Type::Leaf),
    ("image", Type::Leaf),
    ("imageID", Type::Leaf),
    ("lastState", Type::Object(&CONTAINER_STATE)),
    ("name", Type::Leaf),
    ("ready", Type::Leaf),
    ("resources", Type::Object(&RESOURCE_REQUIREMENTS)),
    ("restartCount", Type::Leaf),
    ("started", Type::Leaf),
    ("state", Type::Object(&CONTAINER_STATE)),
    ("stopSignal", Type::Leaf),
    ("user", Type::Object(&CONTAINER_USER)),
    ("volumeMounts", Type::List(&Type::Object(&VOLUME_MOUNT_STATUS))),
] };

static CONTAINER_USER: Fields = Fields { name: "ContainerUser", fields: &[
    ("linux", Type::Object(&LINUX_CONTAINER_USER)),
] };

static CRON_JOB: Fields = Fields { name: "CronJob", fields: &[
    ("apiVersion", Type::Leaf),
    ("kind", Type::Leaf),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&CRON_JOB_SPEC)),
    ("status", Type::Object(&CRON_JOB_STATUS)),
] };

static CRON_JOB_SPEC: Fields = Fields { name: "CronJobSpec", fields: &[
    ("concurrencyPolicy", Type::Leaf),
    ("failedJobsHistoryLimit", Type::Leaf),
    ("jobTemplate", Type::Object(&JOB_TEMPLATE_SPEC)),
    ("schedule", Type::Leaf),
    ("startingDeadlineSeconds", Type::Leaf),
    ("successfulJobsHistoryLimit", Type::Leaf),
    ("suspend", Type::Leaf),
    ("timeZone", Type::Leaf),
] };

static CRON_JOB_STATUS: Fields = Fields { name: "CronJobStatus", fields: &[
    ("active", Type::List(&Type::Object(&OBJECT_REFERENCE))),
    ("lastScheduleTime", Type::Leaf),
    ("lastSuccessfulTime", Type::Leaf),
] };

static DAEMON_ENDPOINT: Fields = Fields { name: "DaemonEndpoint", fields: &[
    ("Port", Type::Leaf),
] };

static DAEMON_SET: Fields = Fields { name: "DaemonSet", fields: &[
    ("apiVersion", Type::Leaf),
    ("kind", Type::Leaf),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&DAEMON_SET_SPEC)),
    ("status", Type::Object(&DAEMON_SET_STATUS)),
] };

static DAEMON_SET_CONDITION: Fields = Fields { name: "DaemonSetCondition", fields: &[
    ("lastTransitionTime", Type::Leaf),
    ("message", Type::Leaf),
    ("reason", Type::Leaf),
    ("status", Type::Leaf),
    ("type", Type::Leaf),
] };

static DAEMON_SET_SPEC: Fields = Fields { name: "DaemonSetSpec", fields: &[
    ("minReadySeconds", Type::Leaf),
    ("revisionHistoryLimit", Type::Leaf),
    ("selector", Type::Object(&LABEL_SELECTOR)),
    ("template", Type::Object(&POD_TEMPLATE_SPEC)),
    ("updateStrategy", Type::Object(&DAEMON_SET_UPDATE_STRATEGY)),
] };

static DAEMON_SET_STATUS: Fields = Fields { name: "DaemonSetStatus", fields: &[
    ("collisionCount", Type::Leaf),
    ("conditions", Type::List(&Type::Object(&DAEMON_SET_CONDITION))),
    ("currentNumberScheduled", Type::Leaf),
    ("desiredNumberScheduled", Type::Leaf),
    ("numberAvailable", Type::Leaf),
    ("numberMisscheduled", Type::Leaf),
    ("numberReady", Type::Leaf),
    ("numberUnavailable", Type::Leaf),
    ("observedGeneration", Type::Leaf),
    ("updatedNumberScheduled", Type::Leaf),
] };

static DAEMON_SET_UPDATE_STRATEGY: Fields = Fields { name: "DaemonSetUpdateStrategy", fields: &[
    ("rollingUpdate", Type::Object(&ROLLING_UPDATE_DAEMON_SET)),
    ("type", Type::Leaf),
] };

static DELETE_OPTIONS: Fields = Fields { name: "DeleteOptions", fields: &[
    ("apiVersion", Type::Leaf),
    ("dryRun", Type::List(&Type::Leaf)),
    ("gracePeriodSeconds", Type::Leaf),
    ("ignoreStoreReadErrorWithClusterBreakingPotential", Type::Leaf),
    ("kind", Type::Leaf),
    ("orphanDependents", Type::Leaf),
    ("preconditions", Type::Object(&PRECONDITIONS)),
    ("propagationPolicy", Type::Leaf),
] };

static DEPLOYMENT: Fields = Fields { name: "Deployment", fields: &[
    ("apiVersion", Type::Leaf),
    ("kind", Type::Leaf),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&DEPLOYMENT_SPEC)),
    ("status", Type::Object(&DEPLOYMENT_STATUS)),
] };

static DEPLOYMENT_CONDITION: Fields = Fields { name: "DeploymentCondition", fields: &[
    ("lastTransitionTime", Type::Leaf),
    ("lastUpdateTime", Type::Leaf),
    ("message", Type::Leaf),
    ("reason", Type::Leaf),
    ("status", Type::Leaf),
    ("type", Type::Leaf),
] };

static DEPLOYMENT_SPEC: Fields = Fields { name: "DeploymentSpec", fields: &[
    ("minReadySeconds", Type::Leaf),
    ("paused", Type::Leaf),
    ("progressDeadlineSeconds", Type::Leaf),
    ("replicas", Type::Leaf),
    ("revisionHistoryLimit", Type::Leaf),
    ("selector", Type::Object(&LABEL_SELECTOR)),
    ("strategy", Type::Object(&DEPLOYMENT_STRATEGY)),
    ("template", Type::Object(&POD_TEMPLATE_SPEC)),
] };

static DEPLOYMENT_STATUS: Fields = Fields { name: "DeploymentStatus", fields: &[
    ("availableReplicas", Type::Leaf),
    ("collisionCount", Type::Leaf),
    ("conditions", Type::List(&Type::Object(&DEPLOYMENT_CONDITION))),
    ("observedGeneration", Type::Leaf),
    ("readyReplicas", Type::Leaf),
    ("replicas", Type::Leaf),
    ("terminatingReplicas", Type::Leaf),
    ("unavailableReplicas", Type::Leaf),
    ("updatedReplicas", Type::Leaf),
] };

static DEPLOYMENT_STRATEGY: Fields = Fields { name: "DeploymentStrategy", fields: &[
    ("rollingUpdate", Type::Object(&ROLLING_UPDATE_DEPLOYMENT)),
    ("type", Type::Leaf),
] };

static DOWNWARD_API_PROJECTION: Fields = Fields { name: "DownwardAPIProjection", fields: &[
    ("items", Type::List(&Type::Object(&DOWNWARD_API_VOLUME_FILE))),
] };

static DOWNWARD_API_VOLUME_FILE: Fields = Fields { name: "DownwardAPIVolumeFile", fields: &[
    ("fieldRef", Type::Object(&OBJECT_FIELD_SELECTOR)),
    ("mode", Type::Leaf),
    ("path", Type::Leaf),
    ("resourceFieldRef", Type::Object(&RESOURCE_FIELD_SELECTOR)),
] };

static DOWNWARD_API_VOLUME_SOURCE: Fields = Fields { name: "DownwardAPIVolumeSource", fields: &[
    ("defaultMode", Type::Leaf),
    ("items", Type::List(&Type::Object(&DOWNWARD_API_VOLUME_FILE))),
] };

static EMPTY_DIR_VOLUME_SOURCE: Fields = Fields { name: "EmptyDirVolumeSource", fields: &[
    ("medium", Type::Leaf),
    ("sizeLimit", Type::Leaf),
] };

static ENV_FROM_SOURCE: Fields = Fields { name: "EnvFromSource", fields: &[
    ("configMapRef", Type::Object(&CONFIG_MAP_ENV_SOURCE)),
    ("prefix", Type::Leaf),
    ("secretRef", Type::Object(&SECRET_ENV_SOURCE)),
] };

static ENV_VAR: Fields = Fields { name: "EnvVar", fields: &[
    ("name", Type::Leaf),
    ("value", Type::Leaf),
    ("valueFrom", Type::Object(&ENV_VAR_SOURCE)),
] };

static ENV_VAR_SOURCE: Fields = Fields { name: "EnvVarSource", fields: &[
    ("configMapKeyRef", Type::Object(&CONFIG_MAP_KEY_SELECTOR)),
    ("fieldRef", Type::Object(&OBJECT_FIELD_SELECTOR)),
    ("fileKeyRef", Type::Object(&FILE_KEY_SELECTOR)),
    ("resourceFieldRef", Type::Object(&RESOURCE_FIELD_SELECTOR)),
    ("secretKeyRef", Type::Object(&SECRET_KEY_SELECTOR)),
] };

static EPHEMERAL_CONTAINER: Fields = Fields { name: "EphemeralContainer", fields: &[
    ("args", Type::List(&Type::Leaf)),
    ("command", Type::List(&Type::Leaf)),
    ("env", Type::List(&Type::Object(&ENV_VAR))),
    ("envFrom", Type::List(&Type::Object(&ENV_FROM_SOURCE))),
    ("image", Type::Leaf),
    ("imagePullPolicy", Type::Leaf),
    ("lifecycle", Type::Object(&LIFECYCLE)),
    ("livenessProbe", Type::Object(&PROBE)),
    ("name", Type::Leaf),
    ("ports", Type::List(&Type::Object(&CONTAINER_PORT))),
    ("readinessProbe", Type::Object(&PROBE)),
    ("resizePolicy", Type::List(&Type::Object(&CONTAINER_RESIZE_POLICY))),
    ("resources", Type::Object(&RESOURCE_REQUIREMENTS)),
    ("restartPolicy", Type::Leaf),
    ("restartPolicyRules", Type::List(&Type::Object(&CONTAINER_RESTART_RULE))),
    ("securityContext", Type::Object(&SECURITY_CONTEXT)),
    ("startupProbe", Type::Object(&PROBE)),
    ("stdin", Type::Leaf),
    ("stdinOnce", Type::Leaf),
    ("targetContainerName", Type::Leaf),
    ("terminationMessagePath", Type::Leaf),
    ("terminationMessagePolicy", Type::Leaf),
    ("tty", Type::Leaf),
    ("volumeDevices", Type::List(&Type::Object(&VOLUME_DEVICE))),
    ("volumeMounts", Type::List(&Type::Object(&VOLUME_MOUNT))),
    ("workingDir", Type::Leaf),
] };

static EPHEMERAL_VOLUME_SOURCE: Fields = Fields { name: "EphemeralVolumeSource", fields: &[
    ("volumeClaimTemplate", Type::Object(&PERSISTENT_VOLUME_CLAIM_TEMPLATE)),
] };

static EVICTION: Fields = Fields { name: "Eviction", fields: &[
    ("apiVersion", Type::Leaf),
    ("deleteOptions", Type::Object(&DELETE_OPTIONS)),
    ("kind", Type::Leaf),
    ("metadata", Type::Object(&OBJECT_META)),
] };

static EXEC_ACTION: Fields = Fields { name: "ExecAction", fields: &[
    ("command", Type::List(&Type::Leaf)),
] };

static FC_VOLUME_SOURCE: Fields = Fields { name: "FCVolumeSource", fields: &[
    ("fsType", Type::Leaf),
    ("lun", Type::Leaf),
    ("readOnly", Type::Leaf),
    ("targetWWNs", Type::List(&Type::Leaf)),
    ("wwids", Type::List(&Type::Leaf)),
] };

static FILE_KEY_SELECTOR: Fields = Fields { name: "FileKeySelector", fields: &[
    ("key", Type::Leaf),
    ("optional", Type::Leaf),
    ("path", Type::Leaf),
    ("volumeName", Type::Leaf),
] };

static FLEX_PERSISTENT_VOLUME_SOURCE: Fields = Fields { name: "FlexPersistentVolumeSource", fields: &[
    ("driver", Type::Leaf),
    ("fsType", Type::Leaf),
    ("options", Type::Map(&Type::Leaf)),
    ("readOnly", Type::Leaf),
    ("secretRef", Type::Object(&SECRET_REFERENCE)),
] };

static FLEX_VOLUME_SOURCE: Fields = Fields { name: "FlexVolumeSource", fields: &[
    ("driver", Type::Leaf),
    ("fsType", Type::Leaf),
    ("options", Type::Map(&Type::Leaf)),
    ("readOnly", Type::Leaf),
    ("secretRef", Type::Object(&LOCAL_OBJECT_REFERENCE)),
] };

static FLOCKER_VOLUME_SOURCE: Fields = Fields { name: "FlockerVolumeSource", fields: &[
    ("datasetName", Type::Leaf),
    ("datasetUUID", Type::Leaf),
] };

static GCE_PERSISTENT_DISK_VOLUME_SOURCE: Fields = Fields { name: "GCEPersistentDiskVolumeSource", fields: &[
    ("fsType", Type::Leaf),
    ("partition", Type::Leaf),
    ("pdName", Type::Leaf),
    ("readOnly", Type::Leaf),
] };

static GRPC_ACTION: Fields = Fields { name: "GRPCAction", fields: &[
    ("port", Type::Leaf),
    ("service", Type::Leaf),
] };

static GIT_REPO_VOLUME_SOURCE: Fields = Fields { name: "GitRepoVolumeSource", fields: &[
    ("directory", Type::Leaf),
    ("repository", Type::Leaf),
    ("revision", Type::Leaf),
] };

static GLUSTERFS_PERSISTENT_VOLUME_SOURCE: Fields = Fields { name: "GlusterfsPersistentVolumeSource", fields: &[
    ("endpoints", Type::Leaf),
    ("endpointsNamespace", Type::Leaf),
    ("path", Type::Leaf),
    ("readOnly", Type::Leaf),
] };

static GLUSTERFS_VOLUME_SOURCE: Fields = Fields { name: "GlusterfsVolumeSource", fields: &[
    ("endpoints", Type::Leaf),
    ("path", Type::Leaf),
    ("readOnly", Type::Leaf),
] };

static HTTP_GET_ACTION: Fields = Fields { name: "HTTPGetAction", fields: &[
    ("host", Type::Leaf),
    ("httpHeaders", Type::List(&Type::Object(&HTTP_HEADER))),
    ("path", Type::Leaf),
    ("port", Type::Leaf),
    ("scheme", Type::Leaf),
] };

static HTTP_HEADER: Fields = Fields { name: "HTTPHeader", fields: &[
    ("name", Type::Leaf),
    ("value", Type::Leaf),
] };

static HOST_ALIAS: Fields = Fields { name: "HostAlias", fields: &[
    ("hostnames", Type::List(&Type::Leaf)),
    ("ip", Type::Leaf),
] };

static HOST_IP: Fields = Fields { name: "HostIP", fields: &[
    ("ip", Type::Leaf),
] };

static HOST_PATH_VOLUME_SOURCE: Fields = Fields { name: "HostPathVolumeSource", fields: &[
    ("path", Type::Leaf),
    ("type", Type::Leaf),
] };

static ISCSI_PERSISTENT_VOLUME_SOURCE: Fields = Fields { name: "ISCSIPersistentVolumeSource", fields: &[
    ("chapAuthDiscovery", Type::Leaf),
    ("chapAuthSession", Type::Leaf),
    ("fsType", Type::Leaf),
    ("initiatorName", Type::Leaf),
    ("iqn", Type::Leaf),
    ("iscsiInterface", Type::Leaf),
    ("lun", Type::Leaf),
    ("portals", Type::List(&Type::Leaf)),
    ("readOnly", Type::Leaf),
    ("secretRef", Type::Object(&SECRET_REFERENCE)),
    ("targetPortal", Type::Leaf),
] };

static ISCSI_VOLUME_SOURCE: Fields = Fields { name: "ISCSIVolumeSource", fields: &[
    ("chapAuthDiscovery", Type::Leaf),
    ("chapAuthSession", Type::Leaf),
    ("fsType", Type::Leaf),
    ("initiatorName", Type::Leaf),
    ("iqn", Type::Leaf),
    ("iscsiInterface", Type::Leaf),
    ("lun", Type::Leaf),
    ("portals", Type::List(&Type::Leaf)),
    ("readOnly", Type::Leaf),
    ("secretRef", Type::Object(&LOCAL_OBJECT_REFERENCE)),
    ("targetPortal", Type::Leaf),
] };

static IMAGE_VOLUME_SOURCE: Fields = Fields { name: "ImageVolumeSource", fields: &[
    ("pullPolicy", Type::Leaf),
    ("reference", Type::Leaf),
] };

static IMAGE_VOLUME_STATUS: Fields = Fields { name: "ImageVolumeStatus", fields: &[
    ("imageRef", Type::Leaf),
] };

static JOB: Fields = Fields { name: "Job", fields: &[
    ("apiVersion", Type::Leaf),
    ("kind", Type::Leaf),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&JOB_SPEC)),
    ("status", Type::Object(&JOB_STATUS)),
] };

static JOB_CONDITION: Fields = Fields { name: "JobCondition", fields: &[
    ("lastProbeTime", Type::Leaf),
    ("lastTransitionTime", Type::Leaf),
    ("message", Type::Leaf),
    ("reason", Type::Leaf),
    ("status", Type::Leaf),
    ("type", Type::Leaf),
] };

static JOB_SPEC: Fields = Fields { name: "JobSpec", fields: &[
    ("activeDeadlineSeconds", Type::Leaf),
    ("backoffLimit", Type::Leaf),
    ("backoffLimitPerIndex", Type::Leaf),
    ("completionMode", Type::Leaf),
    ("completions", Type::Leaf),
    ("managedBy", Type::Leaf),
    ("manualSelector", Type::Leaf),
    ("maxFailedIndexes", Type::Leaf),
    ("parallelism", Type::Leaf),
    ("podFailurePolicy", Type::Object(&POD_FAILURE_POLICY)),
    ("podReplacementPolicy", Type::Leaf),
    ("selector", Type::Object(&LABEL_SELECTOR)),
    ("successPolicy", Type::Object(&SUCCESS_POLICY)),
    ("suspend", Type::Leaf),
    ("template", Type::Object(&POD_TEMPLATE_SPEC)),
    ("ttlSecondsAfterFinished", Type::Leaf),
] };

static JOB_STATUS: Fields = Fields { name: "JobStatus", fields: &[
    ("active", Type::Leaf),
    ("completedIndexes", Type::Leaf),
    ("completionTime", Type::Leaf),
    ("conditions", Type::List(&Type::Object(&JOB_CONDITION))),
    ("failed", Type::Leaf),
    ("failedIndexes", Type::Leaf),
    ("ready", Type::Leaf),
    ("startTime", Type::Leaf),
    ("succeeded", Type::Leaf),
    ("terminating", Type::Leaf),
    ("uncountedTerminatedPods", Type::Object(&UNCOUNTED_TERMINATED_PODS)),
] };

static JOB_TEMPLATE_SPEC: Fields = Fields { name: "JobTemplateSpec", fields: &[
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&JOB_SPEC)),
] };

static KEY_TO_PATH: Fields = Fields { name: "KeyToPath", fields: &[
    ("key", Type::Leaf),
    ("mode", Type::Leaf),
    ("path", Type::Leaf),
] };

static LABEL_SELECTOR: Fields = Fields { name: "LabelSelector", fields: &[
    ("matchExpressions", Type::List(&Type::Object(&LABEL_SELECTOR_REQUIREMENT))),
    ("matchLabels", Type::Map(&Type::Leaf)),
] };

static LABEL_SELECTOR_REQUIREMENT: Fields = Fields { name: "LabelSelectorRequirement", fields: &[
    ("key", Type::Leaf),
    ("operator", Type::Leaf),
    ("values", Type::List(&Type::Leaf)),
] };

static LIFECYCLE: Fields = Fields { name: "Lifecycle", fields: &[
    ("postStart", Type::Object(&LIFECYCLE_HANDLER)),
    ("preStop", Type::Object(&LIFECYCLE_HANDLER)),
    ("stopSignal", Type::Leaf),
] };

static LIFECYCLE_HANDLER: Fields = Fields { name: "LifecycleHandler", fields: &[
    ("exec", Type::Object(&EXEC_ACTION)),
    ("httpGet", Type::Object(&HTTP_GET_ACTION)),
    ("sleep", Type::Object(&SLEEP_ACTION)),
    ("tcpSocket", Type::Object(&TCP_SOCKET_ACTION)),
] };

static LINUX_CONTAINER_USER: Fields = Fields { name: "LinuxContainerUser", fields: &[
    ("gid", Type::Leaf),
    ("supplementalGroups", Type::List(&Type::Leaf)),
    ("uid", Type::Leaf),
] };

static LOAD_BALANCER_INGRESS: Fields = Fields { name: "LoadBalancerIngress", fields: &[
    ("hostname", Type::Leaf),
    ("ip", Type::Leaf),
    ("ipMode", Type::Leaf),
    ("ports", Type::List(&Type::Object(&PORT_STATUS))),
] };

static LOAD_BALANCER_STATUS: Fields = Fields { name: "LoadBalancerStatus", fields: &[
    ("ingress", Type::List(&Type::Object(&LOAD_BALANCER_INGRESS))),
] };

static LOCAL_OBJECT_REFERENCE: Fields = Fields { name: "LocalObjectReference", fields: &[
    ("name", Type::Leaf),
] };

static LOCAL_VOLUME_SOURCE: Fields = Fields { name: "LocalVolumeSource", fields: &[
    ("fsType", Type::Leaf),
    ("path", Type::Leaf),
] };

static MANAGED_FIELDS_ENTRY: Fields = Fields { name: "ManagedFieldsEntry", fields: &[
    ("apiVersion", Type::Leaf),
    ("fieldsType", Type::Leaf),
    ("fieldsV1", Type::Leaf),
    ("manager", Type::Leaf),
    ("operation", Type::Leaf),
    ("subresource", Type::Leaf),
    ("time", Type::Leaf),
] };

static MODIFY_VOLUME_STATUS: Fields = Fields { name: "ModifyVolumeStatus", fields: &[
    ("status", Type::Leaf),
    ("targetVolumeAttributesClassName", Type::Leaf),
] };

static NFS_VOLUME_SOURCE: Fields = Fields { name: "NFSVolumeSource", fields: &[
    ("path", Type::Leaf),
    ("readOnly", Type::Leaf),
    ("server", Type::Leaf),
] };

static NAMESPACE: Fields = Fields { name: "Namespace", fields: &[
    ("apiVersion", Type::Leaf),
    ("kind", Type::Leaf),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&NAMESPACE_SPEC)),
    ("status", Type::Object(&NAMESPACE_STATUS)),
] };

static NAMESPACE_CONDITION: Fields = Fields { name: "NamespaceCondition", fields: &[
    ("lastTransitionTime", Type::Leaf),
    ("message", Type::Leaf),
    ("reason", Type::Leaf),
    ("status", Type::Leaf),
    ("type", Type::Leaf),
] };

static NAMESPACE_SPEC: Fields = Fields { name: "NamespaceSpec", fields: &[
    ("finalizers", Type::List(&Type::Leaf)),
] };

static NAMESPACE_STATUS: Fields = Fields { name: "NamespaceStatus", fields: &[
    ("conditions", Type::List(&Type::Object(&NAMESPACE_CONDITION))),
    ("phase", Type::Leaf),
] };

static NODE: Fields = Fields { name: "Node", fields: &[
    ("apiVersion", Type::Leaf),
    ("kind", Type::Leaf),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&NODE_SPEC)),
    ("status", Type::Object(&NODE_STATUS)),
] };

static NODE_ADDRESS: Fields = Fields { name: "NodeAddress", fields: &[
    ("address", Type::Leaf),
    ("type", Type::Leaf),
] };

static NODE_AFFINITY: Fields = Fields { name: "NodeAffinity", fields: &[
    ("preferredDuringSchedulingIgnoredDuringExecution", Type::List(&Type::Object(&PREFERRED_SCHEDULING_TERM))),
    ("requiredDuringSchedulingIgnoredDuringExecution", Type::Object(&NODE_SELECTOR)),
] };

static NODE_ALLOCATABLE_RESOURCE_CLAIM_STATUS: Fields = Fields { name: "NodeAllocatableResourceClaimStatus", fields: &[
    ("containers", Type::List(&Type::Leaf)),
    ("resourceClaimName", Type::Leaf),
    ("resources", Type::Map(&Type::Leaf)),
] };

static NODE_CONDITION: Fields = Fields { name: "NodeCondition", fields: &[
    ("lastHeartbeatTime", Type::Leaf),
    ("lastTransitionTime", Type::Leaf),
    ("message", Type::Leaf),
    ("reason", Type::Leaf),
    ("status", Type::Leaf),
    ("type", Type::Leaf),
] };

static NODE_CONFIG_SOURCE: Fields = Fields { name: "NodeConfigSource", fields: &[
    ("configMap", Type::Object(&CONFIG_MAP_NODE_CONFIG_SOURCE)),
] };

static NODE_CONFIG_STATUS: Fields = Fields { name: "NodeConfigStatus", fields: &[
    ("active", Type::Object(&NODE_CONFIG_SOURCE)),
    ("assigned", Type::Object(&NODE_CONFIG_SOURCE)),
    ("error", Type::Leaf),
    ("lastKnownGood", Type::Object(&NODE_CONFIG_SOURCE)),
] };

static NODE_DAEMON_ENDPOINTS: Fields = Fields { name: "NodeDaemonEndpoints", fields: &[
    ("kubeletEndpoint", Type::Object(&DAEMON_ENDPOINT)),
] };

static NODE_FEATURES: Fields = Fields { name: "NodeFeatures", fields: &[
    ("supplementalGroupsPolicy", Type::Leaf),
] };

static NODE_RUNTIME_HANDLER: Fields = Fields { name: "NodeRuntimeHandler", fields: &[
    ("features", Type::Object(&NODE_RUNTIME_HANDLER_FEATURES)),
    ("name", Type::Leaf),
] };

static NODE_RUNTIME_HANDLER_FEATURES: Fields = Fields { name: "NodeRuntimeHandlerFeatures", fields: &[
    ("recursiveReadOnlyMounts", Type::Leaf),
    ("userNamespaces", Type::Leaf),
] };

static NODE_SELECTOR: Fields = Fields { name: "NodeSelector", fields: &[
    ("nodeSelectorTerms", Type::List(&Type::Object(&NODE_SELECTOR_TERM))),
] };

static NODE_SELECTOR_REQUIREMENT: Fields = Fields { name: "NodeSelectorRequirement", fields: &[
    ("key", Type::Leaf),
    ("operator", Type::Leaf),
    ("values", Type::List(&Type::Leaf)),
] };

static NODE_SELECTOR_TERM: Fields = Fields { name: "NodeSelectorTerm", fields: &[
    ("matchExpressions", Type::List(&Type::Object(&NODE_SELECTOR_REQUIREMENT))),
    ("matchFields", Type::List(&Type::Object(&NODE_SELECTOR_REQUIREMENT))),
] };

static NODE_SPEC: Fields = Fields { name: "NodeSpec", fields: &[
    ("configSource", Type::Object(&NODE_CONFIG_SOURCE)),
    ("externalID", Type::Leaf),
    ("podCIDR", Type::Leaf),
    ("podCIDRs", Type::List(&Type::Leaf)),
    ("providerID", Type::Leaf),
    ("taints", Type::List(&Type::Object(&TAINT))),
    ("unschedulable", Type::Leaf),
] };

static NODE_STATUS: Fields = Fields { name: "NodeStatus", fields: &[
    ("addresses", Type::List(&Type::Object(&NODE_ADDRESS))),
    ("allocatable", Type::Map(&Type::Leaf)),
    ("capacity", Type::Map(&Type::Leaf)),
    ("conditions", Type::List(&Type::Object(&NODE_CONDITION))),
    ("config", Type::Object(&NODE_CONFIG_STATUS)),
    ("daemonEndpoints", Type::Object(&NODE_DAEMON_ENDPOINTS)),
    ("declaredFeatures", Type::List(&Type::Leaf)),
    ("features", Type::Object(&NODE_FEATURES)),
    ("images", Type::List(&Type::Object(&CONTAINER_IMAGE))),
    ("nodeInfo", Type::Object(&NODE_SYSTEM_INFO)),
    ("phase", Type::Leaf),
    ("runtimeHandlers", Type::List(&Type::Object(&NODE_RUNTIME_HANDLER))),
    ("volumesAttached", Type::List(&Type::Object(&ATTACHED_VOLUME))),
    ("volumesInUse", Type::List(&Type::Leaf)),
] };

static NODE_SWAP_STATUS: Fields = Fields { name: "NodeSwapStatus", fields: &[
    ("capacity", Type::Leaf),
] };

static NODE_SYSTEM_INFO: Fields = Fields { name: "NodeSystemInfo", fields: &[
    ("architecture", Type::Leaf),
    ("bootID", Type::Leaf),
    ("containerRuntimeVersion", Type::Leaf),
    ("kernelVersion", Type::Leaf),
    ("kubeProxyVersion", Type::Leaf),
    ("kubeletVersion", Type::Leaf),
    ("machineID", Type::Leaf),
    ("operatingSystem", Type::Leaf),
    ("osImage", Type::Leaf),
    ("swap", Type::Object(&NODE_SWAP_STATUS)),
    ("systemUUID", Type::Leaf),
] };

static OBJECT_FIELD_SELECTOR: Fields = Fields { name: "ObjectFieldSelector", fields: &[
    ("apiVersion", Type::Leaf),
    ("fieldPath", Type::Leaf),
] };

static OBJECT_META: Fields = Fields { name: "ObjectMeta", fields: &[
    ("annotations", Type::Map(&Type::Leaf)),
    ("creationTimestamp", Type::Leaf),
    ("deletionGracePeriodSeconds", Type::Leaf),
    ("deletionTimestamp", Type::Leaf),
    ("finalizers", Type::List(&Type::Leaf)),
    ("generateName", Type::Leaf),
    ("generation", Type::Leaf),
    ("labels", Type::Map(&Type::Leaf)),
    ("managedFields", Type::List(&Type::Object(&MANAGED_FIELDS_ENTRY))),
    ("name", Type::Leaf),
    ("namespace", Type::Leaf),
    ("ownerReferences", Type::List(&Type::Object(&OWNER_REFERENCE))),
    ("resourceVersion", Type::Leaf),
    ("selfLink", Type::Leaf),
    ("uid", Type::Leaf),
] };

static OBJECT_REFERENCE: Fields = Fields { name: "ObjectReference", fields: &[
    ("apiVersion", Type::Leaf),
    ("fieldPath", Type::Leaf),
    ("kind", Type::Leaf),
    ("name", Type::Leaf),
    ("namespace", Type::Leaf),
    ("resourceVersion", Type::Leaf),
    ("uid", Type::Leaf),
] };

static OWNER_REFERENCE: Fields = Fields { name: "OwnerReference", fields: &[
    ("apiVersion", Type::Leaf),
    ("blockOwnerDeletion", Type::Leaf),
    ("controller", Type::Leaf),
    ("kind", Type::Leaf),
    ("name", Type::Leaf),
    ("uid", Type::Leaf),
] };

static PERSISTENT_VOLUME: Fields = Fields { name: "PersistentVolume", fields: &[
    ("apiVersion", Type::Leaf),
    ("kind", Type::Leaf),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&PERSISTENT_VOLUME_SPEC)),
    ("status", Type::Object(&PERSISTENT_VOLUME_STATUS)),
] };

static PERSISTENT_VOLUME_CLAIM: Fields = Fields { name: "PersistentVolumeClaim", fields: &[
    ("apiVersion", Type::Leaf),
    ("kind", Type::Leaf),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&PERSISTENT_VOLUME_CLAIM_SPEC)),
    ("status", Type::Object(&PERSISTENT_VOLUME_CLAIM_STATUS)),
] };

static PERSISTENT_VOLUME_CLAIM_CONDITION: Fields = Fields { name: "PersistentVolumeClaimCondition", fields: &[
    ("lastProbeTime", Type::Leaf),
    ("lastTransitionTime", Type::Leaf),
    ("message", Type::Leaf),
    ("reason", Type::Leaf),
    ("status", Type::Leaf),
    ("type", Type::Leaf),
] };

static PERSISTENT_VOLUME_CLAIM_SPEC: Fields = Fields { name: "PersistentVolumeClaimSpec", fields: &[
    ("accessModes", Type::List(&Type::Leaf)),
    ("dataSource", Type::Object(&TYPED_LOCAL_OBJECT_REFERENCE)),
    ("dataSourceRef", Type::Object(&TYPED_OBJECT_REFERENCE)),
    ("resources", Type::Object(&VOLUME_RESOURCE_REQUIREMENTS)),
    ("selector", Type::Object(&LABEL_SELECTOR)),
    ("storageClassName", Type::Leaf),
    ("volumeAttributesClassName", Type::Leaf),
    ("volumeMode", Type::Leaf),
    ("volumeName", Type::Leaf),
] };

static PERSISTENT_VOLUME_CLAIM_STATUS: Fields = Fields { name: "PersistentVolumeClaimStatus", fields: &[
    ("accessModes", Type::List(&Type::Leaf)),
    ("allocatedResourceStatuses", Type::Map(&Type::Leaf)),
    ("allocatedResources", Type::Map(&Type::Leaf)),
    ("capacity", Type::Map(&Type::Leaf)),
    ("conditions", Type::List(&Type::Object(&PERSISTENT_VOLUME_CLAIM_CONDITION))),
    ("currentVolumeAttributesClassName", Type::Leaf),
    ("modifyVolumeStatus", Type::Object(&MODIFY_VOLUME_STATUS)),
    ("phase", Type::Leaf),
] };

static PERSISTENT_VOLUME_CLAIM_TEMPLATE: Fields = Fields { name: "PersistentVolumeClaimTemplate", fields: &[
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&PERSISTENT_VOLUME_CLAIM_SPEC)),
] };

static PERSISTENT_VOLUME_CLAIM_VOLUME_SOURCE: Fields = Fields { name: "PersistentVolumeClaimVolumeSource", fields: &[
    ("claimName", Type::Leaf),
    ("readOnly", Type::Leaf),
] };

static PERSISTENT_VOLUME_SPEC: Fields = Fields { name: "PersistentVolumeSpec", fields: &[
    ("accessModes", Type::List(&Type::Leaf)),
    ("awsElasticBlockStore", Type::Object(&AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE)),
    ("azureDisk", Type::Object(&AZURE_DISK_VOLUME_SOURCE)),
    ("azureFile", Type::Object(&AZURE_FILE_PERSISTENT_VOLUME_SOURCE)),
    ("capacity", Type::Map(&Type::Leaf)),
    ("cephfs", Type::Object(&CEPH_FS_PERSISTENT_VOLUME_SOURCE)),
    ("cinder", Type::Object(&CINDER_PERSISTENT_VOLUME_SOURCE)),
    ("claimRef", Type::Object(&OBJECT_REFERENCE)),
    ("csi", Type::Object(&CSI_PERSISTENT_VOLUME_SOURCE)),
    ("fc", Type::Object(&FC_VOLUME_SOURCE)),
    ("flexVolume", Type::Object(&FLEX_PERSISTENT_VOLUME_SOURCE)),
    ("flocker", Type::Object(&FLOCKER_VOLUME_SOURCE)),
    ("gcePersistentDisk", Type::Object(&GCE_PERSISTENT_DISK_VOLUME_SOURCE)),
    ("glusterfs", Type::Object(&GLUSTERFS_PERSISTENT_VOLUME_SOURCE)),
    ("hostPath", Type::Object(&HOST_PATH_VOLUME_SOURCE)),
    ("iscsi", Type::Object(&ISCSI_PERSISTENT_VOLUME_SOURCE)),
    ("local", Type::Object(&LOCAL_VOLUME_SOURCE)),
    ("mountOptions", Type::List(&Type::Leaf)),
    ("nfs", Type::Object(&NFS_VOLUME_SOURCE)),
    ("nodeAffinity", Type::Object(&VOLUME_NODE_AFFINITY)),
    ("persistentVolumeReclaimPolicy", Type::Leaf),
    ("photonPersistentDisk", Type::Object(&PHOTON_PERSISTENT_DISK_VOLUME_SOURCE)),
    ("portworxVolume", Type::Object(&PORTWORX_VOLUME_SOURCE)),
    ("quobyte", Type::Object(&QUOBYTE_VOLUME_SOURCE)),
    ("rbd", Type::Object(&RBD_PERSISTENT_VOLUME_SOURCE)),
    ("scaleIO", Type::Object(&SCALE_IO_PERSISTENT_VOLUME_SOURCE)),
    ("storageClassName", Type::Leaf),
    ("storageos", Type::Object(&STORAGE_OS_PERSISTENT_VOLUME_SOURCE)),
    ("volumeAttributesClassName", Type::Leaf),
    ("volumeMode", Type::Leaf),
    ("vsphereVolume", Type::Object(&VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE)),
] };

static PERSISTENT_VOLUME_STATUS: Fields = Fields { name: "PersistentVolumeStatus", fields: &[
    ("lastPhaseTransitionTime", Type::Leaf),
    ("message", Type::Leaf),
    ("phase", Type::Leaf),
    ("reason", Type::Leaf),
] };

static PHOTON_PERSISTENT_DISK_VOLUME_SOURCE: Fields = Fields { name: "PhotonPersistentDiskVolumeSource", fields: &[
    ("fsType", Type::Leaf),
    ("pdID", Type::Leaf),
] };

static POD: Fields = Fields { name: "Pod", fields: &[
    ("apiVersion", Type::Leaf),
    ("kind", Type::Leaf),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&POD_SPEC)),
    ("status", Type::Object(&POD_STATUS)),
] };

static POD_AFFINITY: Fields = Fields { name: "PodAffinity", fields: &[
    ("preferredDuringSchedulingIgnoredDuringExecution", Type::List(&Type::Object(&WEIGHTED_POD_AFFINITY_TERM))),
    ("requiredDuringSchedulingIgnoredDuringExecution", Type::List(&Type::Object(&POD_AFFINITY_TERM))),
] };

static POD_AFFINITY_TERM: Fields = Fields { name: "PodAffinityTerm", fields: &[
    ("labelSelector", Type::Object(&LABEL_SELECTOR)),
    ("matchLabelKeys", Type::List(&Type::Leaf)),
    ("mismatchLabelKeys", Type::List(&Type::Leaf)),
    ("namespaceSelector", Type::Object(&LABEL_SELECTOR)),
    ("namespaces", Type::List(&Type::Leaf)),
    ("topologyKey", Type::Leaf),
] };

static POD_ANTI_AFFINITY: Fields = Fields { name: "PodAntiAffinity", fields: &[
    ("preferredDuringSchedulingIgnoredDuringExecution", Type::List(&Type::Object(&WEIGHTED_POD_AFFINITY_TERM))),
    ("requiredDuringSchedulingIgnoredDuringExecution", Type::List(&Type::Object(&POD_AFFINITY_TERM))),
] };

static POD_CERTIFICATE_PROJECTION: Fields = Fields { name: "PodCertificateProjection", fields: &[
    ("certificateChainPath", Type::Leaf),
    ("credentialBundlePath", Type::Leaf),
    ("keyPath", Type::Leaf),
    ("keyType", Type::Leaf),
    ("maxExpirationSeconds", Type::Leaf),
    ("signerName", Type::Leaf),
    ("userAnnotations", Type::Map(&Type::Leaf)),
] };

static POD_CONDITION: Fields = Fields { name: "PodCondition", fields: &[
    ("lastProbeTime", Type::Leaf),
    ("lastTransitionTime", Type::Leaf),
    ("message", Type::Leaf),
    ("observedGeneration", Type::Leaf),
    ("reason", Type::Leaf),
    ("status", Type::Leaf),
    ("type", Type::Leaf),
] };

static POD_DNS_CONFIG: Fields = Fields { name: "PodDNSConfig", fields: &[
    ("nameservers", Type::List(&Type::Leaf)),
    ("options", Type::List(&Type::Object(&POD_DNS_CONFIG_OPTION))),
    ("searches", Type::List(&Type::Leaf)),
] };

static POD_DNS_CONFIG_OPTION: Fields = Fields { name: "PodDNSConfigOption", fields: &[
    ("name", Type::Leaf),
    ("value", Type::Leaf),
] };

static POD_EXTENDED_RESOURCE_CLAIM_STATUS: Fields = Fields { name: "PodExtendedResourceClaimStatus", fields: &[
    ("requestMappings", Type::List(&Type::Object(&CONTAINER_EXTENDED_RESOURCE_REQUEST))),
    ("resourceClaimName", Type::Leaf),
] };

static POD_FAILURE_POLICY: Fields = Fields { name: "PodFailurePolicy", fields: &[
    ("rules", Type::List(&Type::Object(&POD_FAILURE_POLICY_RULE))),
] };

static POD_FAILURE_POLICY_ON_EXIT_CODES_REQUIREMENT: Fields = Fields { name: "PodFailurePolicyOnExitCodesRequirement", fields: &[
    ("containerName", Type::Leaf),
    ("operator", Type::Leaf),
    ("values", Type::List(&Type::Leaf)),
] };

static POD_FAILURE_POLICY_ON_POD_CONDITIONS_PATTERN: Fields = Fields { name: "PodFailurePolicyOnPodConditionsPattern", fields: &[
    ("status", Type::Leaf),
    ("type", Type::Leaf),
] };

static POD_FAILURE_POLICY_RULE: Fields = Fields { name: "PodFailurePolicyRule", fields: &[
    ("action", Type::Leaf),
    ("onExitCodes", Type::Object(&POD_FAILURE_POLICY_ON_EXIT_CODES_REQUIREMENT)),
    ("onPodConditions", Type::List(&Type::Object(&POD_FAILURE_POLICY_ON_POD_CONDITIONS_PATTERN))),
] };

static POD_IP: Fields = Fields { name: "PodIP", fields: &[
    ("ip", Type::Leaf),
] };

static POD_OS: Fields = Fields { name: "PodOS", fields: &[
    ("name", Type::Leaf),
] };

static POD_READINESS_GATE: Fields = Fields { name: "PodReadinessGate", fields: &[
    ("conditionType", Type::Leaf),
] };

static POD_RESOURCE_CLAIM: Fields = Fields { name: "PodResourceClaim", fields: &[
    ("name", Type::Leaf),
    ("resourceClaimName", Type::Leaf),
    ("resourceClaimTemplateName", Type::Leaf),
] };

static POD_RESOURCE_CLAIM_STATUS: Fields = Fields { name: "PodResourceClaimStatus", fields: &[
    ("name", Type::Leaf),
    ("resourceClaimName", Type::Leaf),
] };

static POD_SCHEDULING_GATE: Fields = Fields { name: "PodSchedulingGate", fields: &[
    ("name", Type::Leaf),
] };

static POD_SCHEDULING_GROUP: Fields = Fields { name: "PodSchedulingGroup", fields: &[
    ("podGroupName", Type::Leaf),
] };

static POD_SECURITY_CONTEXT: Fields = Fields { name: "PodSecurityContext", fields: &[
    ("appArmorProfile", Type::Object(&APP_ARMOR_PROFILE)),
    ("fsGroup", Type::Leaf),
    ("fsGroupChangePolicy", Type::Leaf),
    ("runAsGroup", Type::Leaf),
    ("runAsNonRoot", Type::Leaf),
    ("runAsUser", Type::Leaf),
    ("seLinuxChangePolicy", Type::Leaf),
    ("seLinuxOptions", Type::Object(&SE_LINUX_OPTIONS)),
    ("seccompProfile", Type::Object(&SECCOMP_PROFILE)),
    ("supplementalGroups", Type::List(&Type::Leaf)),
    ("supplementalGroupsPolicy", Type::Leaf),
    ("sysctls", Type::List(&Type::Object(&SYSCTL))),
    ("windowsOptions", Type::Object(&WINDOWS_SECURITY_CONTEXT_OPTIONS)),
] };

static POD_SPEC: Fields = Fields { name: "PodSpec", fields: &[
    ("activeDeadlineSeconds", Type::Leaf),
    ("affinity", Type::Object(&AFFINITY)),
    ("automountServiceAccountToken", Type::Leaf),
    ("containers", Type::List(&Type::Object(&CONTAINER))),
    ("dnsConfig", Type::Object(&POD_DNS_CONFIG)),
    ("dnsPolicy", Type::Leaf),
    ("enableServiceLinks", Type::Leaf),
    ("ephemeralContainers", Type::List(&Type::Object(&EPHEMERAL_CONTAINER))),
    ("hostAliases", Type::List(&Type::Object(&HOST_ALIAS))),
    ("hostIPC", Type::Leaf),
    ("hostNetwork", Type::Leaf),
    ("hostPID", Type::Leaf),
    ("hostUsers", Type::Leaf),
    ("hostname", Type::Leaf),
    ("hostnameOverride", Type::Leaf),
    ("imagePullSecrets", Type::List(&Type::Object(&LOCAL_OBJECT_REFERENCE))),
    ("initContainers", Type::List(&Type::Object(&CONTAINER))),
    ("nodeName", Type::Leaf),
    ("nodeSelector", Type::Map(&Type::Leaf)),
    ("os", Type::Object(&POD_OS)),
    ("overhead", Type::Map(&Type::Leaf)),
    ("preemptionPolicy", Type::Leaf),
    ("priority", Type::Leaf),
    ("priorityClassName", Type::Leaf),
    ("readinessGates", Type::List(&Type::Object(&POD_READINESS_GATE))),
    ("resourceClaims", Type::List(&Type::Object(&POD_RESOURCE_CLAIM))),
    ("resources", Type::Object(&RESOURCE_REQUIREMENTS)),
    ("restartPolicy", Type::Leaf),
    ("runtimeClassName", Type::Leaf),
    ("schedulerName", Type::Leaf),
    ("schedulingGates", Type::List(&Type::Object(&POD_SCHEDULING_GATE))),
    ("schedulingGroup", Type::Object(&POD_SCHEDULING_GROUP)),
    ("securityContext", Type::Object(&POD_SECURITY_CONTEXT)),
    ("serviceAccount", Type::Leaf),
    ("serviceAccountName", Type::Leaf),
    ("setHostnameAsFQDN", Type::Leaf),
    ("shareProcessNamespace", Type::Leaf),
    ("subdomain", Type::Leaf),
    ("terminationGracePeriodSeconds", Type::Leaf),
    ("tolerations", Type::List(&Type::Object(&TOLERATION))),
    ("topologySpreadConstraints", Type::List(&Type::Object(&TOPOLOGY_SPREAD_CONSTRAINT))),
    ("volumes", Type::List(&Type::Object(&VOLUME))),
] };

static POD_STATUS: Fields = Fields { name: "PodStatus", fields: &[
    ("allocatedResources", Type::Map(&Type::Leaf)),
    ("conditions", Type::List(&Type::Object(&POD_CONDITION))),
    ("containerStatuses", Type::List(&Type::Object(&CONTAINER_STATUS))),
    ("ephemeralContainerStatuses", Type::List(&Type::Object(&CONTAINER_STATUS))),
    ("extendedResourceClaimStatus", Type::Object(&POD_EXTENDED_RESOURCE_CLAIM_STATUS)),
    ("hostIP", Type::Leaf),
    ("hostIPs", Type::List(&Type::Object(&HOST_IP))),
    ("initContainerStatuses", Type::List(&Type::Object(&CONTAINER_STATUS))),
    ("message", Type::Leaf),
    ("nodeAllocatableResourceClaimStatuses", Type::List(&Type::Object(&NODE_ALLOCATABLE_RESOURCE_CLAIM_STATUS))),
    ("nominatedNodeName", Type::Leaf),
    ("observedGeneration", Type::Leaf),
    ("phase", Type::Leaf),
    ("podIP", Type::Leaf),
    ("podIPs", Type::List(&Type::Object(&POD_IP))),
    ("qosClass", Type::Leaf),
    ("reason", Type::Leaf),
    ("resize", Type::Leaf),
    ("resourceClaimStatuses", Type::List(&Type::Object(&POD_RESOURCE_CLAIM_STATUS))),
    ("resources", Type::Object(&RESOURCE_REQUIREMENTS)),
    ("startTime", Type::Leaf),
] };

static POD_TEMPLATE: Fields = Fields { name: "PodTemplate", fields: &[
    ("apiVersion", Type::Leaf),
    ("kind", Type::Leaf),
    ("metadata", Type::Object(&OBJECT_META)),
    ("template", Type::Object(&POD_TEMPLATE_SPEC)),
] };

static POD_TEMPLATE_SPEC: Fields = Fields { name: "PodTemplateSpec", fields: &[
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&POD_SPEC)),
] };

static PORT_STATUS: Fields = Fields { name: "PortStatus", fields: &[
    ("error", Type::Leaf),
    ("port", Type::Leaf),
    ("protocol", Type::Leaf),
] };

static PORTWORX_VOLUME_SOURCE: Fields = Fields { name: "PortworxVolumeSource", fields: &[
    ("fsType", Type::Leaf),
    ("readOnly", Type::Leaf),
    ("volumeID", Type::Leaf),
] };

static PRECONDITIONS: Fields = Fields { name: "Preconditions", fields: &[
    ("resourceVersion", Type::Leaf),
    ("uid", Type::Leaf),
] };

static PREFERRED_SCHEDULING_TERM: Fields = Fields { name: "PreferredSchedulingTerm", fields: &[
    ("preference", Type::Object(&NODE_SELECTOR_TERM)),
    ("weight", Type::Leaf),
] };

static PROBE: Fields = Fields { name: "Probe", fields: &[
    ("exec", Type::Object(&EXEC_ACTION)),
    ("failureThreshold", Type::Leaf),
    ("grpc", Type::Object(&GRPC_ACTION)),
    ("httpGet", Type::Object(&HTTP_GET_ACTION)),
    ("initialDelaySeconds", Type::Leaf),
    ("periodSeconds", Type::Leaf),
    ("successThreshold", Type::Leaf),
    ("tcpSocket", Type::Object(&TCP_SOCKET_ACTION)),
    ("terminationGracePeriodSeconds", Type::Leaf),
    ("timeoutSeconds", Type::Leaf),
] };

static PROJECTED_VOLUME_SOURCE: Fields = Fields { name: "ProjectedVolumeSource", fields: &[
    ("defaultMode", Type::Leaf),
    ("sources", Type::List(&Type::Object(&VOLUME_PROJECTION))),
] };

static QUOBYTE_VOLUME_SOURCE: Fields = Fields { name: "QuobyteVolumeSource", fields: &[
    ("group", Type::Leaf),
    ("readOnly", Type::Leaf),
    ("registry", Type::Leaf),
    ("tenant", Type::Leaf),
    ("user", Type::Leaf),
    ("volume", Type::Leaf),
] };

static RBD_PERSISTENT_VOLUME_SOURCE: Fields = Fields { name: "RBDPersistentVolumeSource", fields: &[
    ("fsType", Type::Leaf),
    ("image", Type::Leaf),
    ("keyring", Type::Leaf),
    ("monitors", Type::List(&Type::Leaf)),
    ("pool", Type::Leaf),
    ("readOnly", Type::Leaf),
    ("secretRef", Type::Object(&SECRET_REFERENCE)),
    ("user", Type::Leaf),
] };

static RBD_VOLUME_SOURCE: Fields = Fields { name: "RBDVolumeSource", fields: &[
    ("fsType", Type::Leaf),
    ("image", Type::Leaf),
    ("keyring", Type::Leaf),
    ("monitors", Type::List(&Type::Leaf)),
    ("pool", Type::Leaf),
    ("readOnly", Type::Leaf),
    ("secretRef", Type::Object(&LOCAL_OBJECT_REFERENCE)),
    ("user", Type::Leaf),
] };

static REPLICA_SET: Fields = Fields { name: "ReplicaSet", fields: &[
    ("apiVersion", Type::Leaf),
    ("kind", Type::Leaf),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&REPLICA_SET_SPEC)),
    ("status", Type::Object(&REPLICA_SET_STATUS)),
] };

static REPLICA_SET_CONDITION: Fields = Fields { name: "ReplicaSetCondition", fields: &[
    ("lastTransitionTime", Type::Leaf),
    ("message", Type::Leaf),
    ("reason", Type::Leaf),
    ("status", Type::Leaf),
    ("type", Type::Leaf),
] };

static REPLICA_SET_SPEC: Fields = Fields { name: "ReplicaSetSpec", fields: &[
    ("minReadySeconds", Type::Leaf),
    ("replicas", Type::Leaf),
    ("selector", Type::Object(&LABEL_SELECTOR)),
    ("template", Type::Object(&POD_TEMPLATE_SPEC)),
] };

static REPLICA_SET_STATUS: Fields = Fields { name: "ReplicaSetStatus", fields: &[
    ("availableReplicas", Type::Leaf),
    ("conditions", Type::List(&Type::Object(&REPLICA_SET_CONDITION))),
    ("fullyLabeledReplicas", Type::Leaf),
    ("observedGeneration", Type::Leaf),
    ("readyReplicas", Type::Leaf),
    ("replicas", Type::Leaf),
    ("terminatingReplicas", Type::Leaf),
] };

static REPLICATION_CONTROLLER: Fields = Fields { name: "ReplicationController", fields: &[
    ("apiVersion", Type::Leaf),
    ("kind", Type::Leaf),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&REPLICATION_CONTROLLER_SPEC)),
    ("status", Type::Object(&REPLICATION_CONTROLLER_STATUS)),
] };

static REPLICATION_CONTROLLER_CONDITION: Fields = Fields { name: "ReplicationControllerCondition", fields: &[
    ("lastTransitionTime", Type::Leaf),
    ("message", Type::Leaf),
    ("reason", Type::Leaf),
    ("status", Type::Leaf),
    ("type", Type::Leaf),
] };

static REPLICATION_CONTROLLER_SPEC: Fields = Fields { name: "ReplicationControllerSpec", fields: &[
    ("minReadySeconds", Type::Leaf),
    ("replicas", Type::Leaf),
    ("selector", Type::Map(&Type::Leaf)),
    ("template", Type::Object(&POD_TEMPLATE_SPEC)),
] };

static REPLICATION_CONTROLLER_STATUS: Fields = Fields { name: "ReplicationControllerStatus", fields: &[
    ("availableReplicas", Type::Leaf),
    ("conditions", Type::List(&Type::Object(&REPLICATION_CONTROLLER_CONDITION))),
    ("fullyLabeledReplicas", Type::Leaf),
    ("observedGeneration", Type::Leaf),
    ("readyReplicas", Type::Leaf),
    ("replicas", Type::Leaf),
] };

static RESOURCE_CLAIM: Fields = Fields { name: "ResourceClaim", fields: &[
    ("name", Type::Leaf),
    ("request", Type::Leaf),
] };

static RESOURCE_FIELD_SELECTOR: Fields = Fields { name: "ResourceFieldSelector", fields: &[
    ("containerName", Type::Leaf),
    ("divisor", Type::Leaf),
    ("resource", Type::Leaf),
] };

static RESOURCE_HEALTH: Fields = Fields { name: "ResourceHealth", fields: &[
    ("health", Type::Leaf),
    ("message", Type::Leaf),
    ("resourceID", Type::Leaf),
] };

static RESOURCE_REQUIREMENTS: Fields = Fields { name: "ResourceRequirements", fields: &[
    ("claims", Type::List(&Type::Object(&RESOURCE_CLAIM))),
    ("limits", Type::Map(&Type::Leaf)),
    ("requests", Type::Map(&Type::Leaf)),
] };

static RESOURCE_STATUS: Fields = Fields { name: "ResourceStatus", fields: &[
    ("name", Type::Leaf),
    ("resources", Type::List(&Type::Object(&RESOURCE_HEALTH))),
] };

static ROLLING_UPDATE_DAEMON_SET: Fields = Fields { name: "RollingUpdateDaemonSet", fields: &[
    ("maxSurge", Type::Leaf),
    ("maxUnavailable", Type::Leaf),
] };

static ROLLING_UPDATE_DEPLOYMENT: Fields = Fields { name: "RollingUpdateDeployment", fields: &[
    ("maxSurge", Type::Leaf),
    ("maxUnavailable", Type::Leaf),
] };

static ROLLING_UPDATE_STATEFUL_SET_STRATEGY: Fields = Fields { name: "RollingUpdateStatefulSetStrategy", fields: &[
    ("maxUnavailable", Type::Leaf),
    ("partition", Type::Leaf),
] };

static SE_LINUX_OPTIONS: Fields = Fields { name: "SELinuxOptions", fields: &[
    ("level", Type::Leaf),
    ("role", Type::Leaf),
    ("type", Type::Leaf),
    ("user", Type::Leaf),
] };

static SCALE_IO_PERSISTENT_VOLUME_SOURCE: Fields = Fields { name: "ScaleIOPersistentVolumeSource", fields: &[
    ("fsType", Type::Leaf),
    ("gateway", Type::Leaf),
    ("protectionDomain", Type::Leaf),
    ("readOnly", Type::Leaf),
    ("secretRef", Type::Object(&SECRET_REFERENCE)),
    ("sslEnabled", Type::Leaf),
    ("storageMode", Type::Leaf),
    ("storagePool", Type::Leaf),
    ("system", Type::Leaf),
    ("volumeName", Type::Leaf),
] };

static SCALE_IO_VOLUME_SOURCE: Fields = Fields { name: "ScaleIOVolumeSource", fields: &[
    ("fsType", Type::Leaf),
    ("gateway", Type::Leaf),
    ("protectionDomain", Type::Leaf),
    ("readOnly", Type::Leaf),
    ("secretRef", Type::Object(&LOCAL_OBJECT_REFERENCE)),
    ("sslEnabled", Type::Leaf),
    ("storageMode", Type::Leaf),
    ("storagePool", Type::Leaf),
    ("system", Type::Leaf),
    ("volumeName", Type::Leaf),
] };

static SECCOMP_PROFILE: Fields = Fields { name: "SeccompProfile", fields: &[
    ("localhostProfile", Type::Leaf),
    ("type", Type::Leaf),
] };

static SECRET_ENV_SOURCE: Fields = Fields { name: "SecretEnvSource", fields: &[
    ("name", Type::Leaf),
    ("optional", Type::Leaf),
] };

static SECRET_KEY_SELECTOR: Fields = Fields { name: "SecretKeySelector", fields: &[
    ("key", Type::Leaf),
    ("name", Type::Leaf),
    ("optional", Type::Leaf),
] };

static SECRET_PROJECTION: Fields = Fields { name: "SecretProjection", fields: &[
    ("items", Type::List(&Type::Object(&KEY_TO_PATH))),
    ("name", Type::Leaf),
    ("optional", Type::Leaf),
] };

static SECRET_REFERENCE: Fields = Fields { name: "SecretReference", fields: &[
    ("name", Type::Leaf),
    ("namespace", Type::Leaf),
] };

static SECRET_VOLUME_SOURCE: Fields = Fields { name: "SecretVolumeSource", fields: &[
    ("defaultMode", Type::Leaf),
    ("items", Type::List(&Type::Object(&KEY_TO_PATH))),
    ("optional", Type::Leaf),
    ("secretName", Type::Leaf),
] };

static SECURITY_CONTEXT: Fields = Fields { name: "SecurityContext", fields: &[
    ("allowPrivilegeEscalation", Type::Leaf),
    ("appArmorProfile", Type::Object(&APP_ARMOR_PROFILE)),
    ("capabilities", Type::Object(&CAPABILITIES)),
    ("privileged", Type::Leaf),
    ("procMount", Type::Leaf),
    ("readOnlyRootFilesystem", Type::Leaf),
    ("runAsGroup", Type::Leaf),
    ("runAsNonRoot", Type::Leaf),
    ("runAsUser", Type::Leaf),
    ("seLinuxOptions", Type::Object(&SE_LINUX_OPTIONS)),
    ("seccompProfile", Type::Object(&SECCOMP_PROFILE)),
    ("windowsOptions", Type::Object(&WINDOWS_SECURITY_CONTEXT_OPTIONS)),
] };

static SERVICE: Fields = Fields { name: "Service", fields: &[
    ("apiVersion", Type::Leaf),
    ("kind", Type::Leaf),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&SERVICE_SPEC)),
    ("status", Type::Object(&SERVICE_STATUS)),
] };

static SERVICE_ACCOUNT_TOKEN_PROJECTION: Fields = Fields { name: "ServiceAccountTokenProjection", fields: &[
    ("audience", Type::Leaf),
    ("expirationSeconds", Type::Leaf),
    ("path", Type::Leaf),
] };

static SERVICE_PORT: Fields = Fields { name: "ServicePort", fields: &[
    ("appProtocol", Type::Leaf),
    ("name", Type::Leaf),
    ("nodePort", Type::Leaf),
    ("port", Type::Leaf),
    ("protocol", Type::Leaf),
    ("targetPort", Type::Leaf),
] };

static SERVICE_SPEC: Fields = Fields { name: "ServiceSpec", fields: &[
    ("allocateLoadBalancerNodePorts", Type::Leaf),
    ("clusterIP", Type::Leaf),
    ("clusterIPs", Type::List(&Type::Leaf)),
    ("externalIPs", Type::List(&Type::Leaf)),
    ("externalName", Type::Leaf),
    ("externalTrafficPolicy", Type::Leaf),
    ("healthCheckNodePort", Type::Leaf),
    ("internalTrafficPolicy", Type::Leaf),
    ("ipFamilies", Type::List(&Type::Leaf)),
    ("ipFamilyPolicy", Type::Leaf),
    ("loadBalancerClass", Type::Leaf),
    ("loadBalancerIP", Type::Leaf),
    ("loadBalancerSourceRanges", Type::List(&Type::Leaf)),
    ("ports", Type::List(&Type::Object(&SERVICE_PORT))),
    ("publishNotReadyAddresses", Type::Leaf),
    ("selector", Type::Map(&Type::Leaf)),
    ("sessionAffinity", Type::Leaf),
    ("sessionAffinityConfig", Type::Object(&SESSION_AFFINITY_CONFIG)),
    ("trafficDistribution", Type::Leaf),
    ("type", Type::Leaf),
] };

static SERVICE_STATUS: Fields = Fields { name: "ServiceStatus", fields: &[
    ("conditions", Type::List(&Type::Object(&CONDITION))),
    ("loadBalancer", Type::Object(&LOAD_BALANCER_STATUS)),
] };

static SESSION_AFFINITY_CONFIG: Fields = Fields { name: "SessionAffinityConfig", fields: &[
    ("clientIP", Type::Object(&CLIENT_IP_CONFIG)),
] };

static SLEEP_ACTION: Fields = Fields { name: "SleepAction", fields: &[
    ("seconds", Type::Leaf),
] };

static STATEFUL_SET: Fields = Fields { name: "StatefulSet", fields: &[
    ("apiVersion", Type::Leaf),
    ("kind", Type::Leaf),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&STATEFUL_SET_SPEC)),
    ("status", Type::Object(&STATEFUL_SET_STATUS)),
] };

static STATEFUL_SET_CONDITION: Fields = Fields { name: "StatefulSetCondition", fields: &[
    ("lastTransitionTime", Type::Leaf),
    ("message", Type::Leaf),
    ("reason", Type::Leaf),
    ("status", Type::Leaf),
    ("type", Type::Leaf),
] };

static STATEFUL_SET_ORDINALS: Fields = Fields { name: "StatefulSetOrdinals", fields: &[
    ("start", Type::Leaf),
] };

static STATEFUL_SET_PERSISTENT_VOLUME_CLAIM_RETENTION_POLICY: Fields = Fields { name: "StatefulSetPersistentVolumeClaimRetentionPolicy", fields: &[
    ("whenDeleted", Type::Leaf),
    ("whenScaled", Type::Leaf),
] };

static STATEFUL_SET_SPEC: Fields = Fields { name: "StatefulSetSpec", fields: &[
    ("minReadySeconds", Type::Leaf),
    ("ordinals", Type::Object(&STATEFUL_SET_ORDINALS)),
    ("persistentVolumeClaimRetentionPolicy", Type::Object(&STATEFUL_SET_PERSISTENT_VOLUME_CLAIM_RETENTION_POLICY)),
    ("podManagementPolicy", Type::Leaf),
    ("replicas", Type::Leaf),
    ("revisionHistoryLimit", Type::Leaf),
    ("selector", Type::Object(&LABEL_SELECTOR)),
    ("serviceName", Type::Leaf),
    ("template", Type::Object(&POD_TEMPLATE_SPEC)),
    ("updateStrategy", Type::Object(&STATEFUL_SET_UPDATE_STRATEGY)),
    ("volumeClaimTemplates", Type::List(&Type::Object(&PERSISTENT_VOLUME_CLAIM))),
] };

static STATEFUL_SET_STATUS: Fields = Fields { name: "StatefulSetStatus", fields: &[
    ("availableReplicas", Type::Leaf),
    ("collisionCount", Type::Leaf),
    ("conditions", Type::List(&Type::Object(&STATEFUL_SET_CONDITION))),
    ("currentReplicas", Type::Leaf),
    ("currentRevision", Type::Leaf),
    ("observedGeneration", Type::Leaf),
    ("readyReplicas", Type::Leaf),
    ("replicas", Type::Leaf),
    ("updateRevision", Type::Leaf),
    ("updatedReplicas", Type::Leaf),
] };

static STATEFUL_SET_UPDATE_STRATEGY: Fields = Fields { name: "StatefulSetUpdateStrategy", fields: &[
    ("rollingUpdate", Type::Object(&ROLLING_UPDATE_STATEFUL_SET_STRATEGY)),
    ("type", Type::Leaf),
] };

static STORAGE_OS_PERSISTENT_VOLUME_SOURCE: Fields = Fields { name: "StorageOSPersistentVolumeSource", fields: &[
    ("fsType", Type::Leaf),
    ("readOnly", Type::Leaf),
    ("secretRef", Type::Object(&OBJECT_REFERENCE)),
    ("volumeName", Type::Leaf),
    ("volumeNamespace", Type::Leaf),
] };

static STORAGE_OS_VOLUME_SOURCE: Fields = Fields { name: "StorageOSVolumeSource", fields: &[
    ("fsType", Type::Leaf),
    ("readOnly", Type::Leaf),
    ("secretRef", Type::Object(&LOCAL_OBJECT_REFERENCE)),
    ("volumeName", Type::Leaf),
    ("volumeNamespace", Type::Leaf),
] };

static SUCCESS_POLICY: Fields = Fields { name: "SuccessPolicy", fields: &[
    ("rules", Type::List(&Type::Object(&SUCCESS_POLICY_RULE))),
] };

static SUCCESS_POLICY_RULE: Fields = Fields { name: "SuccessPolicyRule", fields: &[
    ("succeededCount", Type::Leaf),
    ("succeededIndexes", Type::Leaf),
] };

static SYSCTL: Fields = Fields { name: "Sysctl", fields: &[
    ("name", Type::Leaf),
    ("value", Type::Leaf),
] };

static TCP_SOCKET_ACTION: Fields = Fields { name: "TCPSocketAction", fields: &[
    ("host", Type::Leaf),
    ("port", Type::Leaf),
] };

static TAINT: Fields = Fields { name: "Taint", fields: &[
    ("effect", Type::Leaf),
    ("key", Type::Leaf),
    ("timeAdded", Type::Leaf),
    ("value", Type::Leaf),
] };

static TOLERATION: Fields = Fields { name: "Toleration", fields: &[
    ("effect", Type::Leaf),
    ("key", Type::Leaf),
    ("operator", Type::Leaf),
    ("tolerationSeconds", Type::Leaf),
    ("value", Type::Leaf),
] };

static TOPOLOGY_SPREAD_CONSTRAINT: Fields = Fields { name: "TopologySpreadConstraint", fields: &[
    ("labelSelector", Type::Object(&LABEL_SELECTOR)),
    ("matchLabelKeys", Type::List(&Type::Leaf)),
    ("maxSkew", Type::Leaf),
    ("minDomains", Type::Leaf),
    ("nodeAffinityPolicy", Type::Leaf),
    ("nodeTaintsPolicy", Type::Leaf),
    ("topologyKey", Type::Leaf),
    ("whenUnsatisfiable", Type::Leaf),
] };

static TYPED_LOCAL_OBJECT_REFERENCE: Fields = Fields { name: "TypedLocalObjectReference", fields: &[
    ("apiGroup", Type::Leaf),
    ("kind", Type::Leaf),
    ("name", Type::Leaf),
] };

static TYPED_OBJECT_REFERENCE: Fields = Fields { name: "TypedObjectReference", fields: &[
    ("apiGroup", Type::Leaf),
    ("kind", Type::Leaf),
    ("name", Type::Leaf),
    ("namespace", Type::Leaf),
] };

static UNCOUNTED_TERMINATED_PODS: Fields = Fields { name: "UncountedTerminatedPods", fields: &[
    ("failed", Type::List(&Type::Leaf)),
    ("succeeded", Type::List(&Type::Leaf)),
] };

static VOLUME: Fields = Fields { name: "Volume", fields: &[
    ("awsElasticBlockStore", Type::Object(&AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE)),
    ("azureDisk", Type::Object(&AZURE_DISK_VOLUME_SOURCE)),
    ("azureFile", Type::Object(&AZURE_FILE_VOLUME_SOURCE)),
    ("cephfs", Type::Object(&CEPH_FS_VOLUME_SOURCE)),
    ("cinder", Type::Object(&CINDER_VOLUME_SOURCE)),
    ("configMap", Type::Object(&CONFIG_MAP_VOLUME_SOURCE)),
    ("csi", Type::Object(&CSI_VOLUME_SOURCE)),
    ("downwardAPI", Type::Object(&DOWNWARD_API_VOLUME_SOURCE)),
    ("emptyDir", Type::Object(&EMPTY_DIR_VOLUME_SOURCE)),
    ("ephemeral", Type::Object(&EPHEMERAL_VOLUME_SOURCE)),
    ("fc", Type::Object(&FC_VOLUME_SOURCE)),
    ("flexVolume", Type::Object(&FLEX_VOLUME_SOURCE)),
    ("flocker", Type::Object(&FLOCKER_VOLUME_SOURCE)),
    ("gcePersistentDisk", Type::Object(&GCE_PERSISTENT_DISK_VOLUME_SOURCE)),
    ("gitRepo", Type::Object(&GIT_REPO_VOLUME_SOURCE)),
    ("glusterfs", Type::Object(&GLUSTERFS_VOLUME_SOURCE)),
    ("hostPath", Type::Object(&HOST_PATH_VOLUME_SOURCE)),
    ("image", Type::Object(&IMAGE_VOLUME_SOURCE)),
    ("iscsi", Type::Object(&ISCSI_VOLUME_SOURCE)),
    ("name", Type::Leaf),
    ("nfs", Type::Object(&NFS_VOLUME_SOURCE)),
    ("persistentVolumeClaim", Type::Object(&PERSISTENT_VOLUME_CLAIM_VOLUME_SOURCE)),
    ("photonPersistentDisk", Type::Object(&PHOTON_PERSISTENT_DISK_VOLUME_SOURCE)),
    ("portworxVolume", Type::Object(&PORTWORX_VOLUME_SOURCE)),
    ("projected", Type::Object(&PROJECTED_VOLUME_SOURCE)),
    ("quobyte", Type::Object(&QUOBYTE_VOLUME_SOURCE)),
    ("rbd", Type::Object(&RBD_VOLUME_SOURCE)),
    ("scaleIO", Type::Object(&SCALE_IO_VOLUME_SOURCE)),
    ("secret", Type::Object(&SECRET_VOLUME_SOURCE)),
    ("storageos", Type::Object(&STORAGE_OS_VOLUME_SOURCE)),
    ("vsphereVolume", Type::Object(&VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE)),
] };

static VOLUME_DEVICE: Fields = Fields { name: "VolumeDevice", fields: &[
    ("devicePath", Type::Leaf),
    ("name", Type::Leaf),
] };

static VOLUME_MOUNT: Fields = Fields { name: "VolumeMount", fields: &[
    ("mountPath", Type::Leaf),
    ("mountPropagation", Type::Leaf),
    ("name", Type::Leaf),
    ("readOnly", Type::Leaf),
    ("recursiveReadOnly", Type::Leaf),
    ("subPath", Type::Leaf),
    ("subPathExpr", Type::Leaf),
] };

static VOLUME_MOUNT_STATUS: Fields = Fields { name: "VolumeMountStatus", fields: &[
    ("mountPath", Type::Leaf),
    ("name", Type::Leaf),
    ("readOnly", Type::Leaf),
    ("recursiveReadOnly", Type::Leaf),
    ("volumeStatus", Type::Object(&VOLUME_STATUS)),
] };

static VOLUME_NODE_AFFINITY: Fields = Fields { name: "VolumeNodeAffinity", fields: &[
    ("required", Type::Object(&NODE_SELECTOR)),
] };

static VOLUME_PROJECTION: Fields = Fields { name: "VolumeProjection", fields: &[
    ("clusterTrustBundle", Type::Object(&CLUSTER_TRUST_BUNDLE_PROJECTION)),
    ("configMap", Type::Object(&CONFIG_MAP_PROJECTION)),
    ("downwardAPI", Type::Object(&DOWNWARD_API_PROJECTION)),
    ("podCertificate", Type::Object(&POD_CERTIFICATE_PROJECTION)),
    ("secret", Type::Object(&SECRET_PROJECTION)),
    ("serviceAccountToken", Type::Object(&SERVICE_ACCOUNT_TOKEN_PROJECTION)),
] };

static VOLUME_RESOURCE_REQUIREMENTS: Fields = Fields { name: "VolumeResourceRequirements", fields: &[
    ("limits", Type::Map(&Type::Leaf)),
    ("requests", Type::Map(&Type::Leaf)),
] };

static VOLUME_STATUS: Fields = Fields { name: "VolumeStatus", fields: &[
    ("image", Type::Object(&IMAGE_VOLUME_STATUS)),
] };

static VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE: Fields = Fields { name: "VsphereVirtualDiskVolumeSource", fields: &[
    ("fsType", Type::Leaf),
    ("storagePolicyID", Type::Leaf),
    ("storagePolicyName", Type::Leaf),
    ("volumePath", Type::Leaf),
] };

static WEIGHTED_POD_AFFINITY_TERM: Fields = Fields { name: "WeightedPodAffinityTerm", fields: &[
    ("podAffinityTerm", Type::Object(&POD_AFFINITY_TERM)),
    ("weight", Type::Leaf),
] };

static WINDOWS_SECURITY_CONTEXT_OPTIONS: Fields = Fields { name: "WindowsSecurityContextOptions", fields: &[
    ("gmsaCredentialSpec", Type::Leaf),
    ("gmsaCredentialSpecName", Type::Leaf),
    ("hostProcess", Type::Leaf),
    ("runAsUserName", Type::Leaf),
] };
