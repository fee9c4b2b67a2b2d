//! Generated from the types of `k8s-openapi` by `./justw bless`.

use crate::fields::{Fields, Type};

/// The kinds with their API versions, in the order of both.
pub(crate) static KINDS: &[(&str, &Fields)] = &[
    ("admissionregistration.k8s.io/v1", &MUTATING_ADMISSION_POLICY),
    ("admissionregistration.k8s.io/v1", &MUTATING_ADMISSION_POLICY_BINDING),
    ("admissionregistration.k8s.io/v1", &MUTATING_WEBHOOK_CONFIGURATION),
    ("admissionregistration.k8s.io/v1", &VALIDATING_ADMISSION_POLICY),
    ("admissionregistration.k8s.io/v1", &VALIDATING_ADMISSION_POLICY_BINDING),
    ("admissionregistration.k8s.io/v1", &VALIDATING_WEBHOOK_CONFIGURATION),
    ("admissionregistration.k8s.io/v1alpha1", &MUTATING_ADMISSION_POLICY),
    ("admissionregistration.k8s.io/v1alpha1", &MUTATING_ADMISSION_POLICY_BINDING),
    ("admissionregistration.k8s.io/v1beta1", &MUTATING_ADMISSION_POLICY),
    ("admissionregistration.k8s.io/v1beta1", &MUTATING_ADMISSION_POLICY_BINDING),
    ("apiextensions.k8s.io/v1", &CUSTOM_RESOURCE_DEFINITION),
    ("apiregistration.k8s.io/v1", &API_SERVICE),
    ("apps/v1", &CONTROLLER_REVISION),
    ("apps/v1", &DAEMON_SET),
    ("apps/v1", &DEPLOYMENT),
    ("apps/v1", &REPLICA_SET),
    ("apps/v1", &STATEFUL_SET),
    ("authentication.k8s.io/v1", &SELF_SUBJECT_REVIEW),
    ("authentication.k8s.io/v1", &AUTHENTICATION_V1_TOKEN_REQUEST),
    ("authentication.k8s.io/v1", &TOKEN_REVIEW),
    ("authorization.k8s.io/v1", &LOCAL_SUBJECT_ACCESS_REVIEW),
    ("authorization.k8s.io/v1", &SELF_SUBJECT_ACCESS_REVIEW),
    ("authorization.k8s.io/v1", &SELF_SUBJECT_RULES_REVIEW),
    ("authorization.k8s.io/v1", &SUBJECT_ACCESS_REVIEW),
    ("autoscaling/v1", &AUTOSCALING_V1_HORIZONTAL_POD_AUTOSCALER),
    ("autoscaling/v1", &SCALE),
    ("autoscaling/v2", &AUTOSCALING_V2_HORIZONTAL_POD_AUTOSCALER),
    ("batch/v1", &CRON_JOB),
    ("batch/v1", &JOB),
    ("certificates.k8s.io/v1", &CERTIFICATE_SIGNING_REQUEST),
    ("certificates.k8s.io/v1alpha1", &CLUSTER_TRUST_BUNDLE),
    ("certificates.k8s.io/v1beta1", &CLUSTER_TRUST_BUNDLE),
    ("certificates.k8s.io/v1beta1", &POD_CERTIFICATE_REQUEST),
    ("coordination.k8s.io/v1", &LEASE),
    ("coordination.k8s.io/v1alpha2", &LEASE_CANDIDATE),
    ("coordination.k8s.io/v1beta1", &LEASE_CANDIDATE),
    ("discovery.k8s.io/v1", &ENDPOINT_SLICE),
    ("events.k8s.io/v1", &EVENTS_V1_EVENT),
    ("flowcontrol.apiserver.k8s.io/v1", &FLOW_SCHEMA),
    ("flowcontrol.apiserver.k8s.io/v1", &PRIORITY_LEVEL_CONFIGURATION),
    ("internal.apiserver.k8s.io/v1alpha1", &STORAGE_VERSION),
    ("networking.k8s.io/v1", &IP_ADDRESS),
    ("networking.k8s.io/v1", &INGRESS),
    ("networking.k8s.io/v1", &INGRESS_CLASS),
    ("networking.k8s.io/v1", &NETWORK_POLICY),
    ("networking.k8s.io/v1", &SERVICE_CIDR),
    ("networking.k8s.io/v1beta1", &IP_ADDRESS),
    ("networking.k8s.io/v1beta1", &SERVICE_CIDR),
    ("node.k8s.io/v1", &RUNTIME_CLASS),
    ("policy/v1", &EVICTION),
    ("policy/v1", &POD_DISRUPTION_BUDGET),
    ("rbac.authorization.k8s.io/v1", &CLUSTER_ROLE),
    ("rbac.authorization.k8s.io/v1", &CLUSTER_ROLE_BINDING),
    ("rbac.authorization.k8s.io/v1", &ROLE),
    ("rbac.authorization.k8s.io/v1", &ROLE_BINDING),
    ("resource.k8s.io/v1", &DEVICE_CLASS),
    ("resource.k8s.io/v1", &RESOURCE_V1_RESOURCE_CLAIM),
    ("resource.k8s.io/v1", &RESOURCE_V1_RESOURCE_CLAIM_TEMPLATE),
    ("resource.k8s.io/v1", &RESOURCE_V1_RESOURCE_SLICE),
    ("resource.k8s.io/v1alpha3", &DEVICE_TAINT_RULE),
    ("resource.k8s.io/v1alpha3", &RESOURCE_POOL_STATUS_REQUEST),
    ("resource.k8s.io/v1beta1", &DEVICE_CLASS),
    ("resource.k8s.io/v1beta1", &RESOURCE_V1BETA1_RESOURCE_CLAIM),
    ("resource.k8s.io/v1beta1", &RESOURCE_V1BETA1_RESOURCE_CLAIM_TEMPLATE),
    ("resource.k8s.io/v1beta1", &RESOURCE_V1BETA1_RESOURCE_SLICE),
    ("resource.k8s.io/v1beta2", &DEVICE_CLASS),
    ("resource.k8s.io/v1beta2", &DEVICE_TAINT_RULE),
    ("resource.k8s.io/v1beta2", &RESOURCE_V1_RESOURCE_CLAIM),
    ("resource.k8s.io/v1beta2", &RESOURCE_V1_RESOURCE_CLAIM_TEMPLATE),
    ("resource.k8s.io/v1beta2", &RESOURCE_V1_RESOURCE_SLICE),
    ("scheduling.k8s.io/v1", &PRIORITY_CLASS),
    ("scheduling.k8s.io/v1alpha2", &POD_GROUP),
    ("scheduling.k8s.io/v1alpha2", &WORKLOAD),
    ("storage.k8s.io/v1", &CSI_DRIVER),
    ("storage.k8s.io/v1", &CSI_NODE),
    ("storage.k8s.io/v1", &CSI_STORAGE_CAPACITY),
    ("storage.k8s.io/v1", &STORAGE_CLASS),
    ("storage.k8s.io/v1", &VOLUME_ATTACHMENT),
    ("storage.k8s.io/v1", &VOLUME_ATTRIBUTES_CLASS),
    ("storage.k8s.io/v1beta1", &VOLUME_ATTRIBUTES_CLASS),
    ("storagemigration.k8s.io/v1beta1", &STORAGE_VERSION_MIGRATION),
    ("v1", &BINDING),
    ("v1", &COMPONENT_STATUS),
    ("v1", &CONFIG_MAP),
    ("v1", &ENDPOINTS),
    ("v1", &CORE_V1_EVENT),
    ("v1", &LIMIT_RANGE),
    ("v1", &NAMESPACE),
    ("v1", &NODE),
    ("v1", &PERSISTENT_VOLUME),
    ("v1", &PERSISTENT_VOLUME_CLAIM),
    ("v1", &POD),
    ("v1", &POD_TEMPLATE),
    ("v1", &REPLICATION_CONTROLLER),
    ("v1", &RESOURCE_QUOTA),
    ("v1", &SECRET),
    ("v1", &SERVICE),
    ("v1", &SERVICE_ACCOUNT),
];

static APPLY_CONFIGURATION: Fields = Fields { name: "ApplyConfiguration", fields: &[
    ("expression", Type::Text),
] };

static AUDIT_ANNOTATION: Fields = Fields { name: "AuditAnnotation", fields: &[
    ("key", Type::Text),
    ("valueExpression", Type::Text),
] };

static EXPRESSION_WARNING: Fields = Fields { name: "ExpressionWarning", fields: &[
    ("fieldRef", Type::Text),
    ("warning", Type::Text),
] };

static JSON_PATCH: Fields = Fields { name: "JSONPatch", fields: &[
    ("expression", Type::Text),
] };

static MATCH_CONDITION: Fields = Fields { name: "MatchCondition", fields: &[
    ("expression", Type::Text),
    ("name", Type::Text),
] };

static MATCH_RESOURCES: Fields = Fields { name: "MatchResources", fields: &[
    ("excludeResourceRules", Type::List(&Type::Object(&NAMED_RULE_WITH_OPERATIONS))),
    ("matchPolicy", Type::Text),
    ("namespaceSelector", Type::Object(&LABEL_SELECTOR)),
    ("objectSelector", Type::Object(&LABEL_SELECTOR)),
    ("resourceRules", Type::List(&Type::Object(&NAMED_RULE_WITH_OPERATIONS))),
] };

static MUTATING_ADMISSION_POLICY: Fields = Fields { name: "MutatingAdmissionPolicy", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&MUTATING_ADMISSION_POLICY_SPEC)),
] };

static MUTATING_ADMISSION_POLICY_BINDING: Fields = Fields { name: "MutatingAdmissionPolicyBinding", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&MUTATING_ADMISSION_POLICY_BINDING_SPEC)),
] };

static MUTATING_ADMISSION_POLICY_BINDING_SPEC: Fields = Fields { name: "MutatingAdmissionPolicyBindingSpec", fields: &[
    ("matchResources", Type::Object(&MATCH_RESOURCES)),
    ("paramRef", Type::Object(&PARAM_REF)),
    ("policyName", Type::Text),
] };

static MUTATING_ADMISSION_POLICY_SPEC: Fields = Fields { name: "MutatingAdmissionPolicySpec", fields: &[
    ("failurePolicy", Type::Text),
    ("matchConditions", Type::List(&Type::Object(&MATCH_CONDITION))),
    ("matchConstraints", Type::Object(&MATCH_RESOURCES)),
    ("mutations", Type::List(&Type::Object(&MUTATION))),
    ("paramKind", Type::Object(&PARAM_KIND)),
    ("reinvocationPolicy", Type::Text),
    ("variables", Type::List(&Type::Object(&VARIABLE))),
] };

static MUTATING_WEBHOOK: Fields = Fields { name: "MutatingWebhook", fields: &[
    ("admissionReviewVersions", Type::List(&Type::Text)),
    ("clientConfig", Type::Object(&WEBHOOK_CLIENT_CONFIG)),
    ("failurePolicy", Type::Text),
    ("matchConditions", Type::List(&Type::Object(&MATCH_CONDITION))),
    ("matchPolicy", Type::Text),
    ("name", Type::Text),
    ("namespaceSelector", Type::Object(&LABEL_SELECTOR)),
    ("objectSelector", Type::Object(&LABEL_SELECTOR)),
    ("reinvocationPolicy", Type::Text),
    ("rules", Type::List(&Type::Object(&RULE_WITH_OPERATIONS))),
    ("sideEffects", Type::Text),
    ("timeoutSeconds", Type::Int32),
] };

static MUTATING_WEBHOOK_CONFIGURATION: Fields = Fields { name: "MutatingWebhookConfiguration", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("webhooks", Type::List(&Type::Object(&MUTATING_WEBHOOK))),
] };

static MUTATION: Fields = Fields { name: "Mutation", fields: &[
    ("applyConfiguration", Type::Object(&APPLY_CONFIGURATION)),
    ("jsonPatch", Type::Object(&JSON_PATCH)),
    ("patchType", Type::Text),
] };

static NAMED_RULE_WITH_OPERATIONS: Fields = Fields { name: "NamedRuleWithOperations", fields: &[
    ("apiGroups", Type::List(&Type::Text)),
    ("apiVersions", Type::List(&Type::Text)),
    ("operations", Type::List(&Type::Text)),
    ("resourceNames", Type::List(&Type::Text)),
    ("resources", Type::List(&Type::Text)),
    ("scope", Type::Text),
] };

static PARAM_KIND: Fields = Fields { name: "ParamKind", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
] };

static PARAM_REF: Fields = Fields { name: "ParamRef", fields: &[
    ("name", Type::Text),
    ("namespace", Type::Text),
    ("parameterNotFoundAction", Type::Text),
    ("selector", Type::Object(&LABEL_SELECTOR)),
] };

static RULE_WITH_OPERATIONS: Fields = Fields { name: "RuleWithOperations", fields: &[
    ("apiGroups", Type::List(&Type::Text)),
    ("apiVersions", Type::List(&Type::Text)),
    ("operations", Type::List(&Type::Text)),
    ("resources", Type::List(&Type::Text)),
    ("scope", Type::Text),
] };

static ADMISSIONREGISTRATION_V1_SERVICE_REFERENCE: Fields = Fields { name: "ServiceReference", fields: &[
    ("name", Type::Text),
    ("namespace", Type::Text),
    ("path", Type::Text),
    ("port", Type::Int32),
] };

static TYPE_CHECKING: Fields = Fields { name: "TypeChecking", fields: &[
    ("expressionWarnings", Type::List(&Type::Object(&EXPRESSION_WARNING))),
] };

static VALIDATING_ADMISSION_POLICY: Fields = Fields { name: "ValidatingAdmissionPolicy", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&VALIDATING_ADMISSION_POLICY_SPEC)),
    ("status", Type::Object(&VALIDATING_ADMISSION_POLICY_STATUS)),
] };

static VALIDATING_ADMISSION_POLICY_BINDING: Fields = Fields { name: "ValidatingAdmissionPolicyBinding", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&VALIDATING_ADMISSION_POLICY_BINDING_SPEC)),
] };

static VALIDATING_ADMISSION_POLICY_BINDING_SPEC: Fields = Fields { name: "ValidatingAdmissionPolicyBindingSpec", fields: &[
    ("matchResources", Type::Object(&MATCH_RESOURCES)),
    ("paramRef", Type::Object(&PARAM_REF)),
    ("policyName", Type::Text),
    ("validationActions", Type::List(&Type::Text)),
] };

static VALIDATING_ADMISSION_POLICY_SPEC: Fields = Fields { name: "ValidatingAdmissionPolicySpec", fields: &[
    ("auditAnnotations", Type::List(&Type::Object(&AUDIT_ANNOTATION))),
    ("failurePolicy", Type::Text),
    ("matchConditions", Type::List(&Type::Object(&MATCH_CONDITION))),
    ("matchConstraints", Type::Object(&MATCH_RESOURCES)),
    ("paramKind", Type::Object(&PARAM_KIND)),
    ("validations", Type::List(&Type::Object(&VALIDATION))),
    ("variables", Type::List(&Type::Object(&VARIABLE))),
] };

static VALIDATING_ADMISSION_POLICY_STATUS: Fields = Fields { name: "ValidatingAdmissionPolicyStatus", fields: &[
    ("conditions", Type::List(&Type::Object(&CONDITION))),
    ("observedGeneration", Type::Int64),
    ("typeChecking", Type::Object(&TYPE_CHECKING)),
] };

static VALIDATING_WEBHOOK: Fields = Fields { name: "ValidatingWebhook", fields: &[
    ("admissionReviewVersions", Type::List(&Type::Text)),
    ("clientConfig", Type::Object(&WEBHOOK_CLIENT_CONFIG)),
    ("failurePolicy", Type::Text),
    ("matchConditions", Type::List(&Type::Object(&MATCH_CONDITION))),
    ("matchPolicy", Type::Text),
    ("name", Type::Text),
    ("namespaceSelector", Type::Object(&LABEL_SELECTOR)),
    ("objectSelector", Type::Object(&LABEL_SELECTOR)),
    ("rules", Type::List(&Type::Object(&RULE_WITH_OPERATIONS))),
    ("sideEffects", Type::Text),
    ("timeoutSeconds", Type::Int32),
] };

static VALIDATING_WEBHOOK_CONFIGURATION: Fields = Fields { name: "ValidatingWebhookConfiguration", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("webhooks", Type::List(&Type::Object(&VALIDATING_WEBHOOK))),
] };

static VALIDATION: Fields = Fields { name: "Validation", fields: &[
    ("expression", Type::Text),
    ("message", Type::Text),
    ("messageExpression", Type::Text),
    ("reason", Type::Text),
] };

static VARIABLE: Fields = Fields { name: "Variable", fields: &[
    ("expression", Type::Text),
    ("name", Type::Text),
] };

static WEBHOOK_CLIENT_CONFIG: Fields = Fields { name: "WebhookClientConfig", fields: &[
    ("caBundle", Type::Bytes),
    ("service", Type::Object(&ADMISSIONREGISTRATION_V1_SERVICE_REFERENCE)),
    ("url", Type::Text),
] };

static SERVER_STORAGE_VERSION: Fields = Fields { name: "ServerStorageVersion", fields: &[
    ("apiServerID", Type::Text),
    ("decodableVersions", Type::List(&Type::Text)),
    ("encodingVersion", Type::Text),
    ("servedVersions", Type::List(&Type::Text)),
] };

static STORAGE_VERSION: Fields = Fields { name: "StorageVersion", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&STORAGE_VERSION_SPEC)),
    ("status", Type::Object(&STORAGE_VERSION_STATUS)),
] };

static STORAGE_VERSION_CONDITION: Fields = Fields { name: "StorageVersionCondition", fields: &[
    ("lastTransitionTime", Type::Time),
    ("message", Type::Text),
    ("observedGeneration", Type::Int64),
    ("reason", Type::Text),
    ("status", Type::Text),
    ("type", Type::Text),
] };

static STORAGE_VERSION_SPEC: Fields = Fields { name: "StorageVersionSpec", fields: &[
] };

static STORAGE_VERSION_STATUS: Fields = Fields { name: "StorageVersionStatus", fields: &[
    ("commonEncodingVersion", Type::Text),
    ("conditions", Type::List(&Type::Object(&STORAGE_VERSION_CONDITION))),
    ("storageVersions", Type::List(&Type::Object(&SERVER_STORAGE_VERSION))),
] };

static CONTROLLER_REVISION: Fields = Fields { name: "ControllerRevision", fields: &[
    ("apiVersion", Type::Text),
    ("data", Type::Any),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("revision", Type::Int64),
] };

static DAEMON_SET: Fields = Fields { name: "DaemonSet", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&DAEMON_SET_SPEC)),
    ("status", Type::Object(&DAEMON_SET_STATUS)),
] };

static DAEMON_SET_CONDITION: Fields = Fields { name: "DaemonSetCondition", fields: &[
    ("lastTransitionTime", Type::Time),
    ("message", Type::Text),
    ("reason", Type::Text),
    ("status", Type::Text),
    ("type", Type::Text),
] };

static DAEMON_SET_SPEC: Fields = Fields { name: "DaemonSetSpec", fields: &[
    ("minReadySeconds", Type::Int32),
    ("revisionHistoryLimit", Type::Int32),
    ("selector", Type::Object(&LABEL_SELECTOR)),
    ("template", Type::Object(&POD_TEMPLATE_SPEC)),
    ("updateStrategy", Type::Object(&DAEMON_SET_UPDATE_STRATEGY)),
] };

static DAEMON_SET_STATUS: Fields = Fields { name: "DaemonSetStatus", fields: &[
    ("collisionCount", Type::Int32),
    ("conditions", Type::List(&Type::Object(&DAEMON_SET_CONDITION))),
    ("currentNumberScheduled", Type::Int32),
    ("desiredNumberScheduled", Type::Int32),
    ("numberAvailable", Type::Int32),
    ("numberMisscheduled", Type::Int32),
    ("numberReady", Type::Int32),
    ("numberUnavailable", Type::Int32),
    ("observedGeneration", Type::Int64),
    ("updatedNumberScheduled", Type::Int32),
] };

static DAEMON_SET_UPDATE_STRATEGY: Fields = Fields { name: "DaemonSetUpdateStrategy", fields: &[
    ("rollingUpdate", Type::Object(&ROLLING_UPDATE_DAEMON_SET)),
    ("type", Type::Text),
] };

static DEPLOYMENT: Fields = Fields { name: "Deployment", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&DEPLOYMENT_SPEC)),
    ("status", Type::Object(&DEPLOYMENT_STATUS)),
] };

static DEPLOYMENT_CONDITION: Fields = Fields { name: "DeploymentCondition", fields: &[
    ("lastTransitionTime", Type::Time),
    ("lastUpdateTime", Type::Time),
    ("message", Type::Text),
    ("reason", Type::Text),
    ("status", Type::Text),
    ("type", Type::Text),
] };

static DEPLOYMENT_SPEC: Fields = Fields { name: "DeploymentSpec", fields: &[
    ("minReadySeconds", Type::Int32),
    ("paused", Type::Boolean),
    ("progressDeadlineSeconds", Type::Int32),
    ("replicas", Type::Int32),
    ("revisionHistoryLimit", Type::Int32),
    ("selector", Type::Object(&LABEL_SELECTOR)),
    ("strategy", Type::Object(&DEPLOYMENT_STRATEGY)),
    ("template", Type::Object(&POD_TEMPLATE_SPEC)),
] };

static DEPLOYMENT_STATUS: Fields = Fields { name: "DeploymentStatus", fields: &[
    ("availableReplicas", Type::Int32),
    ("collisionCount", Type::Int32),
    ("conditions", Type::List(&Type::Object(&DEPLOYMENT_CONDITION))),
    ("observedGeneration", Type::Int64),
    ("readyReplicas", Type::Int32),
    ("replicas", Type::Int32),
    ("terminatingReplicas", Type::Int32),
    ("unavailableReplicas", Type::Int32),
    ("updatedReplicas", Type::Int32),
] };

static DEPLOYMENT_STRATEGY: Fields = Fields { name: "DeploymentStrategy", fields: &[
    ("rollingUpdate", Type::Object(&ROLLING_UPDATE_DEPLOYMENT)),
    ("type", Type::Text),
] };

static REPLICA_SET: Fields = Fields { name: "ReplicaSet", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&REPLICA_SET_SPEC)),
    ("status", Type::Object(&REPLICA_SET_STATUS)),
] };

static REPLICA_SET_CONDITION: Fields = Fields { name: "ReplicaSetCondition", fields: &[
    ("lastTransitionTime", Type::Time),
    ("message", Type::Text),
    ("reason", Type::Text),
    ("status", Type::Text),
    ("type", Type::Text),
] };

static REPLICA_SET_SPEC: Fields = Fields { name: "ReplicaSetSpec", fields: &[
    ("minReadySeconds", Type::Int32),
    ("replicas", Type::Int32),
    ("selector", Type::Object(&LABEL_SELECTOR)),
    ("template", Type::Object(&POD_TEMPLATE_SPEC)),
] };

static REPLICA_SET_STATUS: Fields = Fields { name: "ReplicaSetStatus", fields: &[
    ("availableReplicas", Type::Int32),
    ("conditions", Type::List(&Type::Object(&REPLICA_SET_CONDITION))),
    ("fullyLabeledReplicas", Type::Int32),
    ("observedGeneration", Type::Int64),
    ("readyReplicas", Type::Int32),
    ("replicas", Type::Int32),
    ("terminatingReplicas", Type::Int32),
] };

static ROLLING_UPDATE_DAEMON_SET: Fields = Fields { name: "RollingUpdateDaemonSet", fields: &[
    ("maxSurge", Type::IntOrText),
    ("maxUnavailable", Type::IntOrText),
] };

static ROLLING_UPDATE_DEPLOYMENT: Fields = Fields { name: "RollingUpdateDeployment", fields: &[
    ("maxSurge", Type::IntOrText),
    ("maxUnavailable", Type::IntOrText),
] };

static ROLLING_UPDATE_STATEFUL_SET_STRATEGY: Fields = Fields { name: "RollingUpdateStatefulSetStrategy", fields: &[
    ("maxUnavailable", Type::IntOrText),
    ("partition", Type::Int32),
] };

static STATEFUL_SET: Fields = Fields { name: "StatefulSet", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&STATEFUL_SET_SPEC)),
    ("status", Type::Object(&STATEFUL_SET_STATUS)),
] };

static STATEFUL_SET_CONDITION: Fields = Fields { name: "StatefulSetCondition", fields: &[
    ("lastTransitionTime", Type::Time),
    ("message", Type::Text),
    ("reason", Type::Text),
    ("status", Type::Text),
    ("type", Type::Text),
] };

static STATEFUL_SET_ORDINALS: Fields = Fields { name: "StatefulSetOrdinals", fields: &[
    ("start", Type::Int32),
] };

static STATEFUL_SET_PERSISTENT_VOLUME_CLAIM_RETENTION_POLICY: Fields = Fields { name: "StatefulSetPersistentVolumeClaimRetentionPolicy", fields: &[
    ("whenDeleted", Type::Text),
    ("whenScaled", Type::Text),
] };

static STATEFUL_SET_SPEC: Fields = Fields { name: "StatefulSetSpec", fields: &[
    ("minReadySeconds", Type::Int32),
    ("ordinals", Type::Object(&STATEFUL_SET_ORDINALS)),
    ("persistentVolumeClaimRetentionPolicy", Type::Object(&STATEFUL_SET_PERSISTENT_VOLUME_CLAIM_RETENTION_POLICY)),
    ("podManagementPolicy", Type::Text),
    ("replicas", Type::Int32),
    ("revisionHistoryLimit", Type::Int32),
    ("selector", Type::Object(&LABEL_SELECTOR)),
    ("serviceName", Type::Text),
    ("template", Type::Object(&POD_TEMPLATE_SPEC)),
    ("updateStrategy", Type::Object(&STATEFUL_SET_UPDATE_STRATEGY)),
    ("volumeClaimTemplates", Type::List(&Type::Object(&PERSISTENT_VOLUME_CLAIM))),
] };

static STATEFUL_SET_STATUS: Fields = Fields { name: "StatefulSetStatus", fields: &[
    ("availableReplicas", Type::Int32),
    ("collisionCount", Type::Int32),
    ("conditions", Type::List(&Type::Object(&STATEFUL_SET_CONDITION))),
    ("currentReplicas", Type::Int32),
    ("currentRevision", Type::Text),
    ("observedGeneration", Type::Int64),
    ("readyReplicas", Type::Int32),
    ("replicas", Type::Int32),
    ("updateRevision", Type::Text),
    ("updatedReplicas", Type::Int32),
] };

static STATEFUL_SET_UPDATE_STRATEGY: Fields = Fields { name: "StatefulSetUpdateStrategy", fields: &[
    ("rollingUpdate", Type::Object(&ROLLING_UPDATE_STATEFUL_SET_STRATEGY)),
    ("type", Type::Text),
] };

static BOUND_OBJECT_REFERENCE: Fields = Fields { name: "BoundObjectReference", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("name", Type::Text),
    ("uid", Type::Text),
] };

static SELF_SUBJECT_REVIEW: Fields = Fields { name: "SelfSubjectReview", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("status", Type::Object(&SELF_SUBJECT_REVIEW_STATUS)),
] };

static SELF_SUBJECT_REVIEW_STATUS: Fields = Fields { name: "SelfSubjectReviewStatus", fields: &[
    ("userInfo", Type::Object(&USER_INFO)),
] };

static AUTHENTICATION_V1_TOKEN_REQUEST: Fields = Fields { name: "TokenRequest", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&TOKEN_REQUEST_SPEC)),
    ("status", Type::Object(&TOKEN_REQUEST_STATUS)),
] };

static TOKEN_REQUEST_SPEC: Fields = Fields { name: "TokenRequestSpec", fields: &[
    ("audiences", Type::List(&Type::Text)),
    ("boundObjectRef", Type::Object(&BOUND_OBJECT_REFERENCE)),
    ("expirationSeconds", Type::Int64),
] };

static TOKEN_REQUEST_STATUS: Fields = Fields { name: "TokenRequestStatus", fields: &[
    ("expirationTimestamp", Type::Time),
    ("token", Type::Text),
] };

static TOKEN_REVIEW: Fields = Fields { name: "TokenReview", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&TOKEN_REVIEW_SPEC)),
    ("status", Type::Object(&TOKEN_REVIEW_STATUS)),
] };

static TOKEN_REVIEW_SPEC: Fields = Fields { name: "TokenReviewSpec", fields: &[
    ("audiences", Type::List(&Type::Text)),
    ("token", Type::Text),
] };

static TOKEN_REVIEW_STATUS: Fields = Fields { name: "TokenReviewStatus", fields: &[
    ("audiences", Type::List(&Type::Text)),
    ("authenticated", Type::Boolean),
    ("error", Type::Text),
    ("user", Type::Object(&USER_INFO)),
] };

static USER_INFO: Fields = Fields { name: "UserInfo", fields: &[
    ("extra", Type::Map(&Type::List(&Type::Text))),
    ("groups", Type::List(&Type::Text)),
    ("uid", Type::Text),
    ("username", Type::Text),
] };

static FIELD_SELECTOR_ATTRIBUTES: Fields = Fields { name: "FieldSelectorAttributes", fields: &[
    ("rawSelector", Type::Text),
    ("requirements", Type::List(&Type::Object(&FIELD_SELECTOR_REQUIREMENT))),
] };

static LABEL_SELECTOR_ATTRIBUTES: Fields = Fields { name: "LabelSelectorAttributes", fields: &[
    ("rawSelector", Type::Text),
    ("requirements", Type::List(&Type::Object(&LABEL_SELECTOR_REQUIREMENT))),
] };

static LOCAL_SUBJECT_ACCESS_REVIEW: Fields = Fields { name: "LocalSubjectAccessReview", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&SUBJECT_ACCESS_REVIEW_SPEC)),
    ("status", Type::Object(&SUBJECT_ACCESS_REVIEW_STATUS)),
] };

static NON_RESOURCE_ATTRIBUTES: Fields = Fields { name: "NonResourceAttributes", fields: &[
    ("path", Type::Text),
    ("verb", Type::Text),
] };

static NON_RESOURCE_RULE: Fields = Fields { name: "NonResourceRule", fields: &[
    ("nonResourceURLs", Type::List(&Type::Text)),
    ("verbs", Type::List(&Type::Text)),
] };

static RESOURCE_ATTRIBUTES: Fields = Fields { name: "ResourceAttributes", fields: &[
    ("fieldSelector", Type::Object(&FIELD_SELECTOR_ATTRIBUTES)),
    ("group", Type::Text),
    ("labelSelector", Type::Object(&LABEL_SELECTOR_ATTRIBUTES)),
    ("name", Type::Text),
    ("namespace", Type::Text),
    ("resource", Type::Text),
    ("subresource", Type::Text),
    ("verb", Type::Text),
    ("version", Type::Text),
] };

static RESOURCE_RULE: Fields = Fields { name: "ResourceRule", fields: &[
    ("apiGroups", Type::List(&Type::Text)),
    ("resourceNames", Type::List(&Type::Text)),
    ("resources", Type::List(&Type::Text)),
    ("verbs", Type::List(&Type::Text)),
] };

static SELF_SUBJECT_ACCESS_REVIEW: Fields = Fields { name: "SelfSubjectAccessReview", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&SELF_SUBJECT_ACCESS_REVIEW_SPEC)),
    ("status", Type::Object(&SUBJECT_ACCESS_REVIEW_STATUS)),
] };

static SELF_SUBJECT_ACCESS_REVIEW_SPEC: Fields = Fields { name: "SelfSubjectAccessReviewSpec", fields: &[
    ("nonResourceAttributes", Type::Object(&NON_RESOURCE_ATTRIBUTES)),
    ("resourceAttributes", Type::Object(&RESOURCE_ATTRIBUTES)),
] };

static SELF_SUBJECT_RULES_REVIEW: Fields = Fields { name: "SelfSubjectRulesReview", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&SELF_SUBJECT_RULES_REVIEW_SPEC)),
    ("status", Type::Object(&SUBJECT_RULES_REVIEW_STATUS)),
] };

static SELF_SUBJECT_RULES_REVIEW_SPEC: Fields = Fields { name: "SelfSubjectRulesReviewSpec", fields: &[
    ("namespace", Type::Text),
] };

static SUBJECT_ACCESS_REVIEW: Fields = Fields { name: "SubjectAccessReview", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&SUBJECT_ACCESS_REVIEW_SPEC)),
    ("status", Type::Object(&SUBJECT_ACCESS_REVIEW_STATUS)),
] };

static SUBJECT_ACCESS_REVIEW_SPEC: Fields = Fields { name: "SubjectAccessReviewSpec", fields: &[
    ("extra", Type::Map(&Type::List(&Type::Text))),
    ("groups", Type::List(&Type::Text)),
    ("nonResourceAttributes", Type::Object(&NON_RESOURCE_ATTRIBUTES)),
    ("resourceAttributes", Type::Object(&RESOURCE_ATTRIBUTES)),
    ("uid", Type::Text),
    ("user", Type::Text),
] };

static SUBJECT_ACCESS_REVIEW_STATUS: Fields = Fields { name: "SubjectAccessReviewStatus", fields: &[
    ("allowed", Type::Boolean),
    ("denied", Type::Boolean),
    ("evaluationError", Type::Text),
    ("reason", Type::Text),
] };

static SUBJECT_RULES_REVIEW_STATUS: Fields = Fields { name: "SubjectRulesReviewStatus", fields: &[
    ("evaluationError", Type::Text),
    ("incomplete", Type::Boolean),
    ("nonResourceRules", Type::List(&Type::Object(&NON_RESOURCE_RULE))),
    ("resourceRules", Type::List(&Type::Object(&RESOURCE_RULE))),
] };

static CROSS_VERSION_OBJECT_REFERENCE: Fields = Fields { name: "CrossVersionObjectReference", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("name", Type::Text),
] };

static AUTOSCALING_V1_HORIZONTAL_POD_AUTOSCALER: Fields = Fields { name: "HorizontalPodAutoscaler", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&AUTOSCALING_V1_HORIZONTAL_POD_AUTOSCALER_SPEC)),
    ("status", Type::Object(&AUTOSCALING_V1_HORIZONTAL_POD_AUTOSCALER_STATUS)),
] };

static AUTOSCALING_V1_HORIZONTAL_POD_AUTOSCALER_SPEC: Fields = Fields { name: "HorizontalPodAutoscalerSpec", fields: &[
    ("maxReplicas", Type::Int32),
    ("minReplicas", Type::Int32),
    ("scaleTargetRef", Type::Object(&CROSS_VERSION_OBJECT_REFERENCE)),
    ("targetCPUUtilizationPercentage", Type::Int32),
] };

static AUTOSCALING_V1_HORIZONTAL_POD_AUTOSCALER_STATUS: Fields = Fields { name: "HorizontalPodAutoscalerStatus", fields: &[
    ("currentCPUUtilizationPercentage", Type::Int32),
    ("currentReplicas", Type::Int32),
    ("desiredReplicas", Type::Int32),
    ("lastScaleTime", Type::Time),
    ("observedGeneration", Type::Int64),
] };

static SCALE: Fields = Fields { name: "Scale", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&SCALE_SPEC)),
    ("status", Type::Object(&SCALE_STATUS)),
] };

static SCALE_SPEC: Fields = Fields { name: "ScaleSpec", fields: &[
    ("replicas", Type::Int32),
] };

static SCALE_STATUS: Fields = Fields { name: "ScaleStatus", fields: &[
    ("replicas", Type::Int32),
    ("selector", Type::Text),
] };

static CONTAINER_RESOURCE_METRIC_SOURCE: Fields = Fields { name: "ContainerResourceMetricSource", fields: &[
    ("container", Type::Text),
    ("name", Type::Text),
    ("target", Type::Object(&METRIC_TARGET)),
] };

static CONTAINER_RESOURCE_METRIC_STATUS: Fields = Fields { name: "ContainerResourceMetricStatus", fields: &[
    ("container", Type::Text),
    ("current", Type::Object(&METRIC_VALUE_STATUS)),
    ("name", Type::Text),
] };

static EXTERNAL_METRIC_SOURCE: Fields = Fields { name: "ExternalMetricSource", fields: &[
    ("metric", Type::Object(&METRIC_IDENTIFIER)),
    ("target", Type::Object(&METRIC_TARGET)),
] };

static EXTERNAL_METRIC_STATUS: Fields = Fields { name: "ExternalMetricStatus", fields: &[
    ("current", Type::Object(&METRIC_VALUE_STATUS)),
    ("metric", Type::Object(&METRIC_IDENTIFIER)),
] };

static AUTOSCALING_V2_HORIZONTAL_POD_AUTOSCALER: Fields = Fields { name: "HorizontalPodAutoscaler", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&AUTOSCALING_V2_HORIZONTAL_POD_AUTOSCALER_SPEC)),
    ("status", Type::Object(&AUTOSCALING_V2_HORIZONTAL_POD_AUTOSCALER_STATUS)),
] };

static HORIZONTAL_POD_AUTOSCALER_BEHAVIOR: Fields = Fields { name: "HorizontalPodAutoscalerBehavior", fields: &[
    ("scaleDown", Type::Object(&HPA_SCALING_RULES)),
    ("scaleUp", Type::Object(&HPA_SCALING_RULES)),
] };

static HORIZONTAL_POD_AUTOSCALER_CONDITION: Fields = Fields { name: "HorizontalPodAutoscalerCondition", fields: &[
    ("lastTransitionTime", Type::Time),
    ("message", Type::Text),
    ("reason", Type::Text),
    ("status", Type::Text),
    ("type", Type::Text),
] };

static AUTOSCALING_V2_HORIZONTAL_POD_AUTOSCALER_SPEC: Fields = Fields { name: "HorizontalPodAutoscalerSpec", fields: &[
    ("behavior", Type::Object(&HORIZONTAL_POD_AUTOSCALER_BEHAVIOR)),
    ("maxReplicas", Type::Int32),
    ("metrics", Type::List(&Type::Object(&METRIC_SPEC))),
    ("minReplicas", Type::Int32),
    ("scaleTargetRef", Type::Object(&CROSS_VERSION_OBJECT_REFERENCE)),
] };

static AUTOSCALING_V2_HORIZONTAL_POD_AUTOSCALER_STATUS: Fields = Fields { name: "HorizontalPodAutoscalerStatus", fields: &[
    ("conditions", Type::List(&Type::Object(&HORIZONTAL_POD_AUTOSCALER_CONDITION))),
    ("currentMetrics", Type::List(&Type::Object(&METRIC_STATUS))),
    ("currentReplicas", Type::Int32),
    ("desiredReplicas", Type::Int32),
    ("lastScaleTime", Type::Time),
    ("observedGeneration", Type::Int64),
] };

static HPA_SCALING_POLICY: Fields = Fields { name: "HPAScalingPolicy", fields: &[
    ("periodSeconds", Type::Int32),
    ("type", Type::Text),
    ("value", Type::Int32),
] };

static HPA_SCALING_RULES: Fields = Fields { name: "HPAScalingRules", fields: &[
    ("policies", Type::List(&Type::Object(&HPA_SCALING_POLICY))),
    ("selectPolicy", Type::Text),
    ("stabilizationWindowSeconds", Type::Int32),
    ("tolerance", Type::Quantity),
] };

static METRIC_IDENTIFIER: Fields = Fields { name: "MetricIdentifier", fields: &[
    ("name", Type::Text),
    ("selector", Type::Object(&LABEL_SELECTOR)),
] };

static METRIC_SPEC: Fields = Fields { name: "MetricSpec", fields: &[
    ("containerResource", Type::Object(&CONTAINER_RESOURCE_METRIC_SOURCE)),
    ("external", Type::Object(&EXTERNAL_METRIC_SOURCE)),
    ("object", Type::Object(&OBJECT_METRIC_SOURCE)),
    ("pods", Type::Object(&PODS_METRIC_SOURCE)),
    ("resource", Type::Object(&RESOURCE_METRIC_SOURCE)),
    ("type", Type::Text),
] };

static METRIC_STATUS: Fields = Fields { name: "MetricStatus", fields: &[
    ("containerResource", Type::Object(&CONTAINER_RESOURCE_METRIC_STATUS)),
    ("external", Type::Object(&EXTERNAL_METRIC_STATUS)),
    ("object", Type::Object(&OBJECT_METRIC_STATUS)),
    ("pods", Type::Object(&PODS_METRIC_STATUS)),
    ("resource", Type::Object(&RESOURCE_METRIC_STATUS)),
    ("type", Type::Text),
] };

static METRIC_TARGET: Fields = Fields { name: "MetricTarget", fields: &[
    ("averageUtilization", Type::Int32),
    ("averageValue", Type::Quantity),
    ("type", Type::Text),
    ("value", Type::Quantity),
] };

static METRIC_VALUE_STATUS: Fields = Fields { name: "MetricValueStatus", fields: &[
    ("averageUtilization", Type::Int32),
    ("averageValue", Type::Quantity),
    ("value", Type::Quantity),
] };

static OBJECT_METRIC_SOURCE: Fields = Fields { name: "ObjectMetricSource", fields: &[
    ("describedObject", Type::Object(&CROSS_VERSION_OBJECT_REFERENCE)),
    ("metric", Type::Object(&METRIC_IDENTIFIER)),
    ("target", Type::Object(&METRIC_TARGET)),
] };

static OBJECT_METRIC_STATUS: Fields = Fields { name: "ObjectMetricStatus", fields: &[
    ("current", Type::Object(&METRIC_VALUE_STATUS)),
    ("describedObject", Type::Object(&CROSS_VERSION_OBJECT_REFERENCE)),
    ("metric", Type::Object(&METRIC_IDENTIFIER)),
] };

static PODS_METRIC_SOURCE: Fields = Fields { name: "PodsMetricSource", fields: &[
    ("metric", Type::Object(&METRIC_IDENTIFIER)),
    ("target", Type::Object(&METRIC_TARGET)),
] };

static PODS_METRIC_STATUS: Fields = Fields { name: "PodsMetricStatus", fields: &[
    ("current", Type::Object(&METRIC_VALUE_STATUS)),
    ("metric", Type::Object(&METRIC_IDENTIFIER)),
] };

static RESOURCE_METRIC_SOURCE: Fields = Fields { name: "ResourceMetricSource", fields: &[
    ("name", Type::Text),
    ("target", Type::Object(&METRIC_TARGET)),
] };

static RESOURCE_METRIC_STATUS: Fields = Fields { name: "ResourceMetricStatus", fields: &[
    ("current", Type::Object(&METRIC_VALUE_STATUS)),
    ("name", Type::Text),
] };

static CRON_JOB: Fields = Fields { name: "CronJob", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&CRON_JOB_SPEC)),
    ("status", Type::Object(&CRON_JOB_STATUS)),
] };

static CRON_JOB_SPEC: Fields = Fields { name: "CronJobSpec", fields: &[
    ("concurrencyPolicy", Type::Text),
    ("failedJobsHistoryLimit", Type::Int32),
    ("jobTemplate", Type::Object(&JOB_TEMPLATE_SPEC)),
    ("schedule", Type::Text),
    ("startingDeadlineSeconds", Type::Int64),
    ("successfulJobsHistoryLimit", Type::Int32),
    ("suspend", Type::Boolean),
    ("timeZone", Type::Text),
] };

static CRON_JOB_STATUS: Fields = Fields { name: "CronJobStatus", fields: &[
    ("active", Type::List(&Type::Object(&OBJECT_REFERENCE))),
    ("lastScheduleTime", Type::Time),
    ("lastSuccessfulTime", Type::Time),
] };

static JOB: Fields = Fields { name: "Job", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&JOB_SPEC)),
    ("status", Type::Object(&JOB_STATUS)),
] };

static JOB_CONDITION: Fields = Fields { name: "JobCondition", fields: &[
    ("lastProbeTime", Type::Time),
    ("lastTransitionTime", Type::Time),
    ("message", Type::Text),
    ("reason", Type::Text),
    ("status", Type::Text),
    ("type", Type::Text),
] };

static JOB_SPEC: Fields = Fields { name: "JobSpec", fields: &[
    ("activeDeadlineSeconds", Type::Int64),
    ("backoffLimit", Type::Int32),
    ("backoffLimitPerIndex", Type::Int32),
    ("completionMode", Type::Text),
    ("completions", Type::Int32),
    ("managedBy", Type::Text),
    ("manualSelector", Type::Boolean),
    ("maxFailedIndexes", Type::Int32),
    ("parallelism", Type::Int32),
    ("podFailurePolicy", Type::Object(&POD_FAILURE_POLICY)),
    ("podReplacementPolicy", Type::Text),
    ("selector", Type::Object(&LABEL_SELECTOR)),
    ("successPolicy", Type::Object(&SUCCESS_POLICY)),
    ("suspend", Type::Boolean),
    ("template", Type::Object(&POD_TEMPLATE_SPEC)),
    ("ttlSecondsAfterFinished", Type::Int32),
] };

static JOB_STATUS: Fields = Fields { name: "JobStatus", fields: &[
    ("active", Type::Int32),
    ("completedIndexes", Type::Text),
    ("completionTime", Type::Time),
    ("conditions", Type::List(&Type::Object(&JOB_CONDITION))),
    ("failed", Type::Int32),
    ("failedIndexes", Type::Text),
    ("ready", Type::Int32),
    ("startTime", Type::Time),
    ("succeeded", Type::Int32),
    ("terminating", Type::Int32),
    ("uncountedTerminatedPods", Type::Object(&UNCOUNTED_TERMINATED_PODS)),
] };

static JOB_TEMPLATE_SPEC: Fields = Fields { name: "JobTemplateSpec", fields: &[
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&JOB_SPEC)),
] };

static POD_FAILURE_POLICY: Fields = Fields { name: "PodFailurePolicy", fields: &[
    ("rules", Type::List(&Type::Object(&POD_FAILURE_POLICY_RULE))),
] };

static POD_FAILURE_POLICY_ON_EXIT_CODES_REQUIREMENT: Fields = Fields { name: "PodFailurePolicyOnExitCodesRequirement", fields: &[
    ("containerName", Type::Text),
    ("operator", Type::Text),
    ("values", Type::List(&Type::Int32)),
] };

static POD_FAILURE_POLICY_ON_POD_CONDITIONS_PATTERN: Fields = Fields { name: "PodFailurePolicyOnPodConditionsPattern", fields: &[
    ("status", Type::Text),
    ("type", Type::Text),
] };

static POD_FAILURE_POLICY_RULE: Fields = Fields { name: "PodFailurePolicyRule", fields: &[
    ("action", Type::Text),
    ("onExitCodes", Type::Object(&POD_FAILURE_POLICY_ON_EXIT_CODES_REQUIREMENT)),
    ("onPodConditions", Type::List(&Type::Object(&POD_FAILURE_POLICY_ON_POD_CONDITIONS_PATTERN))),
] };

static SUCCESS_POLICY: Fields = Fields { name: "SuccessPolicy", fields: &[
    ("rules", Type::List(&Type::Object(&SUCCESS_POLICY_RULE))),
] };

static SUCCESS_POLICY_RULE: Fields = Fields { name: "SuccessPolicyRule", fields: &[
    ("succeededCount", Type::Int32),
    ("succeededIndexes", Type::Text),
] };

static UNCOUNTED_TERMINATED_PODS: Fields = Fields { name: "UncountedTerminatedPods", fields: &[
    ("failed", Type::List(&Type::Text)),
    ("succeeded", Type::List(&Type::Text)),
] };

static CERTIFICATE_SIGNING_REQUEST: Fields = Fields { name: "CertificateSigningRequest", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&CERTIFICATE_SIGNING_REQUEST_SPEC)),
    ("status", Type::Object(&CERTIFICATE_SIGNING_REQUEST_STATUS)),
] };

static CERTIFICATE_SIGNING_REQUEST_CONDITION: Fields = Fields { name: "CertificateSigningRequestCondition", fields: &[
    ("lastTransitionTime", Type::Time),
    ("lastUpdateTime", Type::Time),
    ("message", Type::Text),
    ("reason", Type::Text),
    ("status", Type::Text),
    ("type", Type::Text),
] };

static CERTIFICATE_SIGNING_REQUEST_SPEC: Fields = Fields { name: "CertificateSigningRequestSpec", fields: &[
    ("expirationSeconds", Type::Int32),
    ("extra", Type::Map(&Type::List(&Type::Text))),
    ("groups", Type::List(&Type::Text)),
    ("request", Type::Bytes),
    ("signerName", Type::Text),
    ("uid", Type::Text),
    ("usages", Type::List(&Type::Text)),
    ("username", Type::Text),
] };

static CERTIFICATE_SIGNING_REQUEST_STATUS: Fields = Fields { name: "CertificateSigningRequestStatus", fields: &[
    ("certificate", Type::Bytes),
    ("conditions", Type::List(&Type::Object(&CERTIFICATE_SIGNING_REQUEST_CONDITION))),
] };

static CLUSTER_TRUST_BUNDLE: Fields = Fields { name: "ClusterTrustBundle", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&CLUSTER_TRUST_BUNDLE_SPEC)),
] };

static CLUSTER_TRUST_BUNDLE_SPEC: Fields = Fields { name: "ClusterTrustBundleSpec", fields: &[
    ("signerName", Type::Text),
    ("trustBundle", Type::Text),
] };

static POD_CERTIFICATE_REQUEST: Fields = Fields { name: "PodCertificateRequest", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&POD_CERTIFICATE_REQUEST_SPEC)),
    ("status", Type::Object(&POD_CERTIFICATE_REQUEST_STATUS)),
] };

static POD_CERTIFICATE_REQUEST_SPEC: Fields = Fields { name: "PodCertificateRequestSpec", fields: &[
    ("maxExpirationSeconds", Type::Int32),
    ("nodeName", Type::Text),
    ("nodeUID", Type::Text),
    ("pkixPublicKey", Type::Bytes),
    ("podName", Type::Text),
    ("podUID", Type::Text),
    ("proofOfPossession", Type::Bytes),
    ("serviceAccountName", Type::Text),
    ("serviceAccountUID", Type::Text),
    ("signerName", Type::Text),
    ("stubPKCS10Request", Type::Bytes),
    ("unverifiedUserAnnotations", Type::Map(&Type::Text)),
] };

static POD_CERTIFICATE_REQUEST_STATUS: Fields = Fields { name: "PodCertificateRequestStatus", fields: &[
    ("beginRefreshAt", Type::Time),
    ("certificateChain", Type::Text),
    ("conditions", Type::List(&Type::Object(&CONDITION))),
    ("notAfter", Type::Time),
    ("notBefore", Type::Time),
] };

static LEASE: Fields = Fields { name: "Lease", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&LEASE_SPEC)),
] };

static LEASE_SPEC: Fields = Fields { name: "LeaseSpec", fields: &[
    ("acquireTime", Type::MicroTime),
    ("holderIdentity", Type::Text),
    ("leaseDurationSeconds", Type::Int32),
    ("leaseTransitions", Type::Int32),
    ("preferredHolder", Type::Text),
    ("renewTime", Type::MicroTime),
    ("strategy", Type::Text),
] };

static LEASE_CANDIDATE: Fields = Fields { name: "LeaseCandidate", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&LEASE_CANDIDATE_SPEC)),
] };

static LEASE_CANDIDATE_SPEC: Fields = Fields { name: "LeaseCandidateSpec", fields: &[
    ("binaryVersion", Type::Text),
    ("emulationVersion", Type::Text),
    ("leaseName", Type::Text),
    ("pingTime", Type::MicroTime),
    ("renewTime", Type::MicroTime),
    ("strategy", Type::Text),
] };

static AFFINITY: Fields = Fields { name: "Affinity", fields: &[
    ("nodeAffinity", Type::Object(&NODE_AFFINITY)),
    ("podAffinity", Type::Object(&POD_AFFINITY)),
    ("podAntiAffinity", Type::Object(&POD_ANTI_AFFINITY)),
] };

static APP_ARMOR_PROFILE: Fields = Fields { name: "AppArmorProfile", fields: &[
    ("localhostProfile", Type::Text),
    ("type", Type::Text),
] };

static ATTACHED_VOLUME: Fields = Fields { name: "AttachedVolume", fields: &[
    ("devicePath", Type::Text),
    ("name", Type::Text),
] };

static AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE: Fields = Fields { name: "AWSElasticBlockStoreVolumeSource", fields: &[
    ("fsType", Type::Text),
    ("partition", Type::Int32),
    ("readOnly", Type::Boolean),
    ("volumeID", Type::Text),
] };

static AZURE_DISK_VOLUME_SOURCE: Fields = Fields { name: "AzureDiskVolumeSource", fields: &[
    ("cachingMode", Type::Text),
    ("diskName", Type::Text),
    ("diskURI", Type::Text),
    ("fsType", Type::Text),
    ("kind", Type::Text),
    ("readOnly", Type::Boolean),
] };

static AZURE_FILE_PERSISTENT_VOLUME_SOURCE: Fields = Fields { name: "AzureFilePersistentVolumeSource", fields: &[
    ("readOnly", Type::Boolean),
    ("secretName", Type::Text),
    ("secretNamespace", Type::Text),
    ("shareName", Type::Text),
] };

static AZURE_FILE_VOLUME_SOURCE: Fields = Fields { name: "AzureFileVolumeSource", fields: &[
    ("readOnly", Type::Boolean),
    ("secretName", Type::Text),
    ("shareName", Type::Text),
] };

static BINDING: Fields = Fields { name: "Binding", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("target", Type::Object(&OBJECT_REFERENCE)),
] };

static CAPABILITIES: Fields = Fields { name: "Capabilities", fields: &[
    ("add", Type::List(&Type::Text)),
    ("drop", Type::List(&Type::Text)),
] };

static CEPH_FS_PERSISTENT_VOLUME_SOURCE: Fields = Fields { name: "CephFSPersistentVolumeSource", fields: &[
    ("monitors", Type::List(&Type::Text)),
    ("path", Type::Text),
    ("readOnly", Type::Boolean),
    ("secretFile", Type::Text),
    ("secretRef", Type::Object(&SECRET_REFERENCE)),
    ("user", Type::Text),
] };

static CEPH_FS_VOLUME_SOURCE: Fields = Fields { name: "CephFSVolumeSource", fields: &[
    ("monitors", Type::List(&Type::Text)),
    ("path", Type::Text),
    ("readOnly", Type::Boolean),
    ("secretFile", Type::Text),
    ("secretRef", Type::Object(&LOCAL_OBJECT_REFERENCE)),
    ("user", Type::Text),
] };

static CINDER_PERSISTENT_VOLUME_SOURCE: Fields = Fields { name: "CinderPersistentVolumeSource", fields: &[
    ("fsType", Type::Text),
    ("readOnly", Type::Boolean),
    ("secretRef", Type::Object(&SECRET_REFERENCE)),
    ("volumeID", Type::Text),
] };

static CINDER_VOLUME_SOURCE: Fields = Fields { name: "CinderVolumeSource", fields: &[
    ("fsType", Type::Text),
    ("readOnly", Type::Boolean),
    ("secretRef", Type::Object(&LOCAL_OBJECT_REFERENCE)),
    ("volumeID", Type::Text),
] };

static CLIENT_IP_CONFIG: Fields = Fields { name: "ClientIPConfig", fields: &[
    ("timeoutSeconds", Type::Int32),
] };

static CLUSTER_TRUST_BUNDLE_PROJECTION: Fields = Fields { name: "ClusterTrustBundleProjection", fields: &[
    ("labelSelector", Type::Object(&LABEL_SELECTOR)),
    ("name", Type::Text),
    ("optional", Type::Boolean),
    ("path", Type::Text),
    ("signerName", Type::Text),
] };

static COMPONENT_CONDITION: Fields = Fields { name: "ComponentCondition", fields: &[
    ("error", Type::Text),
    ("message", Type::Text),
    ("status", Type::Text),
    ("type", Type::Text),
] };

static COMPONENT_STATUS: Fields = Fields { name: "ComponentStatus", fields: &[
    ("apiVersion", Type::Text),
    ("conditions", Type::List(&Type::Object(&COMPONENT_CONDITION))),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
] };

static CONFIG_MAP: Fields = Fields { name: "ConfigMap", fields: &[
    ("apiVersion", Type::Text),
    ("binaryData", Type::Map(&Type::Bytes)),
    ("data", Type::Map(&Type::Text)),
    ("immutable", Type::Boolean),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
] };

static CONFIG_MAP_ENV_SOURCE: Fields = Fields { name: "ConfigMapEnvSource", fields: &[
    ("name", Type::Text),
    ("optional", Type::Boolean),
] };

static CONFIG_MAP_KEY_SELECTOR: Fields = Fields { name: "ConfigMapKeySelector", fields: &[
    ("key", Type::Text),
    ("name", Type::Text),
    ("optional", Type::Boolean),
] };

static CONFIG_MAP_NODE_CONFIG_SOURCE: Fields = Fields { name: "ConfigMapNodeConfigSource", fields: &[
    ("kubeletConfigKey", Type::Text),
    ("name", Type::Text),
    ("namespace", Type::Text),
    ("resourceVersion", Type::Text),
    ("uid", Type::Text),
] };

static CONFIG_MAP_PROJECTION: Fields = Fields { name: "ConfigMapProjection", fields: &[
    ("items", Type::List(&Type::Object(&KEY_TO_PATH))),
    ("name", Type::Text),
    ("optional", Type::Boolean),
] };

static CONFIG_MAP_VOLUME_SOURCE: Fields = Fields { name: "ConfigMapVolumeSource", fields: &[
    ("defaultMode", Type::Int32),
    ("items", Type::List(&Type::Object(&KEY_TO_PATH))),
    ("name", Type::Text),
    ("optional", Type::Boolean),
] };

static CONTAINER: Fields = Fields { name: "Container", fields: &[
    ("args", Type::List(&Type::Text)),
    ("command", Type::List(&Type::Text)),
    ("env", Type::List(&Type::Object(&ENV_VAR))),
    ("envFrom", Type::List(&Type::Object(&ENV_FROM_SOURCE))),
    ("image", Type::Text),
    ("imagePullPolicy", Type::Text),
    ("lifecycle", Type::Object(&LIFECYCLE)),
    ("livenessProbe", Type::Object(&PROBE)),
    ("name", Type::Text),
    ("ports", Type::List(&Type::Object(&CONTAINER_PORT))),
    ("readinessProbe", Type::Object(&PROBE)),
    ("resizePolicy", Type::List(&Type::Object(&CONTAINER_RESIZE_POLICY))),
    ("resources", Type::Object(&RESOURCE_REQUIREMENTS)),
    ("restartPolicy", Type::Text),
    ("restartPolicyRules", Type::List(&Type::Object(&CONTAINER_RESTART_RULE))),
    ("securityContext", Type::Object(&SECURITY_CONTEXT)),
    ("startupProbe", Type::Object(&PROBE)),
    ("stdin", Type::Boolean),
    ("stdinOnce", Type::Boolean),
    ("terminationMessagePath", Type::Text),
    ("terminationMessagePolicy", Type::Text),
    ("tty", Type::Boolean),
    ("volumeDevices", Type::List(&Type::Object(&VOLUME_DEVICE))),
    ("volumeMounts", Type::List(&Type::Object(&VOLUME_MOUNT))),
    ("workingDir", Type::Text),
] };

static CONTAINER_EXTENDED_RESOURCE_REQUEST: Fields = Fields { name: "ContainerExtendedResourceRequest", fields: &[
    ("containerName", Type::Text),
    ("requestName", Type::Text),
    ("resourceName", Type::Text),
] };

static CONTAINER_IMAGE: Fields = Fields { name: "ContainerImage", fields: &[
    ("names", Type::List(&Type::Text)),
    ("sizeBytes", Type::Int64),
] };

static CONTAINER_PORT: Fields = Fields { name: "ContainerPort", fields: &[
    ("containerPort", Type::Int32),
    ("hostIP", Type::Text),
    ("hostPort", Type::Int32),
    ("name", Type::Text),
    ("protocol", Type::Text),
] };

static CONTAINER_RESIZE_POLICY: Fields = Fields { name: "ContainerResizePolicy", fields: &[
    ("resourceName", Type::Text),
    ("restartPolicy", Type::Text),
] };

static CONTAINER_RESTART_RULE: Fields = Fields { name: "ContainerRestartRule", fields: &[
    ("action", Type::Text),
    ("exitCodes", Type::Object(&CONTAINER_RESTART_RULE_ON_EXIT_CODES)),
] };

static CONTAINER_RESTART_RULE_ON_EXIT_CODES: Fields = Fields { name: "ContainerRestartRuleOnExitCodes", fields: &[
    ("operator", Type::Text),
    ("values", Type::List(&Type::Int32)),
] };

static CONTAINER_STATE: Fields = Fields { name: "ContainerState", fields: &[
    ("running", Type::Object(&CONTAINER_STATE_RUNNING)),
    ("terminated", Type::Object(&CONTAINER_STATE_TERMINATED)),
    ("waiting", Type::Object(&CONTAINER_STATE_WAITING)),
] };

static CONTAINER_STATE_RUNNING: Fields = Fields { name: "ContainerStateRunning", fields: &[
    ("startedAt", Type::Time),
] };

static CONTAINER_STATE_TERMINATED: Fields = Fields { name: "ContainerStateTerminated", fields: &[
    ("containerID", Type::Text),
    ("exitCode", Type::Int32),
    ("finishedAt", Type::Time),
    ("message", Type::Text),
    ("reason", Type::Text),
    ("signal", Type::Int32),
    ("startedAt", Type::Time),
] };

static CONTAINER_STATE_WAITING: Fields = Fields { name: "ContainerStateWaiting", fields: &[
    ("message", Type::Text),
    ("reason", Type::Text),
] };

static CONTAINER_STATUS: Fields = Fields { name: "ContainerStatus", fields: &[
    ("allocatedResources", Type::Map(&Type::Quantity)),
    ("allocatedResourcesStatus", Type::List(&Type::Object(&RESOURCE_STATUS))),
    ("containerID", Type::Text),
    ("image", Type::Text),
    ("imageID", Type::Text),
    ("lastState", Type::Object(&CONTAINER_STATE)),
    ("name", Type::Text),
    ("ready", Type::Boolean),
    ("resources", Type::Object(&RESOURCE_REQUIREMENTS)),
    ("restartCount", Type::Int32),
    ("started", Type::Boolean),
    ("state", Type::Object(&CONTAINER_STATE)),
    ("stopSignal", Type::Text),
    ("user", Type::Object(&CONTAINER_USER)),
    ("volumeMounts", Type::List(&Type::Object(&VOLUME_MOUNT_STATUS))),
] };

static CONTAINER_USER: Fields = Fields { name: "ContainerUser", fields: &[
    ("linux", Type::Object(&LINUX_CONTAINER_USER)),
] };

static CSI_PERSISTENT_VOLUME_SOURCE: Fields = Fields { name: "CSIPersistentVolumeSource", fields: &[
    ("controllerExpandSecretRef", Type::Object(&SECRET_REFERENCE)),
    ("controllerPublishSecretRef", Type::Object(&SECRET_REFERENCE)),
    ("driver", Type::Text),
    ("fsType", Type::Text),
    ("nodeExpandSecretRef", Type::Object(&SECRET_REFERENCE)),
    ("nodePublishSecretRef", Type::Object(&SECRET_REFERENCE)),
    ("nodeStageSecretRef", Type::Object(&SECRET_REFERENCE)),
    ("readOnly", Type::Boolean),
    ("volumeAttributes", Type::Map(&Type::Text)),
    ("volumeHandle", Type::Text),
] };

static CSI_VOLUME_SOURCE: Fields = Fields { name: "CSIVolumeSource", fields: &[
    ("driver", Type::Text),
    ("fsType", Type::Text),
    ("nodePublishSecretRef", Type::Object(&LOCAL_OBJECT_REFERENCE)),
    ("readOnly", Type::Boolean),
    ("volumeAttributes", Type::Map(&Type::Text)),
] };

static DAEMON_ENDPOINT: Fields = Fields { name: "DaemonEndpoint", fields: &[
    ("Port", Type::Int32),
] };

static DOWNWARD_API_PROJECTION: Fields = Fields { name: "DownwardAPIProjection", fields: &[
    ("items", Type::List(&Type::Object(&DOWNWARD_API_VOLUME_FILE))),
] };

static DOWNWARD_API_VOLUME_FILE: Fields = Fields { name: "DownwardAPIVolumeFile", fields: &[
    ("fieldRef", Type::Object(&OBJECT_FIELD_SELECTOR)),
    ("mode", Type::Int32),
    ("path", Type::Text),
    ("resourceFieldRef", Type::Object(&RESOURCE_FIELD_SELECTOR)),
] };

static DOWNWARD_API_VOLUME_SOURCE: Fields = Fields { name: "DownwardAPIVolumeSource", fields: &[
    ("defaultMode", Type::Int32),
    ("items", Type::List(&Type::Object(&DOWNWARD_API_VOLUME_FILE))),
] };

static EMPTY_DIR_VOLUME_SOURCE: Fields = Fields { name: "EmptyDirVolumeSource", fields: &[
    ("medium", Type::Text),
    ("sizeLimit", Type::Quantity),
] };

static ENDPOINT_ADDRESS: Fields = Fields { name: "EndpointAddress", fields: &[
    ("hostname", Type::Text),
    ("ip", Type::Text),
    ("nodeName", Type::Text),
    ("targetRef", Type::Object(&OBJECT_REFERENCE)),
] };

static ENDPOINT_PORT: Fields = Fields { name: "EndpointPort", fields: &[
    ("appProtocol", Type::Text),
    ("name", Type::Text),
    ("port", Type::Int32),
    ("protocol", Type::Text),
] };

static ENDPOINT_SUBSET: Fields = Fields { name: "EndpointSubset", fields: &[
    ("addresses", Type::List(&Type::Object(&ENDPOINT_ADDRESS))),
    ("notReadyAddresses", Type::List(&Type::Object(&ENDPOINT_ADDRESS))),
    ("ports", Type::List(&Type::Object(&ENDPOINT_PORT))),
] };

static ENDPOINTS: Fields = Fields { name: "Endpoints", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("subsets", Type::List(&Type::Object(&ENDPOINT_SUBSET))),
] };

static ENV_FROM_SOURCE: Fields = Fields { name: "EnvFromSource", fields: &[
    ("configMapRef", Type::Object(&CONFIG_MAP_ENV_SOURCE)),
    ("prefix", Type::Text),
    ("secretRef", Type::Object(&SECRET_ENV_SOURCE)),
] };

static ENV_VAR: Fields = Fields { name: "EnvVar", fields: &[
    ("name", Type::Text),
    ("value", Type::Text),
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
    ("args", Type::List(&Type::Text)),
    ("command", Type::List(&Type::Text)),
    ("env", Type::List(&Type::Object(&ENV_VAR))),
    ("envFrom", Type::List(&Type::Object(&ENV_FROM_SOURCE))),
    ("image", Type::Text),
    ("imagePullPolicy", Type::Text),
    ("lifecycle", Type::Object(&LIFECYCLE)),
    ("livenessProbe", Type::Object(&PROBE)),
    ("name", Type::Text),
    ("ports", Type::List(&Type::Object(&CONTAINER_PORT))),
    ("readinessProbe", Type::Object(&PROBE)),
    ("resizePolicy", Type::List(&Type::Object(&CONTAINER_RESIZE_POLICY))),
    ("resources", Type::Object(&RESOURCE_REQUIREMENTS)),
    ("restartPolicy", Type::Text),
    ("restartPolicyRules", Type::List(&Type::Object(&CONTAINER_RESTART_RULE))),
    ("securityContext", Type::Object(&SECURITY_CONTEXT)),
    ("startupProbe", Type::Object(&PROBE)),
    ("stdin", Type::Boolean),
    ("stdinOnce", Type::Boolean),
    ("targetContainerName", Type::Text),
    ("terminationMessagePath", Type::Text),
    ("terminationMessagePolicy", Type::Text),
    ("tty", Type::Boolean),
    ("volumeDevices", Type::List(&Type::Object(&VOLUME_DEVICE))),
    ("volumeMounts", Type::List(&Type::Object(&VOLUME_MOUNT))),
    ("workingDir", Type::Text),
] };

static EPHEMERAL_VOLUME_SOURCE: Fields = Fields { name: "EphemeralVolumeSource", fields: &[
    ("volumeClaimTemplate", Type::Object(&PERSISTENT_VOLUME_CLAIM_TEMPLATE)),
] };

static CORE_V1_EVENT: Fields = Fields { name: "Event", fields: &[
    ("action", Type::Text),
    ("apiVersion", Type::Text),
    ("count", Type::Int32),
    ("eventTime", Type::MicroTime),
    ("firstTimestamp", Type::Time),
    ("involvedObject", Type::Object(&OBJECT_REFERENCE)),
    ("kind", Type::Text),
    ("lastTimestamp", Type::Time),
    ("message", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("reason", Type::Text),
    ("related", Type::Object(&OBJECT_REFERENCE)),
    ("reportingComponent", Type::Text),
    ("reportingInstance", Type::Text),
    ("series", Type::Object(&EVENT_SERIES)),
    ("source", Type::Object(&EVENT_SOURCE)),
    ("type", Type::Text),
] };

static EVENT_SERIES: Fields = Fields { name: "EventSeries", fields: &[
    ("count", Type::Int32),
    ("lastObservedTime", Type::MicroTime),
] };

static EVENT_SOURCE: Fields = Fields { name: "EventSource", fields: &[
    ("component", Type::Text),
    ("host", Type::Text),
] };

static EXEC_ACTION: Fields = Fields { name: "ExecAction", fields: &[
    ("command", Type::List(&Type::Text)),
] };

static FC_VOLUME_SOURCE: Fields = Fields { name: "FCVolumeSource", fields: &[
    ("fsType", Type::Text),
    ("lun", Type::Int32),
    ("readOnly", Type::Boolean),
    ("targetWWNs", Type::List(&Type::Text)),
    ("wwids", Type::List(&Type::Text)),
] };

static FILE_KEY_SELECTOR: Fields = Fields { name: "FileKeySelector", fields: &[
    ("key", Type::Text),
    ("optional", Type::Boolean),
    ("path", Type::Text),
    ("volumeName", Type::Text),
] };

static FLEX_PERSISTENT_VOLUME_SOURCE: Fields = Fields { name: "FlexPersistentVolumeSource", fields: &[
    ("driver", Type::Text),
    ("fsType", Type::Text),
    ("options", Type::Map(&Type::Text)),
    ("readOnly", Type::Boolean),
    ("secretRef", Type::Object(&SECRET_REFERENCE)),
] };

static FLEX_VOLUME_SOURCE: Fields = Fields { name: "FlexVolumeSource", fields: &[
    ("driver", Type::Text),
    ("fsType", Type::Text),
    ("options", Type::Map(&Type::Text)),
    ("readOnly", Type::Boolean),
    ("secretRef", Type::Object(&LOCAL_OBJECT_REFERENCE)),
] };

static FLOCKER_VOLUME_SOURCE: Fields = Fields { name: "FlockerVolumeSource", fields: &[
    ("datasetName", Type::Text),
    ("datasetUUID", Type::Text),
] };

static GCE_PERSISTENT_DISK_VOLUME_SOURCE: Fields = Fields { name: "GCEPersistentDiskVolumeSource", fields: &[
    ("fsType", Type::Text),
    ("partition", Type::Int32),
    ("pdName", Type::Text),
    ("readOnly", Type::Boolean),
] };

static GIT_REPO_VOLUME_SOURCE: Fields = Fields { name: "GitRepoVolumeSource", fields: &[
    ("directory", Type::Text),
    ("repository", Type::Text),
    ("revision", Type::Text),
] };

static GLUSTERFS_PERSISTENT_VOLUME_SOURCE: Fields = Fields { name: "GlusterfsPersistentVolumeSource", fields: &[
    ("endpoints", Type::Text),
    ("endpointsNamespace", Type::Text),
    ("path", Type::Text),
    ("readOnly", Type::Boolean),
] };

static GLUSTERFS_VOLUME_SOURCE: Fields = Fields { name: "GlusterfsVolumeSource", fields: &[
    ("endpoints", Type::Text),
    ("path", Type::Text),
    ("readOnly", Type::Boolean),
] };

static GRPC_ACTION: Fields = Fields { name: "GRPCAction", fields: &[
    ("port", Type::Int32),
    ("service", Type::Text),
] };

static HOST_ALIAS: Fields = Fields { name: "HostAlias", fields: &[
    ("hostnames", Type::List(&Type::Text)),
    ("ip", Type::Text),
] };

static HOST_IP: Fields = Fields { name: "HostIP", fields: &[
    ("ip", Type::Text),
] };

static HOST_PATH_VOLUME_SOURCE: Fields = Fields { name: "HostPathVolumeSource", fields: &[
    ("path", Type::Text),
    ("type", Type::Text),
] };

static HTTP_GET_ACTION: Fields = Fields { name: "HTTPGetAction", fields: &[
    ("host", Type::Text),
    ("httpHeaders", Type::List(&Type::Object(&HTTP_HEADER))),
    ("path", Type::Text),
    ("port", Type::IntOrText),
    ("scheme", Type::Text),
] };

static HTTP_HEADER: Fields = Fields { name: "HTTPHeader", fields: &[
    ("name", Type::Text),
    ("value", Type::Text),
] };

static IMAGE_VOLUME_SOURCE: Fields = Fields { name: "ImageVolumeSource", fields: &[
    ("pullPolicy", Type::Text),
    ("reference", Type::Text),
] };

static IMAGE_VOLUME_STATUS: Fields = Fields { name: "ImageVolumeStatus", fields: &[
    ("imageRef", Type::Text),
] };

static ISCSI_PERSISTENT_VOLUME_SOURCE: Fields = Fields { name: "ISCSIPersistentVolumeSource", fields: &[
    ("chapAuthDiscovery", Type::Boolean),
    ("chapAuthSession", Type::Boolean),
    ("fsType", Type::Text),
    ("initiatorName", Type::Text),
    ("iqn", Type::Text),
    ("iscsiInterface", Type::Text),
    ("lun", Type::Int32),
    ("portals", Type::List(&Type::Text)),
    ("readOnly", Type::Boolean),
    ("secretRef", Type::Object(&SECRET_REFERENCE)),
    ("targetPortal", Type::Text),
] };

static ISCSI_VOLUME_SOURCE: Fields = Fields { name: "ISCSIVolumeSource", fields: &[
    ("chapAuthDiscovery", Type::Boolean),
    ("chapAuthSession", Type::Boolean),
    ("fsType", Type::Text),
    ("initiatorName", Type::Text),
    ("iqn", Type::Text),
    ("iscsiInterface", Type::Text),
    ("lun", Type::Int32),
    ("portals", Type::List(&Type::Text)),
    ("readOnly", Type::Boolean),
    ("secretRef", Type::Object(&LOCAL_OBJECT_REFERENCE)),
    ("targetPortal", Type::Text),
] };

static KEY_TO_PATH: Fields = Fields { name: "KeyToPath", fields: &[
    ("key", Type::Text),
    ("mode", Type::Int32),
    ("path", Type::Text),
] };

static LIFECYCLE: Fields = Fields { name: "Lifecycle", fields: &[
    ("postStart", Type::Object(&LIFECYCLE_HANDLER)),
    ("preStop", Type::Object(&LIFECYCLE_HANDLER)),
    ("stopSignal", Type::Text),
] };

static LIFECYCLE_HANDLER: Fields = Fields { name: "LifecycleHandler", fields: &[
    ("exec", Type::Object(&EXEC_ACTION)),
    ("httpGet", Type::Object(&HTTP_GET_ACTION)),
    ("sleep", Type::Object(&SLEEP_ACTION)),
    ("tcpSocket", Type::Object(&TCP_SOCKET_ACTION)),
] };

static LIMIT_RANGE: Fields = Fields { name: "LimitRange", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&LIMIT_RANGE_SPEC)),
] };

static LIMIT_RANGE_ITEM: Fields = Fields { name: "LimitRangeItem", fields: &[
    ("default", Type::Map(&Type::Quantity)),
    ("defaultRequest", Type::Map(&Type::Quantity)),
    ("max", Type::Map(&Type::Quantity)),
    ("maxLimitRequestRatio", Type::Map(&Type::Quantity)),
    ("min", Type::Map(&Type::Quantity)),
    ("type", Type::Text),
] };

static LIMIT_RANGE_SPEC: Fields = Fields { name: "LimitRangeSpec", fields: &[
    ("limits", Type::List(&Type::Object(&LIMIT_RANGE_ITEM))),
] };

static LINUX_CONTAINER_USER: Fields = Fields { name: "LinuxContainerUser", fields: &[
    ("gid", Type::Int64),
    ("supplementalGroups", Type::List(&Type::Int64)),
    ("uid", Type::Int64),
] };

static LOAD_BALANCER_INGRESS: Fields = Fields { name: "LoadBalancerIngress", fields: &[
    ("hostname", Type::Text),
    ("ip", Type::Text),
    ("ipMode", Type::Text),
    ("ports", Type::List(&Type::Object(&PORT_STATUS))),
] };

static LOAD_BALANCER_STATUS: Fields = Fields { name: "LoadBalancerStatus", fields: &[
    ("ingress", Type::List(&Type::Object(&LOAD_BALANCER_INGRESS))),
] };

static LOCAL_OBJECT_REFERENCE: Fields = Fields { name: "LocalObjectReference", fields: &[
    ("name", Type::Text),
] };

static LOCAL_VOLUME_SOURCE: Fields = Fields { name: "LocalVolumeSource", fields: &[
    ("fsType", Type::Text),
    ("path", Type::Text),
] };

static MODIFY_VOLUME_STATUS: Fields = Fields { name: "ModifyVolumeStatus", fields: &[
    ("status", Type::Text),
    ("targetVolumeAttributesClassName", Type::Text),
] };

static NAMESPACE: Fields = Fields { name: "Namespace", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&NAMESPACE_SPEC)),
    ("status", Type::Object(&NAMESPACE_STATUS)),
] };

static NAMESPACE_CONDITION: Fields = Fields { name: "NamespaceCondition", fields: &[
    ("lastTransitionTime", Type::Time),
    ("message", Type::Text),
    ("reason", Type::Text),
    ("status", Type::Text),
    ("type", Type::Text),
] };

static NAMESPACE_SPEC: Fields = Fields { name: "NamespaceSpec", fields: &[
    ("finalizers", Type::List(&Type::Text)),
] };

static NAMESPACE_STATUS: Fields = Fields { name: "NamespaceStatus", fields: &[
    ("conditions", Type::List(&Type::Object(&NAMESPACE_CONDITION))),
    ("phase", Type::Text),
] };

static NFS_VOLUME_SOURCE: Fields = Fields { name: "NFSVolumeSource", fields: &[
    ("path", Type::Text),
    ("readOnly", Type::Boolean),
    ("server", Type::Text),
] };

static NODE: Fields = Fields { name: "Node", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&NODE_SPEC)),
    ("status", Type::Object(&NODE_STATUS)),
] };

static NODE_ADDRESS: Fields = Fields { name: "NodeAddress", fields: &[
    ("address", Type::Text),
    ("type", Type::Text),
] };

static NODE_AFFINITY: Fields = Fields { name: "NodeAffinity", fields: &[
    ("preferredDuringSchedulingIgnoredDuringExecution", Type::List(&Type::Object(&PREFERRED_SCHEDULING_TERM))),
    ("requiredDuringSchedulingIgnoredDuringExecution", Type::Object(&NODE_SELECTOR)),
] };

static NODE_ALLOCATABLE_RESOURCE_CLAIM_STATUS: Fields = Fields { name: "NodeAllocatableResourceClaimStatus", fields: &[
    ("containers", Type::List(&Type::Text)),
    ("resourceClaimName", Type::Text),
    ("resources", Type::Map(&Type::Quantity)),
] };

static NODE_CONDITION: Fields = Fields { name: "NodeCondition", fields: &[
    ("lastHeartbeatTime", Type::Time),
    ("lastTransitionTime", Type::Time),
    ("message", Type::Text),
    ("reason", Type::Text),
    ("status", Type::Text),
    ("type", Type::Text),
] };

static NODE_CONFIG_SOURCE: Fields = Fields { name: "NodeConfigSource", fields: &[
    ("configMap", Type::Object(&CONFIG_MAP_NODE_CONFIG_SOURCE)),
] };

static NODE_CONFIG_STATUS: Fields = Fields { name: "NodeConfigStatus", fields: &[
    ("active", Type::Object(&NODE_CONFIG_SOURCE)),
    ("assigned", Type::Object(&NODE_CONFIG_SOURCE)),
    ("error", Type::Text),
    ("lastKnownGood", Type::Object(&NODE_CONFIG_SOURCE)),
] };

static NODE_DAEMON_ENDPOINTS: Fields = Fields { name: "NodeDaemonEndpoints", fields: &[
    ("kubeletEndpoint", Type::Object(&DAEMON_ENDPOINT)),
] };

static NODE_FEATURES: Fields = Fields { name: "NodeFeatures", fields: &[
    ("supplementalGroupsPolicy", Type::Boolean),
] };

static NODE_RUNTIME_HANDLER: Fields = Fields { name: "NodeRuntimeHandler", fields: &[
    ("features", Type::Object(&NODE_RUNTIME_HANDLER_FEATURES)),
    ("name", Type::Text),
] };

static NODE_RUNTIME_HANDLER_FEATURES: Fields = Fields { name: "NodeRuntimeHandlerFeatures", fields: &[
    ("recursiveReadOnlyMounts", Type::Boolean),
    ("userNamespaces", Type::Boolean),
] };

static NODE_SELECTOR: Fields = Fields { name: "NodeSelector", fields: &[
    ("nodeSelectorTerms", Type::List(&Type::Object(&NODE_SELECTOR_TERM))),
] };

static NODE_SELECTOR_REQUIREMENT: Fields = Fields { name: "NodeSelectorRequirement", fields: &[
    ("key", Type::Text),
    ("operator", Type::Text),
    ("values", Type::List(&Type::Text)),
] };

static NODE_SELECTOR_TERM: Fields = Fields { name: "NodeSelectorTerm", fields: &[
    ("matchExpressions", Type::List(&Type::Object(&NODE_SELECTOR_REQUIREMENT))),
    ("matchFields", Type::List(&Type::Object(&NODE_SELECTOR_REQUIREMENT))),
] };

static NODE_SPEC: Fields = Fields { name: "NodeSpec", fields: &[
    ("configSource", Type::Object(&NODE_CONFIG_SOURCE)),
    ("externalID", Type::Text),
    ("podCIDR", Type::Text),
    ("podCIDRs", Type::List(&Type::Text)),
    ("providerID", Type::Text),
    ("taints", Type::List(&Type::Object(&TAINT))),
    ("unschedulable", Type::Boolean),
] };

static NODE_STATUS: Fields = Fields { name: "NodeStatus", fields: &[
    ("addresses", Type::List(&Type::Object(&NODE_ADDRESS))),
    ("allocatable", Type::Map(&Type::Quantity)),
    ("capacity", Type::Map(&Type::Quantity)),
    ("conditions", Type::List(&Type::Object(&NODE_CONDITION))),
    ("config", Type::Object(&NODE_CONFIG_STATUS)),
    ("daemonEndpoints", Type::Object(&NODE_DAEMON_ENDPOINTS)),
    ("declaredFeatures", Type::List(&Type::Text)),
    ("features", Type::Object(&NODE_FEATURES)),
    ("images", Type::List(&Type::Object(&CONTAINER_IMAGE))),
    ("nodeInfo", Type::Object(&NODE_SYSTEM_INFO)),
    ("phase", Type::Text),
    ("runtimeHandlers", Type::List(&Type::Object(&NODE_RUNTIME_HANDLER))),
    ("volumesAttached", Type::List(&Type::Object(&ATTACHED_VOLUME))),
    ("volumesInUse", Type::List(&Type::Text)),
] };

static NODE_SWAP_STATUS: Fields = Fields { name: "NodeSwapStatus", fields: &[
    ("capacity", Type::Int64),
] };

static NODE_SYSTEM_INFO: Fields = Fields { name: "NodeSystemInfo", fields: &[
    ("architecture", Type::Text),
    ("bootID", Type::Text),
    ("containerRuntimeVersion", Type::Text),
    ("kernelVersion", Type::Text),
    ("kubeProxyVersion", Type::Text),
    ("kubeletVersion", Type::Text),
    ("machineID", Type::Text),
    ("operatingSystem", Type::Text),
    ("osImage", Type::Text),
    ("swap", Type::Object(&NODE_SWAP_STATUS)),
    ("systemUUID", Type::Text),
] };

static OBJECT_FIELD_SELECTOR: Fields = Fields { name: "ObjectFieldSelector", fields: &[
    ("apiVersion", Type::Text),
    ("fieldPath", Type::Text),
] };

static OBJECT_REFERENCE: Fields = Fields { name: "ObjectReference", fields: &[
    ("apiVersion", Type::Text),
    ("fieldPath", Type::Text),
    ("kind", Type::Text),
    ("name", Type::Text),
    ("namespace", Type::Text),
    ("resourceVersion", Type::Text),
    ("uid", Type::Text),
] };

static PERSISTENT_VOLUME: Fields = Fields { name: "PersistentVolume", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&PERSISTENT_VOLUME_SPEC)),
    ("status", Type::Object(&PERSISTENT_VOLUME_STATUS)),
] };

static PERSISTENT_VOLUME_CLAIM: Fields = Fields { name: "PersistentVolumeClaim", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&PERSISTENT_VOLUME_CLAIM_SPEC)),
    ("status", Type::Object(&PERSISTENT_VOLUME_CLAIM_STATUS)),
] };

static PERSISTENT_VOLUME_CLAIM_CONDITION: Fields = Fields { name: "PersistentVolumeClaimCondition", fields: &[
    ("lastProbeTime", Type::Time),
    ("lastTransitionTime", Type::Time),
    ("message", Type::Text),
    ("reason", Type::Text),
    ("status", Type::Text),
    ("type", Type::Text),
] };

static PERSISTENT_VOLUME_CLAIM_SPEC: Fields = Fields { name: "PersistentVolumeClaimSpec", fields: &[
    ("accessModes", Type::List(&Type::Text)),
    ("dataSource", Type::Object(&TYPED_LOCAL_OBJECT_REFERENCE)),
    ("dataSourceRef", Type::Object(&TYPED_OBJECT_REFERENCE)),
    ("resources", Type::Object(&VOLUME_RESOURCE_REQUIREMENTS)),
    ("selector", Type::Object(&LABEL_SELECTOR)),
    ("storageClassName", Type::Text),
    ("volumeAttributesClassName", Type::Text),
    ("volumeMode", Type::Text),
    ("volumeName", Type::Text),
] };

static PERSISTENT_VOLUME_CLAIM_STATUS: Fields = Fields { name: "PersistentVolumeClaimStatus", fields: &[
    ("accessModes", Type::List(&Type::Text)),
    ("allocatedResourceStatuses", Type::Map(&Type::Text)),
    ("allocatedResources", Type::Map(&Type::Quantity)),
    ("capacity", Type::Map(&Type::Quantity)),
    ("conditions", Type::List(&Type::Object(&PERSISTENT_VOLUME_CLAIM_CONDITION))),
    ("currentVolumeAttributesClassName", Type::Text),
    ("modifyVolumeStatus", Type::Object(&MODIFY_VOLUME_STATUS)),
    ("phase", Type::Text),
] };

static PERSISTENT_VOLUME_CLAIM_TEMPLATE: Fields = Fields { name: "PersistentVolumeClaimTemplate", fields: &[
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&PERSISTENT_VOLUME_CLAIM_SPEC)),
] };

static PERSISTENT_VOLUME_CLAIM_VOLUME_SOURCE: Fields = Fields { name: "PersistentVolumeClaimVolumeSource", fields: &[
    ("claimName", Type::Text),
    ("readOnly", Type::Boolean),
] };

static PERSISTENT_VOLUME_SPEC: Fields = Fields { name: "PersistentVolumeSpec", fields: &[
    ("accessModes", Type::List(&Type::Text)),
    ("awsElasticBlockStore", Type::Object(&AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE)),
    ("azureDisk", Type::Object(&AZURE_DISK_VOLUME_SOURCE)),
    ("azureFile", Type::Object(&AZURE_FILE_PERSISTENT_VOLUME_SOURCE)),
    ("capacity", Type::Map(&Type::Quantity)),
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
    ("mountOptions", Type::List(&Type::Text)),
    ("nfs", Type::Object(&NFS_VOLUME_SOURCE)),
    ("nodeAffinity", Type::Object(&VOLUME_NODE_AFFINITY)),
    ("persistentVolumeReclaimPolicy", Type::Text),
    ("photonPersistentDisk", Type::Object(&PHOTON_PERSISTENT_DISK_VOLUME_SOURCE)),
    ("portworxVolume", Type::Object(&PORTWORX_VOLUME_SOURCE)),
    ("quobyte", Type::Object(&QUOBYTE_VOLUME_SOURCE)),
    ("rbd", Type::Object(&RBD_PERSISTENT_VOLUME_SOURCE)),
    ("scaleIO", Type::Object(&SCALE_IO_PERSISTENT_VOLUME_SOURCE)),
    ("storageClassName", Type::Text),
    ("storageos", Type::Object(&STORAGE_OS_PERSISTENT_VOLUME_SOURCE)),
    ("volumeAttributesClassName", Type::Text),
    ("volumeMode", Type::Text),
    ("vsphereVolume", Type::Object(&VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE)),
] };

static PERSISTENT_VOLUME_STATUS: Fields = Fields { name: "PersistentVolumeStatus", fields: &[
    ("lastPhaseTransitionTime", Type::Time),
    ("message", Type::Text),
    ("phase", Type::Text),
    ("reason", Type::Text),
] };

static PHOTON_PERSISTENT_DISK_VOLUME_SOURCE: Fields = Fields { name: "PhotonPersistentDiskVolumeSource", fields: &[
    ("fsType", Type::Text),
    ("pdID", Type::Text),
] };

static POD: Fields = Fields { name: "Pod", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
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
    ("matchLabelKeys", Type::List(&Type::Text)),
    ("mismatchLabelKeys", Type::List(&Type::Text)),
    ("namespaceSelector", Type::Object(&LABEL_SELECTOR)),
    ("namespaces", Type::List(&Type::Text)),
    ("topologyKey", Type::Text),
] };

static POD_ANTI_AFFINITY: Fields = Fields { name: "PodAntiAffinity", fields: &[
    ("preferredDuringSchedulingIgnoredDuringExecution", Type::List(&Type::Object(&WEIGHTED_POD_AFFINITY_TERM))),
    ("requiredDuringSchedulingIgnoredDuringExecution", Type::List(&Type::Object(&POD_AFFINITY_TERM))),
] };

static POD_CERTIFICATE_PROJECTION: Fields = Fields { name: "PodCertificateProjection", fields: &[
    ("certificateChainPath", Type::Text),
    ("credentialBundlePath", Type::Text),
    ("keyPath", Type::Text),
    ("keyType", Type::Text),
    ("maxExpirationSeconds", Type::Int32),
    ("signerName", Type::Text),
    ("userAnnotations", Type::Map(&Type::Text)),
] };

static POD_CONDITION: Fields = Fields { name: "PodCondition", fields: &[
    ("lastProbeTime", Type::Time),
    ("lastTransitionTime", Type::Time),
    ("message", Type::Text),
    ("observedGeneration", Type::Int64),
    ("reason", Type::Text),
    ("status", Type::Text),
    ("type", Type::Text),
] };

static POD_DNS_CONFIG: Fields = Fields { name: "PodDNSConfig", fields: &[
    ("nameservers", Type::List(&Type::Text)),
    ("options", Type::List(&Type::Object(&POD_DNS_CONFIG_OPTION))),
    ("searches", Type::List(&Type::Text)),
] };

static POD_DNS_CONFIG_OPTION: Fields = Fields { name: "PodDNSConfigOption", fields: &[
    ("name", Type::Text),
    ("value", Type::Text),
] };

static POD_EXTENDED_RESOURCE_CLAIM_STATUS: Fields = Fields { name: "PodExtendedResourceClaimStatus", fields: &[
    ("requestMappings", Type::List(&Type::Object(&CONTAINER_EXTENDED_RESOURCE_REQUEST))),
    ("resourceClaimName", Type::Text),
] };

static POD_IP: Fields = Fields { name: "PodIP", fields: &[
    ("ip", Type::Text),
] };

static POD_OS: Fields = Fields { name: "PodOS", fields: &[
    ("name", Type::Text),
] };

static POD_READINESS_GATE: Fields = Fields { name: "PodReadinessGate", fields: &[
    ("conditionType", Type::Text),
] };

static POD_RESOURCE_CLAIM: Fields = Fields { name: "PodResourceClaim", fields: &[
    ("name", Type::Text),
    ("resourceClaimName", Type::Text),
    ("resourceClaimTemplateName", Type::Text),
] };

static POD_RESOURCE_CLAIM_STATUS: Fields = Fields { name: "PodResourceClaimStatus", fields: &[
    ("name", Type::Text),
    ("resourceClaimName", Type::Text),
] };

static POD_SCHEDULING_GATE: Fields = Fields { name: "PodSchedulingGate", fields: &[
    ("name", Type::Text),
] };

static POD_SCHEDULING_GROUP: Fields = Fields { name: "PodSchedulingGroup", fields: &[
    ("podGroupName", Type::Text),
] };

static POD_SECURITY_CONTEXT: Fields = Fields { name: "PodSecurityContext", fields: &[
    ("appArmorProfile", Type::Object(&APP_ARMOR_PROFILE)),
    ("fsGroup", Type::Int64),
    ("fsGroupChangePolicy", Type::Text),
    ("runAsGroup", Type::Int64),
    ("runAsNonRoot", Type::Boolean),
    ("runAsUser", Type::Int64),
    ("seLinuxChangePolicy", Type::Text),
    ("seLinuxOptions", Type::Object(&SE_LINUX_OPTIONS)),
    ("seccompProfile", Type::Object(&SECCOMP_PROFILE)),
    ("supplementalGroups", Type::List(&Type::Int64)),
    ("supplementalGroupsPolicy", Type::Text),
    ("sysctls", Type::List(&Type::Object(&SYSCTL))),
    ("windowsOptions", Type::Object(&WINDOWS_SECURITY_CONTEXT_OPTIONS)),
] };

static POD_SPEC: Fields = Fields { name: "PodSpec", fields: &[
    ("activeDeadlineSeconds", Type::Int64),
    ("affinity", Type::Object(&AFFINITY)),
    ("automountServiceAccountToken", Type::Boolean),
    ("containers", Type::List(&Type::Object(&CONTAINER))),
    ("dnsConfig", Type::Object(&POD_DNS_CONFIG)),
    ("dnsPolicy", Type::Text),
    ("enableServiceLinks", Type::Boolean),
    ("ephemeralContainers", Type::List(&Type::Object(&EPHEMERAL_CONTAINER))),
    ("hostAliases", Type::List(&Type::Object(&HOST_ALIAS))),
    ("hostIPC", Type::Boolean),
    ("hostNetwork", Type::Boolean),
    ("hostPID", Type::Boolean),
    ("hostUsers", Type::Boolean),
    ("hostname", Type::Text),
    ("hostnameOverride", Type::Text),
    ("imagePullSecrets", Type::List(&Type::Object(&LOCAL_OBJECT_REFERENCE))),
    ("initContainers", Type::List(&Type::Object(&CONTAINER))),
    ("nodeName", Type::Text),
    ("nodeSelector", Type::Map(&Type::Text)),
    ("os", Type::Object(&POD_OS)),
    ("overhead", Type::Map(&Type::Quantity)),
    ("preemptionPolicy", Type::Text),
    ("priority", Type::Int32),
    ("priorityClassName", Type::Text),
    ("readinessGates", Type::List(&Type::Object(&POD_READINESS_GATE))),
    ("resourceClaims", Type::List(&Type::Object(&POD_RESOURCE_CLAIM))),
    ("resources", Type::Object(&RESOURCE_REQUIREMENTS)),
    ("restartPolicy", Type::Text),
    ("runtimeClassName", Type::Text),
    ("schedulerName", Type::Text),
    ("schedulingGates", Type::List(&Type::Object(&POD_SCHEDULING_GATE))),
    ("schedulingGroup", Type::Object(&POD_SCHEDULING_GROUP)),
    ("securityContext", Type::Object(&POD_SECURITY_CONTEXT)),
    ("serviceAccount", Type::Text),
    ("serviceAccountName", Type::Text),
    ("setHostnameAsFQDN", Type::Boolean),
    ("shareProcessNamespace", Type::Boolean),
    ("subdomain", Type::Text),
    ("terminationGracePeriodSeconds", Type::Int64),
    ("tolerations", Type::List(&Type::Object(&TOLERATION))),
    ("topologySpreadConstraints", Type::List(&Type::Object(&TOPOLOGY_SPREAD_CONSTRAINT))),
    ("volumes", Type::List(&Type::Object(&VOLUME))),
] };

static POD_STATUS: Fields = Fields { name: "PodStatus", fields: &[
    ("allocatedResources", Type::Map(&Type::Quantity)),
    ("conditions", Type::List(&Type::Object(&POD_CONDITION))),
    ("containerStatuses", Type::List(&Type::Object(&CONTAINER_STATUS))),
    ("ephemeralContainerStatuses", Type::List(&Type::Object(&CONTAINER_STATUS))),
    ("extendedResourceClaimStatus", Type::Object(&POD_EXTENDED_RESOURCE_CLAIM_STATUS)),
    ("hostIP", Type::Text),
    ("hostIPs", Type::List(&Type::Object(&HOST_IP))),
    ("initContainerStatuses", Type::List(&Type::Object(&CONTAINER_STATUS))),
    ("message", Type::Text),
    ("nodeAllocatableResourceClaimStatuses", Type::List(&Type::Object(&NODE_ALLOCATABLE_RESOURCE_CLAIM_STATUS))),
    ("nominatedNodeName", Type::Text),
    ("observedGeneration", Type::Int64),
    ("phase", Type::Text),
    ("podIP", Type::Text),
    ("podIPs", Type::List(&Type::Object(&POD_IP))),
    ("qosClass", Type::Text),
    ("reason", Type::Text),
    ("resize", Type::Text),
    ("resourceClaimStatuses", Type::List(&Type::Object(&POD_RESOURCE_CLAIM_STATUS))),
    ("resources", Type::Object(&RESOURCE_REQUIREMENTS)),
    ("startTime", Type::Time),
] };

static POD_TEMPLATE: Fields = Fields { name: "PodTemplate", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("template", Type::Object(&POD_TEMPLATE_SPEC)),
] };

static POD_TEMPLATE_SPEC: Fields = Fields { name: "PodTemplateSpec", fields: &[
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&POD_SPEC)),
] };

static PORT_STATUS: Fields = Fields { name: "PortStatus", fields: &[
    ("error", Type::Text),
    ("port", Type::Int32),
    ("protocol", Type::Text),
] };

static PORTWORX_VOLUME_SOURCE: Fields = Fields { name: "PortworxVolumeSource", fields: &[
    ("fsType", Type::Text),
    ("readOnly", Type::Boolean),
    ("volumeID", Type::Text),
] };

static PREFERRED_SCHEDULING_TERM: Fields = Fields { name: "PreferredSchedulingTerm", fields: &[
    ("preference", Type::Object(&NODE_SELECTOR_TERM)),
    ("weight", Type::Int32),
] };

static PROBE: Fields = Fields { name: "Probe", fields: &[
    ("exec", Type::Object(&EXEC_ACTION)),
    ("failureThreshold", Type::Int32),
    ("grpc", Type::Object(&GRPC_ACTION)),
    ("httpGet", Type::Object(&HTTP_GET_ACTION)),
    ("initialDelaySeconds", Type::Int32),
    ("periodSeconds", Type::Int32),
    ("successThreshold", Type::Int32),
    ("tcpSocket", Type::Object(&TCP_SOCKET_ACTION)),
    ("terminationGracePeriodSeconds", Type::Int64),
    ("timeoutSeconds", Type::Int32),
] };

static PROJECTED_VOLUME_SOURCE: Fields = Fields { name: "ProjectedVolumeSource", fields: &[
    ("defaultMode", Type::Int32),
    ("sources", Type::List(&Type::Object(&VOLUME_PROJECTION))),
] };

static QUOBYTE_VOLUME_SOURCE: Fields = Fields { name: "QuobyteVolumeSource", fields: &[
    ("group", Type::Text),
    ("readOnly", Type::Boolean),
    ("registry", Type::Text),
    ("tenant", Type::Text),
    ("user", Type::Text),
    ("volume", Type::Text),
] };

static RBD_PERSISTENT_VOLUME_SOURCE: Fields = Fields { name: "RBDPersistentVolumeSource", fields: &[
    ("fsType", Type::Text),
    ("image", Type::Text),
    ("keyring", Type::Text),
    ("monitors", Type::List(&Type::Text)),
    ("pool", Type::Text),
    ("readOnly", Type::Boolean),
    ("secretRef", Type::Object(&SECRET_REFERENCE)),
    ("user", Type::Text),
] };

static RBD_VOLUME_SOURCE: Fields = Fields { name: "RBDVolumeSource", fields: &[
    ("fsType", Type::Text),
    ("image", Type::Text),
    ("keyring", Type::Text),
    ("monitors", Type::List(&Type::Text)),
    ("pool", Type::Text),
    ("readOnly", Type::Boolean),
    ("secretRef", Type::Object(&LOCAL_OBJECT_REFERENCE)),
    ("user", Type::Text),
] };

static REPLICATION_CONTROLLER: Fields = Fields { name: "ReplicationController", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&REPLICATION_CONTROLLER_SPEC)),
    ("status", Type::Object(&REPLICATION_CONTROLLER_STATUS)),
] };

static REPLICATION_CONTROLLER_CONDITION: Fields = Fields { name: "ReplicationControllerCondition", fields: &[
    ("lastTransitionTime", Type::Time),
    ("message", Type::Text),
    ("reason", Type::Text),
    ("status", Type::Text),
    ("type", Type::Text),
] };

static REPLICATION_CONTROLLER_SPEC: Fields = Fields { name: "ReplicationControllerSpec", fields: &[
    ("minReadySeconds", Type::Int32),
    ("replicas", Type::Int32),
    ("selector", Type::Map(&Type::Text)),
    ("template", Type::Object(&POD_TEMPLATE_SPEC)),
] };

static REPLICATION_CONTROLLER_STATUS: Fields = Fields { name: "ReplicationControllerStatus", fields: &[
    ("availableReplicas", Type::Int32),
    ("conditions", Type::List(&Type::Object(&REPLICATION_CONTROLLER_CONDITION))),
    ("fullyLabeledReplicas", Type::Int32),
    ("observedGeneration", Type::Int64),
    ("readyReplicas", Type::Int32),
    ("replicas", Type::Int32),
] };

static CORE_V1_RESOURCE_CLAIM: Fields = Fields { name: "ResourceClaim", fields: &[
    ("name", Type::Text),
    ("request", Type::Text),
] };

static RESOURCE_FIELD_SELECTOR: Fields = Fields { name: "ResourceFieldSelector", fields: &[
    ("containerName", Type::Text),
    ("divisor", Type::Quantity),
    ("resource", Type::Text),
] };

static RESOURCE_HEALTH: Fields = Fields { name: "ResourceHealth", fields: &[
    ("health", Type::Text),
    ("message", Type::Text),
    ("resourceID", Type::Text),
] };

static RESOURCE_QUOTA: Fields = Fields { name: "ResourceQuota", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&RESOURCE_QUOTA_SPEC)),
    ("status", Type::Object(&RESOURCE_QUOTA_STATUS)),
] };

static RESOURCE_QUOTA_SPEC: Fields = Fields { name: "ResourceQuotaSpec", fields: &[
    ("hard", Type::Map(&Type::Quantity)),
    ("scopeSelector", Type::Object(&SCOPE_SELECTOR)),
    ("scopes", Type::List(&Type::Text)),
] };

static RESOURCE_QUOTA_STATUS: Fields = Fields { name: "ResourceQuotaStatus", fields: &[
    ("hard", Type::Map(&Type::Quantity)),
    ("used", Type::Map(&Type::Quantity)),
] };

static RESOURCE_REQUIREMENTS: Fields = Fields { name: "ResourceRequirements", fields: &[
    ("claims", Type::List(&Type::Object(&CORE_V1_RESOURCE_CLAIM))),
    ("limits", Type::Map(&Type::Quantity)),
    ("requests", Type::Map(&Type::Quantity)),
] };

static RESOURCE_STATUS: Fields = Fields { name: "ResourceStatus", fields: &[
    ("name", Type::Text),
    ("resources", Type::List(&Type::Object(&RESOURCE_HEALTH))),
] };

static SCALE_IO_PERSISTENT_VOLUME_SOURCE: Fields = Fields { name: "ScaleIOPersistentVolumeSource", fields: &[
    ("fsType", Type::Text),
    ("gateway", Type::Text),
    ("protectionDomain", Type::Text),
    ("readOnly", Type::Boolean),
    ("secretRef", Type::Object(&SECRET_REFERENCE)),
    ("sslEnabled", Type::Boolean),
    ("storageMode", Type::Text),
    ("storagePool", Type::Text),
    ("system", Type::Text),
    ("volumeName", Type::Text),
] };

static SCALE_IO_VOLUME_SOURCE: Fields = Fields { name: "ScaleIOVolumeSource", fields: &[
    ("fsType", Type::Text),
    ("gateway", Type::Text),
    ("protectionDomain", Type::Text),
    ("readOnly", Type::Boolean),
    ("secretRef", Type::Object(&LOCAL_OBJECT_REFERENCE)),
    ("sslEnabled", Type::Boolean),
    ("storageMode", Type::Text),
    ("storagePool", Type::Text),
    ("system", Type::Text),
    ("volumeName", Type::Text),
] };

static SCOPE_SELECTOR: Fields = Fields { name: "ScopeSelector", fields: &[
    ("matchExpressions", Type::List(&Type::Object(&SCOPED_RESOURCE_SELECTOR_REQUIREMENT))),
] };

static SCOPED_RESOURCE_SELECTOR_REQUIREMENT: Fields = Fields { name: "ScopedResourceSelectorRequirement", fields: &[
    ("operator", Type::Text),
    ("scopeName", Type::Text),
    ("values", Type::List(&Type::Text)),
] };

static SE_LINUX_OPTIONS: Fields = Fields { name: "SELinuxOptions", fields: &[
    ("level", Type::Text),
    ("role", Type::Text),
    ("type", Type::Text),
    ("user", Type::Text),
] };

static SECCOMP_PROFILE: Fields = Fields { name: "SeccompProfile", fields: &[
    ("localhostProfile", Type::Text),
    ("type", Type::Text),
] };

static SECRET: Fields = Fields { name: "Secret", fields: &[
    ("apiVersion", Type::Text),
    ("data", Type::Map(&Type::Bytes)),
    ("immutable", Type::Boolean),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("stringData", Type::Map(&Type::Text)),
    ("type", Type::Text),
] };

static SECRET_ENV_SOURCE: Fields = Fields { name: "SecretEnvSource", fields: &[
    ("name", Type::Text),
    ("optional", Type::Boolean),
] };

static SECRET_KEY_SELECTOR: Fields = Fields { name: "SecretKeySelector", fields: &[
    ("key", Type::Text),
    ("name", Type::Text),
    ("optional", Type::Boolean),
] };

static SECRET_PROJECTION: Fields = Fields { name: "SecretProjection", fields: &[
    ("items", Type::List(&Type::Object(&KEY_TO_PATH))),
    ("name", Type::Text),
    ("optional", Type::Boolean),
] };

static SECRET_REFERENCE: Fields = Fields { name: "SecretReference", fields: &[
    ("name", Type::Text),
    ("namespace", Type::Text),
] };

static SECRET_VOLUME_SOURCE: Fields = Fields { name: "SecretVolumeSource", fields: &[
    ("defaultMode", Type::Int32),
    ("items", Type::List(&Type::Object(&KEY_TO_PATH))),
    ("optional", Type::Boolean),
    ("secretName", Type::Text),
] };

static SECURITY_CONTEXT: Fields = Fields { name: "SecurityContext", fields: &[
    ("allowPrivilegeEscalation", Type::Boolean),
    ("appArmorProfile", Type::Object(&APP_ARMOR_PROFILE)),
    ("capabilities", Type::Object(&CAPABILITIES)),
    ("privileged", Type::Boolean),
    ("procMount", Type::Text),
    ("readOnlyRootFilesystem", Type::Boolean),
    ("runAsGroup", Type::Int64),
    ("runAsNonRoot", Type::Boolean),
    ("runAsUser", Type::Int64),
    ("seLinuxOptions", Type::Object(&SE_LINUX_OPTIONS)),
    ("seccompProfile", Type::Object(&SECCOMP_PROFILE)),
    ("windowsOptions", Type::Object(&WINDOWS_SECURITY_CONTEXT_OPTIONS)),
] };

static SERVICE: Fields = Fields { name: "Service", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&SERVICE_SPEC)),
    ("status", Type::Object(&SERVICE_STATUS)),
] };

static SERVICE_ACCOUNT: Fields = Fields { name: "ServiceAccount", fields: &[
    ("apiVersion", Type::Text),
    ("automountServiceAccountToken", Type::Boolean),
    ("imagePullSecrets", Type::List(&Type::Object(&LOCAL_OBJECT_REFERENCE))),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("secrets", Type::List(&Type::Object(&OBJECT_REFERENCE))),
] };

static SERVICE_ACCOUNT_TOKEN_PROJECTION: Fields = Fields { name: "ServiceAccountTokenProjection", fields: &[
    ("audience", Type::Text),
    ("expirationSeconds", Type::Int64),
    ("path", Type::Text),
] };

static SERVICE_PORT: Fields = Fields { name: "ServicePort", fields: &[
    ("appProtocol", Type::Text),
    ("name", Type::Text),
    ("nodePort", Type::Int32),
    ("port", Type::Int32),
    ("protocol", Type::Text),
    ("targetPort", Type::IntOrText),
] };

static SERVICE_SPEC: Fields = Fields { name: "ServiceSpec", fields: &[
    ("allocateLoadBalancerNodePorts", Type::Boolean),
    ("clusterIP", Type::Text),
    ("clusterIPs", Type::List(&Type::Text)),
    ("externalIPs", Type::List(&Type::Text)),
    ("externalName", Type::Text),
    ("externalTrafficPolicy", Type::Text),
    ("healthCheckNodePort", Type::Int32),
    ("internalTrafficPolicy", Type::Text),
    ("ipFamilies", Type::List(&Type::Text)),
    ("ipFamilyPolicy", Type::Text),
    ("loadBalancerClass", Type::Text),
    ("loadBalancerIP", Type::Text),
    ("loadBalancerSourceRanges", Type::List(&Type::Text)),
    ("ports", Type::List(&Type::Object(&SERVICE_PORT))),
    ("publishNotReadyAddresses", Type::Boolean),
    ("selector", Type::Map(&Type::Text)),
    ("sessionAffinity", Type::Text),
    ("sessionAffinityConfig", Type::Object(&SESSION_AFFINITY_CONFIG)),
    ("trafficDistribution", Type::Text),
    ("type", Type::Text),
] };

static SERVICE_STATUS: Fields = Fields { name: "ServiceStatus", fields: &[
    ("conditions", Type::List(&Type::Object(&CONDITION))),
    ("loadBalancer", Type::Object(&LOAD_BALANCER_STATUS)),
] };

static SESSION_AFFINITY_CONFIG: Fields = Fields { name: "SessionAffinityConfig", fields: &[
    ("clientIP", Type::Object(&CLIENT_IP_CONFIG)),
] };

static SLEEP_ACTION: Fields = Fields { name: "SleepAction", fields: &[
    ("seconds", Type::Int64),
] };

static STORAGE_OS_PERSISTENT_VOLUME_SOURCE: Fields = Fields { name: "StorageOSPersistentVolumeSource", fields: &[
    ("fsType", Type::Text),
    ("readOnly", Type::Boolean),
    ("secretRef", Type::Object(&OBJECT_REFERENCE)),
    ("volumeName", Type::Text),
    ("volumeNamespace", Type::Text),
] };

static STORAGE_OS_VOLUME_SOURCE: Fields = Fields { name: "StorageOSVolumeSource", fields: &[
    ("fsType", Type::Text),
    ("readOnly", Type::Boolean),
    ("secretRef", Type::Object(&LOCAL_OBJECT_REFERENCE)),
    ("volumeName", Type::Text),
    ("volumeNamespace", Type::Text),
] };

static SYSCTL: Fields = Fields { name: "Sysctl", fields: &[
    ("name", Type::Text),
    ("value", Type::Text),
] };

static TAINT: Fields = Fields { name: "Taint", fields: &[
    ("effect", Type::Text),
    ("key", Type::Text),
    ("timeAdded", Type::Time),
    ("value", Type::Text),
] };

static TCP_SOCKET_ACTION: Fields = Fields { name: "TCPSocketAction", fields: &[
    ("host", Type::Text),
    ("port", Type::IntOrText),
] };

static TOLERATION: Fields = Fields { name: "Toleration", fields: &[
    ("effect", Type::Text),
    ("key", Type::Text),
    ("operator", Type::Text),
    ("tolerationSeconds", Type::Int64),
    ("value", Type::Text),
] };

static TOPOLOGY_SELECTOR_LABEL_REQUIREMENT: Fields = Fields { name: "TopologySelectorLabelRequirement", fields: &[
    ("key", Type::Text),
    ("values", Type::List(&Type::Text)),
] };

static TOPOLOGY_SELECTOR_TERM: Fields = Fields { name: "TopologySelectorTerm", fields: &[
    ("matchLabelExpressions", Type::List(&Type::Object(&TOPOLOGY_SELECTOR_LABEL_REQUIREMENT))),
] };

static TOPOLOGY_SPREAD_CONSTRAINT: Fields = Fields { name: "TopologySpreadConstraint", fields: &[
    ("labelSelector", Type::Object(&LABEL_SELECTOR)),
    ("matchLabelKeys", Type::List(&Type::Text)),
    ("maxSkew", Type::Int32),
    ("minDomains", Type::Int32),
    ("nodeAffinityPolicy", Type::Text),
    ("nodeTaintsPolicy", Type::Text),
    ("topologyKey", Type::Text),
    ("whenUnsatisfiable", Type::Text),
] };

static TYPED_LOCAL_OBJECT_REFERENCE: Fields = Fields { name: "TypedLocalObjectReference", fields: &[
    ("apiGroup", Type::Text),
    ("kind", Type::Text),
    ("name", Type::Text),
] };

static TYPED_OBJECT_REFERENCE: Fields = Fields { name: "TypedObjectReference", fields: &[
    ("apiGroup", Type::Text),
    ("kind", Type::Text),
    ("name", Type::Text),
    ("namespace", Type::Text),
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
    ("name", Type::Text),
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
    ("devicePath", Type::Text),
    ("name", Type::Text),
] };

static VOLUME_MOUNT: Fields = Fields { name: "VolumeMount", fields: &[
    ("mountPath", Type::Text),
    ("mountPropagation", Type::Text),
    ("name", Type::Text),
    ("readOnly", Type::Boolean),
    ("recursiveReadOnly", Type::Text),
    ("subPath", Type::Text),
    ("subPathExpr", Type::Text),
] };

static VOLUME_MOUNT_STATUS: Fields = Fields { name: "VolumeMountStatus", fields: &[
    ("mountPath", Type::Text),
    ("name", Type::Text),
    ("readOnly", Type::Boolean),
    ("recursiveReadOnly", Type::Text),
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
    ("limits", Type::Map(&Type::Quantity)),
    ("requests", Type::Map(&Type::Quantity)),
] };

static VOLUME_STATUS: Fields = Fields { name: "VolumeStatus", fields: &[
    ("image", Type::Object(&IMAGE_VOLUME_STATUS)),
] };

static VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE: Fields = Fields { name: "VsphereVirtualDiskVolumeSource", fields: &[
    ("fsType", Type::Text),
    ("storagePolicyID", Type::Text),
    ("storagePolicyName", Type::Text),
    ("volumePath", Type::Text),
] };

static WEIGHTED_POD_AFFINITY_TERM: Fields = Fields { name: "WeightedPodAffinityTerm", fields: &[
    ("podAffinityTerm", Type::Object(&POD_AFFINITY_TERM)),
    ("weight", Type::Int32),
] };

static WINDOWS_SECURITY_CONTEXT_OPTIONS: Fields = Fields { name: "WindowsSecurityContextOptions", fields: &[
    ("gmsaCredentialSpec", Type::Text),
    ("gmsaCredentialSpecName", Type::Text),
    ("hostProcess", Type::Boolean),
    ("runAsUserName", Type::Text),
] };

static ENDPOINT: Fields = Fields { name: "Endpoint", fields: &[
    ("addresses", Type::List(&Type::Text)),
    ("conditions", Type::Object(&ENDPOINT_CONDITIONS)),
    ("deprecatedTopology", Type::Map(&Type::Text)),
    ("hints", Type::Object(&ENDPOINT_HINTS)),
    ("hostname", Type::Text),
    ("nodeName", Type::Text),
    ("targetRef", Type::Object(&OBJECT_REFERENCE)),
    ("zone", Type::Text),
] };

static ENDPOINT_CONDITIONS: Fields = Fields { name: "EndpointConditions", fields: &[
    ("ready", Type::Boolean),
    ("serving", Type::Boolean),
    ("terminating", Type::Boolean),
] };

static ENDPOINT_HINTS: Fields = Fields { name: "EndpointHints", fields: &[
    ("forNodes", Type::List(&Type::Object(&FOR_NODE))),
    ("forZones", Type::List(&Type::Object(&FOR_ZONE))),
] };

static ENDPOINT_SLICE: Fields = Fields { name: "EndpointSlice", fields: &[
    ("addressType", Type::Text),
    ("apiVersion", Type::Text),
    ("endpoints", Type::List(&Type::Object(&ENDPOINT))),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("ports", Type::List(&Type::Object(&ENDPOINT_PORT))),
] };

static FOR_NODE: Fields = Fields { name: "ForNode", fields: &[
    ("name", Type::Text),
] };

static FOR_ZONE: Fields = Fields { name: "ForZone", fields: &[
    ("name", Type::Text),
] };

static EVENTS_V1_EVENT: Fields = Fields { name: "Event", fields: &[
    ("action", Type::Text),
    ("apiVersion", Type::Text),
    ("deprecatedCount", Type::Int32),
    ("deprecatedFirstTimestamp", Type::Time),
    ("deprecatedLastTimestamp", Type::Time),
    ("deprecatedSource", Type::Object(&EVENT_SOURCE)),
    ("eventTime", Type::MicroTime),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("note", Type::Text),
    ("reason", Type::Text),
    ("regarding", Type::Object(&OBJECT_REFERENCE)),
    ("related", Type::Object(&OBJECT_REFERENCE)),
    ("reportingController", Type::Text),
    ("reportingInstance", Type::Text),
    ("series", Type::Object(&EVENT_SERIES)),
    ("type", Type::Text),
] };

static EXEMPT_PRIORITY_LEVEL_CONFIGURATION: Fields = Fields { name: "ExemptPriorityLevelConfiguration", fields: &[
    ("lendablePercent", Type::Int32),
    ("nominalConcurrencyShares", Type::Int32),
] };

static FLOW_DISTINGUISHER_METHOD: Fields = Fields { name: "FlowDistinguisherMethod", fields: &[
    ("type", Type::Text),
] };

static FLOW_SCHEMA: Fields = Fields { name: "FlowSchema", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&FLOW_SCHEMA_SPEC)),
    ("status", Type::Object(&FLOW_SCHEMA_STATUS)),
] };

static FLOW_SCHEMA_CONDITION: Fields = Fields { name: "FlowSchemaCondition", fields: &[
    ("lastTransitionTime", Type::Time),
    ("message", Type::Text),
    ("reason", Type::Text),
    ("status", Type::Text),
    ("type", Type::Text),
] };

static FLOW_SCHEMA_SPEC: Fields = Fields { name: "FlowSchemaSpec", fields: &[
    ("distinguisherMethod", Type::Object(&FLOW_DISTINGUISHER_METHOD)),
    ("matchingPrecedence", Type::Int32),
    ("priorityLevelConfiguration", Type::Object(&PRIORITY_LEVEL_CONFIGURATION_REFERENCE)),
    ("rules", Type::List(&Type::Object(&POLICY_RULES_WITH_SUBJECTS))),
] };

static FLOW_SCHEMA_STATUS: Fields = Fields { name: "FlowSchemaStatus", fields: &[
    ("conditions", Type::List(&Type::Object(&FLOW_SCHEMA_CONDITION))),
] };

static GROUP_SUBJECT: Fields = Fields { name: "GroupSubject", fields: &[
    ("name", Type::Text),
] };

static LIMIT_RESPONSE: Fields = Fields { name: "LimitResponse", fields: &[
    ("queuing", Type::Object(&QUEUING_CONFIGURATION)),
    ("type", Type::Text),
] };

static LIMITED_PRIORITY_LEVEL_CONFIGURATION: Fields = Fields { name: "LimitedPriorityLevelConfiguration", fields: &[
    ("borrowingLimitPercent", Type::Int32),
    ("lendablePercent", Type::Int32),
    ("limitResponse", Type::Object(&LIMIT_RESPONSE)),
    ("nominalConcurrencyShares", Type::Int32),
] };

static NON_RESOURCE_POLICY_RULE: Fields = Fields { name: "NonResourcePolicyRule", fields: &[
    ("nonResourceURLs", Type::List(&Type::Text)),
    ("verbs", Type::List(&Type::Text)),
] };

static POLICY_RULES_WITH_SUBJECTS: Fields = Fields { name: "PolicyRulesWithSubjects", fields: &[
    ("nonResourceRules", Type::List(&Type::Object(&NON_RESOURCE_POLICY_RULE))),
    ("resourceRules", Type::List(&Type::Object(&RESOURCE_POLICY_RULE))),
    ("subjects", Type::List(&Type::Object(&FLOWCONTROL_V1_SUBJECT))),
] };

static PRIORITY_LEVEL_CONFIGURATION: Fields = Fields { name: "PriorityLevelConfiguration", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&PRIORITY_LEVEL_CONFIGURATION_SPEC)),
    ("status", Type::Object(&PRIORITY_LEVEL_CONFIGURATION_STATUS)),
] };

static PRIORITY_LEVEL_CONFIGURATION_CONDITION: Fields = Fields { name: "PriorityLevelConfigurationCondition", fields: &[
    ("lastTransitionTime", Type::Time),
    ("message", Type::Text),
    ("reason", Type::Text),
    ("status", Type::Text),
    ("type", Type::Text),
] };

static PRIORITY_LEVEL_CONFIGURATION_REFERENCE: Fields = Fields { name: "PriorityLevelConfigurationReference", fields: &[
    ("name", Type::Text),
] };

static PRIORITY_LEVEL_CONFIGURATION_SPEC: Fields = Fields { name: "PriorityLevelConfigurationSpec", fields: &[
    ("exempt", Type::Object(&EXEMPT_PRIORITY_LEVEL_CONFIGURATION)),
    ("limited", Type::Object(&LIMITED_PRIORITY_LEVEL_CONFIGURATION)),
    ("type", Type::Text),
] };

static PRIORITY_LEVEL_CONFIGURATION_STATUS: Fields = Fields { name: "PriorityLevelConfigurationStatus", fields: &[
    ("conditions", Type::List(&Type::Object(&PRIORITY_LEVEL_CONFIGURATION_CONDITION))),
] };

static QUEUING_CONFIGURATION: Fields = Fields { name: "QueuingConfiguration", fields: &[
    ("handSize", Type::Int32),
    ("queueLengthLimit", Type::Int32),
    ("queues", Type::Int32),
] };

static RESOURCE_POLICY_RULE: Fields = Fields { name: "ResourcePolicyRule", fields: &[
    ("apiGroups", Type::List(&Type::Text)),
    ("clusterScope", Type::Boolean),
    ("namespaces", Type::List(&Type::Text)),
    ("resources", Type::List(&Type::Text)),
    ("verbs", Type::List(&Type::Text)),
] };

static SERVICE_ACCOUNT_SUBJECT: Fields = Fields { name: "ServiceAccountSubject", fields: &[
    ("name", Type::Text),
    ("namespace", Type::Text),
] };

static FLOWCONTROL_V1_SUBJECT: Fields = Fields { name: "Subject", fields: &[
    ("group", Type::Object(&GROUP_SUBJECT)),
    ("kind", Type::Text),
    ("serviceAccount", Type::Object(&SERVICE_ACCOUNT_SUBJECT)),
    ("user", Type::Object(&USER_SUBJECT)),
] };

static USER_SUBJECT: Fields = Fields { name: "UserSubject", fields: &[
    ("name", Type::Text),
] };

static HTTP_INGRESS_PATH: Fields = Fields { name: "HTTPIngressPath", fields: &[
    ("backend", Type::Object(&INGRESS_BACKEND)),
    ("path", Type::Text),
    ("pathType", Type::Text),
] };

static HTTP_INGRESS_RULE_VALUE: Fields = Fields { name: "HTTPIngressRuleValue", fields: &[
    ("paths", Type::List(&Type::Object(&HTTP_INGRESS_PATH))),
] };

static INGRESS: Fields = Fields { name: "Ingress", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&INGRESS_SPEC)),
    ("status", Type::Object(&INGRESS_STATUS)),
] };

static INGRESS_BACKEND: Fields = Fields { name: "IngressBackend", fields: &[
    ("resource", Type::Object(&TYPED_LOCAL_OBJECT_REFERENCE)),
    ("service", Type::Object(&INGRESS_SERVICE_BACKEND)),
] };

static INGRESS_CLASS: Fields = Fields { name: "IngressClass", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&INGRESS_CLASS_SPEC)),
] };

static INGRESS_CLASS_PARAMETERS_REFERENCE: Fields = Fields { name: "IngressClassParametersReference", fields: &[
    ("apiGroup", Type::Text),
    ("kind", Type::Text),
    ("name", Type::Text),
    ("namespace", Type::Text),
    ("scope", Type::Text),
] };

static INGRESS_CLASS_SPEC: Fields = Fields { name: "IngressClassSpec", fields: &[
    ("controller", Type::Text),
    ("parameters", Type::Object(&INGRESS_CLASS_PARAMETERS_REFERENCE)),
] };

static INGRESS_LOAD_BALANCER_INGRESS: Fields = Fields { name: "IngressLoadBalancerIngress", fields: &[
    ("hostname", Type::Text),
    ("ip", Type::Text),
    ("ports", Type::List(&Type::Object(&INGRESS_PORT_STATUS))),
] };

static INGRESS_LOAD_BALANCER_STATUS: Fields = Fields { name: "IngressLoadBalancerStatus", fields: &[
    ("ingress", Type::List(&Type::Object(&INGRESS_LOAD_BALANCER_INGRESS))),
] };

static INGRESS_PORT_STATUS: Fields = Fields { name: "IngressPortStatus", fields: &[
    ("error", Type::Text),
    ("port", Type::Int32),
    ("protocol", Type::Text),
] };

static INGRESS_RULE: Fields = Fields { name: "IngressRule", fields: &[
    ("host", Type::Text),
    ("http", Type::Object(&HTTP_INGRESS_RULE_VALUE)),
] };

static INGRESS_SERVICE_BACKEND: Fields = Fields { name: "IngressServiceBackend", fields: &[
    ("name", Type::Text),
    ("port", Type::Object(&SERVICE_BACKEND_PORT)),
] };

static INGRESS_SPEC: Fields = Fields { name: "IngressSpec", fields: &[
    ("defaultBackend", Type::Object(&INGRESS_BACKEND)),
    ("ingressClassName", Type::Text),
    ("rules", Type::List(&Type::Object(&INGRESS_RULE))),
    ("tls", Type::List(&Type::Object(&INGRESS_TLS))),
] };

static INGRESS_STATUS: Fields = Fields { name: "IngressStatus", fields: &[
    ("loadBalancer", Type::Object(&INGRESS_LOAD_BALANCER_STATUS)),
] };

static INGRESS_TLS: Fields = Fields { name: "IngressTLS", fields: &[
    ("hosts", Type::List(&Type::Text)),
    ("secretName", Type::Text),
] };

static IP_ADDRESS: Fields = Fields { name: "IPAddress", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&IP_ADDRESS_SPEC)),
] };

static IP_ADDRESS_SPEC: Fields = Fields { name: "IPAddressSpec", fields: &[
    ("parentRef", Type::Object(&PARENT_REFERENCE)),
] };

static IP_BLOCK: Fields = Fields { name: "IPBlock", fields: &[
    ("cidr", Type::Text),
    ("except", Type::List(&Type::Text)),
] };

static NETWORK_POLICY: Fields = Fields { name: "NetworkPolicy", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&NETWORK_POLICY_SPEC)),
] };

static NETWORK_POLICY_EGRESS_RULE: Fields = Fields { name: "NetworkPolicyEgressRule", fields: &[
    ("ports", Type::List(&Type::Object(&NETWORK_POLICY_PORT))),
    ("to", Type::List(&Type::Object(&NETWORK_POLICY_PEER))),
] };

static NETWORK_POLICY_INGRESS_RULE: Fields = Fields { name: "NetworkPolicyIngressRule", fields: &[
    ("from", Type::List(&Type::Object(&NETWORK_POLICY_PEER))),
    ("ports", Type::List(&Type::Object(&NETWORK_POLICY_PORT))),
] };

static NETWORK_POLICY_PEER: Fields = Fields { name: "NetworkPolicyPeer", fields: &[
    ("ipBlock", Type::Object(&IP_BLOCK)),
    ("namespaceSelector", Type::Object(&LABEL_SELECTOR)),
    ("podSelector", Type::Object(&LABEL_SELECTOR)),
] };

static NETWORK_POLICY_PORT: Fields = Fields { name: "NetworkPolicyPort", fields: &[
    ("endPort", Type::Int32),
    ("port", Type::IntOrText),
    ("protocol", Type::Text),
] };

static NETWORK_POLICY_SPEC: Fields = Fields { name: "NetworkPolicySpec", fields: &[
    ("egress", Type::List(&Type::Object(&NETWORK_POLICY_EGRESS_RULE))),
    ("ingress", Type::List(&Type::Object(&NETWORK_POLICY_INGRESS_RULE))),
    ("podSelector", Type::Object(&LABEL_SELECTOR)),
    ("policyTypes", Type::List(&Type::Text)),
] };

static PARENT_REFERENCE: Fields = Fields { name: "ParentReference", fields: &[
    ("group", Type::Text),
    ("name", Type::Text),
    ("namespace", Type::Text),
    ("resource", Type::Text),
] };

static SERVICE_BACKEND_PORT: Fields = Fields { name: "ServiceBackendPort", fields: &[
    ("name", Type::Text),
    ("number", Type::Int32),
] };

static SERVICE_CIDR: Fields = Fields { name: "ServiceCIDR", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&SERVICE_CIDR_SPEC)),
    ("status", Type::Object(&SERVICE_CIDR_STATUS)),
] };

static SERVICE_CIDR_SPEC: Fields = Fields { name: "ServiceCIDRSpec", fields: &[
    ("cidrs", Type::List(&Type::Text)),
] };

static SERVICE_CIDR_STATUS: Fields = Fields { name: "ServiceCIDRStatus", fields: &[
    ("conditions", Type::List(&Type::Object(&CONDITION))),
] };

static OVERHEAD: Fields = Fields { name: "Overhead", fields: &[
    ("podFixed", Type::Map(&Type::Quantity)),
] };

static RUNTIME_CLASS: Fields = Fields { name: "RuntimeClass", fields: &[
    ("apiVersion", Type::Text),
    ("handler", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("overhead", Type::Object(&OVERHEAD)),
    ("scheduling", Type::Object(&SCHEDULING)),
] };

static SCHEDULING: Fields = Fields { name: "Scheduling", fields: &[
    ("nodeSelector", Type::Map(&Type::Text)),
    ("tolerations", Type::List(&Type::Object(&TOLERATION))),
] };

static EVICTION: Fields = Fields { name: "Eviction", fields: &[
    ("apiVersion", Type::Text),
    ("deleteOptions", Type::Object(&DELETE_OPTIONS)),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
] };

static POD_DISRUPTION_BUDGET: Fields = Fields { name: "PodDisruptionBudget", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&POD_DISRUPTION_BUDGET_SPEC)),
    ("status", Type::Object(&POD_DISRUPTION_BUDGET_STATUS)),
] };

static POD_DISRUPTION_BUDGET_SPEC: Fields = Fields { name: "PodDisruptionBudgetSpec", fields: &[
    ("maxUnavailable", Type::IntOrText),
    ("minAvailable", Type::IntOrText),
    ("selector", Type::Object(&LABEL_SELECTOR)),
    ("unhealthyPodEvictionPolicy", Type::Text),
] };

static POD_DISRUPTION_BUDGET_STATUS: Fields = Fields { name: "PodDisruptionBudgetStatus", fields: &[
    ("conditions", Type::List(&Type::Object(&CONDITION))),
    ("currentHealthy", Type::Int32),
    ("desiredHealthy", Type::Int32),
    ("disruptedPods", Type::Map(&Type::Time)),
    ("disruptionsAllowed", Type::Int32),
    ("expectedPods", Type::Int32),
    ("observedGeneration", Type::Int64),
] };

static AGGREGATION_RULE: Fields = Fields { name: "AggregationRule", fields: &[
    ("clusterRoleSelectors", Type::List(&Type::Object(&LABEL_SELECTOR))),
] };

static CLUSTER_ROLE: Fields = Fields { name: "ClusterRole", fields: &[
    ("aggregationRule", Type::Object(&AGGREGATION_RULE)),
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("rules", Type::List(&Type::Object(&POLICY_RULE))),
] };

static CLUSTER_ROLE_BINDING: Fields = Fields { name: "ClusterRoleBinding", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("roleRef", Type::Object(&ROLE_REF)),
    ("subjects", Type::List(&Type::Object(&RBAC_V1_SUBJECT))),
] };

static POLICY_RULE: Fields = Fields { name: "PolicyRule", fields: &[
    ("apiGroups", Type::List(&Type::Text)),
    ("nonResourceURLs", Type::List(&Type::Text)),
    ("resourceNames", Type::List(&Type::Text)),
    ("resources", Type::List(&Type::Text)),
    ("verbs", Type::List(&Type::Text)),
] };

static ROLE: Fields = Fields { name: "Role", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("rules", Type::List(&Type::Object(&POLICY_RULE))),
] };

static ROLE_BINDING: Fields = Fields { name: "RoleBinding", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("roleRef", Type::Object(&ROLE_REF)),
    ("subjects", Type::List(&Type::Object(&RBAC_V1_SUBJECT))),
] };

static ROLE_REF: Fields = Fields { name: "RoleRef", fields: &[
    ("apiGroup", Type::Text),
    ("kind", Type::Text),
    ("name", Type::Text),
] };

static RBAC_V1_SUBJECT: Fields = Fields { name: "Subject", fields: &[
    ("apiGroup", Type::Text),
    ("kind", Type::Text),
    ("name", Type::Text),
    ("namespace", Type::Text),
] };

static ALLOCATED_DEVICE_STATUS: Fields = Fields { name: "AllocatedDeviceStatus", fields: &[
    ("conditions", Type::List(&Type::Object(&CONDITION))),
    ("data", Type::Any),
    ("device", Type::Text),
    ("driver", Type::Text),
    ("networkData", Type::Object(&NETWORK_DEVICE_DATA)),
    ("pool", Type::Text),
    ("shareID", Type::Text),
] };

static ALLOCATION_RESULT: Fields = Fields { name: "AllocationResult", fields: &[
    ("allocationTimestamp", Type::Time),
    ("devices", Type::Object(&DEVICE_ALLOCATION_RESULT)),
    ("nodeSelector", Type::Object(&NODE_SELECTOR)),
] };

static CAPACITY_REQUEST_POLICY: Fields = Fields { name: "CapacityRequestPolicy", fields: &[
    ("default", Type::Quantity),
    ("validRange", Type::Object(&CAPACITY_REQUEST_POLICY_RANGE)),
    ("validValues", Type::List(&Type::Quantity)),
] };

static CAPACITY_REQUEST_POLICY_RANGE: Fields = Fields { name: "CapacityRequestPolicyRange", fields: &[
    ("max", Type::Quantity),
    ("min", Type::Quantity),
    ("step", Type::Quantity),
] };

static CAPACITY_REQUIREMENTS: Fields = Fields { name: "CapacityRequirements", fields: &[
    ("requests", Type::Map(&Type::Quantity)),
] };

static CEL_DEVICE_SELECTOR: Fields = Fields { name: "CELDeviceSelector", fields: &[
    ("expression", Type::Text),
] };

static COUNTER: Fields = Fields { name: "Counter", fields: &[
    ("value", Type::Quantity),
] };

static COUNTER_SET: Fields = Fields { name: "CounterSet", fields: &[
    ("counters", Type::Map(&Type::Object(&COUNTER))),
    ("name", Type::Text),
] };

static RESOURCE_V1_DEVICE: Fields = Fields { name: "Device", fields: &[
    ("allNodes", Type::Boolean),
    ("allowMultipleAllocations", Type::Boolean),
    ("attributes", Type::Map(&Type::Object(&DEVICE_ATTRIBUTE))),
    ("bindingConditions", Type::List(&Type::Text)),
    ("bindingFailureConditions", Type::List(&Type::Text)),
    ("bindsToNode", Type::Boolean),
    ("capacity", Type::Map(&Type::Object(&DEVICE_CAPACITY))),
    ("consumesCounters", Type::List(&Type::Object(&DEVICE_COUNTER_CONSUMPTION))),
    ("name", Type::Text),
    ("nodeAllocatableResourceMappings", Type::Map(&Type::Object(&NODE_ALLOCATABLE_RESOURCE_MAPPING))),
    ("nodeName", Type::Text),
    ("nodeSelector", Type::Object(&NODE_SELECTOR)),
    ("taints", Type::List(&Type::Object(&DEVICE_TAINT))),
] };

static DEVICE_ALLOCATION_CONFIGURATION: Fields = Fields { name: "DeviceAllocationConfiguration", fields: &[
    ("opaque", Type::Object(&OPAQUE_DEVICE_CONFIGURATION)),
    ("requests", Type::List(&Type::Text)),
    ("source", Type::Text),
] };

static DEVICE_ALLOCATION_RESULT: Fields = Fields { name: "DeviceAllocationResult", fields: &[
    ("config", Type::List(&Type::Object(&DEVICE_ALLOCATION_CONFIGURATION))),
    ("results", Type::List(&Type::Object(&DEVICE_REQUEST_ALLOCATION_RESULT))),
] };

static DEVICE_ATTRIBUTE: Fields = Fields { name: "DeviceAttribute", fields: &[
    ("bool", Type::Boolean),
    ("bools", Type::List(&Type::Boolean)),
    ("int", Type::Int64),
    ("ints", Type::List(&Type::Int64)),
    ("string", Type::Text),
    ("strings", Type::List(&Type::Text)),
    ("version", Type::Text),
    ("versions", Type::List(&Type::Text)),
] };

static DEVICE_CAPACITY: Fields = Fields { name: "DeviceCapacity", fields: &[
    ("requestPolicy", Type::Object(&CAPACITY_REQUEST_POLICY)),
    ("value", Type::Quantity),
] };

static RESOURCE_V1_DEVICE_CLAIM: Fields = Fields { name: "DeviceClaim", fields: &[
    ("config", Type::List(&Type::Object(&DEVICE_CLAIM_CONFIGURATION))),
    ("constraints", Type::List(&Type::Object(&DEVICE_CONSTRAINT))),
    ("requests", Type::List(&Type::Object(&RESOURCE_V1_DEVICE_REQUEST))),
] };

static DEVICE_CLAIM_CONFIGURATION: Fields = Fields { name: "DeviceClaimConfiguration", fields: &[
    ("opaque", Type::Object(&OPAQUE_DEVICE_CONFIGURATION)),
    ("requests", Type::List(&Type::Text)),
] };

static DEVICE_CLASS: Fields = Fields { name: "DeviceClass", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&DEVICE_CLASS_SPEC)),
] };

static DEVICE_CLASS_CONFIGURATION: Fields = Fields { name: "DeviceClassConfiguration", fields: &[
    ("opaque", Type::Object(&OPAQUE_DEVICE_CONFIGURATION)),
] };

static DEVICE_CLASS_SPEC: Fields = Fields { name: "DeviceClassSpec", fields: &[
    ("config", Type::List(&Type::Object(&DEVICE_CLASS_CONFIGURATION))),
    ("extendedResourceName", Type::Text),
    ("selectors", Type::List(&Type::Object(&DEVICE_SELECTOR))),
] };

static DEVICE_CONSTRAINT: Fields = Fields { name: "DeviceConstraint", fields: &[
    ("distinctAttribute", Type::Text),
    ("matchAttribute", Type::Text),
    ("requests", Type::List(&Type::Text)),
] };

static DEVICE_COUNTER_CONSUMPTION: Fields = Fields { name: "DeviceCounterConsumption", fields: &[
    ("counterSet", Type::Text),
    ("counters", Type::Map(&Type::Object(&COUNTER))),
] };

static RESOURCE_V1_DEVICE_REQUEST: Fields = Fields { name: "DeviceRequest", fields: &[
    ("exactly", Type::Object(&EXACT_DEVICE_REQUEST)),
    ("firstAvailable", Type::List(&Type::Object(&DEVICE_SUB_REQUEST))),
    ("name", Type::Text),
] };

static DEVICE_REQUEST_ALLOCATION_RESULT: Fields = Fields { name: "DeviceRequestAllocationResult", fields: &[
    ("adminAccess", Type::Boolean),
    ("bindingConditions", Type::List(&Type::Text)),
    ("bindingFailureConditions", Type::List(&Type::Text)),
    ("consumedCapacity", Type::Map(&Type::Quantity)),
    ("device", Type::Text),
    ("driver", Type::Text),
    ("pool", Type::Text),
    ("request", Type::Text),
    ("shareID", Type::Text),
    ("tolerations", Type::List(&Type::Object(&DEVICE_TOLERATION))),
] };

static DEVICE_SELECTOR: Fields = Fields { name: "DeviceSelector", fields: &[
    ("cel", Type::Object(&CEL_DEVICE_SELECTOR)),
] };

static DEVICE_SUB_REQUEST: Fields = Fields { name: "DeviceSubRequest", fields: &[
    ("allocationMode", Type::Text),
    ("capacity", Type::Object(&CAPACITY_REQUIREMENTS)),
    ("count", Type::Int64),
    ("deviceClassName", Type::Text),
    ("name", Type::Text),
    ("selectors", Type::List(&Type::Object(&DEVICE_SELECTOR))),
    ("tolerations", Type::List(&Type::Object(&DEVICE_TOLERATION))),
] };

static DEVICE_TAINT: Fields = Fields { name: "DeviceTaint", fields: &[
    ("effect", Type::Text),
    ("key", Type::Text),
    ("timeAdded", Type::Time),
    ("value", Type::Text),
] };

static DEVICE_TOLERATION: Fields = Fields { name: "DeviceToleration", fields: &[
    ("effect", Type::Text),
    ("key", Type::Text),
    ("operator", Type::Text),
    ("tolerationSeconds", Type::Int64),
    ("value", Type::Text),
] };

static EXACT_DEVICE_REQUEST: Fields = Fields { name: "ExactDeviceRequest", fields: &[
    ("adminAccess", Type::Boolean),
    ("allocationMode", Type::Text),
    ("capacity", Type::Object(&CAPACITY_REQUIREMENTS)),
    ("count", Type::Int64),
    ("deviceClassName", Type::Text),
    ("selectors", Type::List(&Type::Object(&DEVICE_SELECTOR))),
    ("tolerations", Type::List(&Type::Object(&DEVICE_TOLERATION))),
] };

static NETWORK_DEVICE_DATA: Fields = Fields { name: "NetworkDeviceData", fields: &[
    ("hardwareAddress", Type::Text),
    ("interfaceName", Type::Text),
    ("ips", Type::List(&Type::Text)),
] };

static NODE_ALLOCATABLE_RESOURCE_MAPPING: Fields = Fields { name: "NodeAllocatableResourceMapping", fields: &[
    ("allocationMultiplier", Type::Quantity),
    ("capacityKey", Type::Text),
] };

static OPAQUE_DEVICE_CONFIGURATION: Fields = Fields { name: "OpaqueDeviceConfiguration", fields: &[
    ("driver", Type::Text),
    ("parameters", Type::Any),
] };

static RESOURCE_V1_RESOURCE_CLAIM: Fields = Fields { name: "ResourceClaim", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&RESOURCE_V1_RESOURCE_CLAIM_SPEC)),
    ("status", Type::Object(&RESOURCE_CLAIM_STATUS)),
] };

static RESOURCE_CLAIM_CONSUMER_REFERENCE: Fields = Fields { name: "ResourceClaimConsumerReference", fields: &[
    ("apiGroup", Type::Text),
    ("name", Type::Text),
    ("resource", Type::Text),
    ("uid", Type::Text),
] };

static RESOURCE_V1_RESOURCE_CLAIM_SPEC: Fields = Fields { name: "ResourceClaimSpec", fields: &[
    ("devices", Type::Object(&RESOURCE_V1_DEVICE_CLAIM)),
] };

static RESOURCE_CLAIM_STATUS: Fields = Fields { name: "ResourceClaimStatus", fields: &[
    ("allocation", Type::Object(&ALLOCATION_RESULT)),
    ("devices", Type::List(&Type::Object(&ALLOCATED_DEVICE_STATUS))),
    ("reservedFor", Type::List(&Type::Object(&RESOURCE_CLAIM_CONSUMER_REFERENCE))),
] };

static RESOURCE_V1_RESOURCE_CLAIM_TEMPLATE: Fields = Fields { name: "ResourceClaimTemplate", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&RESOURCE_V1_RESOURCE_CLAIM_TEMPLATE_SPEC)),
] };

static RESOURCE_V1_RESOURCE_CLAIM_TEMPLATE_SPEC: Fields = Fields { name: "ResourceClaimTemplateSpec", fields: &[
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&RESOURCE_V1_RESOURCE_CLAIM_SPEC)),
] };

static RESOURCE_POOL: Fields = Fields { name: "ResourcePool", fields: &[
    ("generation", Type::Int64),
    ("name", Type::Text),
    ("resourceSliceCount", Type::Int64),
] };

static RESOURCE_V1_RESOURCE_SLICE: Fields = Fields { name: "ResourceSlice", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&RESOURCE_V1_RESOURCE_SLICE_SPEC)),
] };

static RESOURCE_V1_RESOURCE_SLICE_SPEC: Fields = Fields { name: "ResourceSliceSpec", fields: &[
    ("allNodes", Type::Boolean),
    ("devices", Type::List(&Type::Object(&RESOURCE_V1_DEVICE))),
    ("driver", Type::Text),
    ("nodeName", Type::Text),
    ("nodeSelector", Type::Object(&NODE_SELECTOR)),
    ("perDeviceNodeSelection", Type::Boolean),
    ("pool", Type::Object(&RESOURCE_POOL)),
    ("sharedCounters", Type::List(&Type::Object(&COUNTER_SET))),
] };

static DEVICE_TAINT_RULE: Fields = Fields { name: "DeviceTaintRule", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&DEVICE_TAINT_RULE_SPEC)),
    ("status", Type::Object(&DEVICE_TAINT_RULE_STATUS)),
] };

static DEVICE_TAINT_RULE_SPEC: Fields = Fields { name: "DeviceTaintRuleSpec", fields: &[
    ("deviceSelector", Type::Object(&DEVICE_TAINT_SELECTOR)),
    ("taint", Type::Object(&DEVICE_TAINT)),
] };

static DEVICE_TAINT_RULE_STATUS: Fields = Fields { name: "DeviceTaintRuleStatus", fields: &[
    ("conditions", Type::List(&Type::Object(&CONDITION))),
] };

static DEVICE_TAINT_SELECTOR: Fields = Fields { name: "DeviceTaintSelector", fields: &[
    ("device", Type::Text),
    ("driver", Type::Text),
    ("pool", Type::Text),
] };

static POOL_STATUS: Fields = Fields { name: "PoolStatus", fields: &[
    ("allocatedDevices", Type::Int32),
    ("availableDevices", Type::Int32),
    ("driver", Type::Text),
    ("generation", Type::Int64),
    ("nodeName", Type::Text),
    ("poolName", Type::Text),
    ("resourceSliceCount", Type::Int32),
    ("totalDevices", Type::Int32),
    ("unavailableDevices", Type::Int32),
    ("validationError", Type::Text),
] };

static RESOURCE_POOL_STATUS_REQUEST: Fields = Fields { name: "ResourcePoolStatusRequest", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&RESOURCE_POOL_STATUS_REQUEST_SPEC)),
    ("status", Type::Object(&RESOURCE_POOL_STATUS_REQUEST_STATUS)),
] };

static RESOURCE_POOL_STATUS_REQUEST_SPEC: Fields = Fields { name: "ResourcePoolStatusRequestSpec", fields: &[
    ("driver", Type::Text),
    ("limit", Type::Int32),
    ("poolName", Type::Text),
] };

static RESOURCE_POOL_STATUS_REQUEST_STATUS: Fields = Fields { name: "ResourcePoolStatusRequestStatus", fields: &[
    ("conditions", Type::List(&Type::Object(&CONDITION))),
    ("poolCount", Type::Int32),
    ("pools", Type::List(&Type::Object(&POOL_STATUS))),
] };

static BASIC_DEVICE: Fields = Fields { name: "BasicDevice", fields: &[
    ("allNodes", Type::Boolean),
    ("allowMultipleAllocations", Type::Boolean),
    ("attributes", Type::Map(&Type::Object(&DEVICE_ATTRIBUTE))),
    ("bindingConditions", Type::List(&Type::Text)),
    ("bindingFailureConditions", Type::List(&Type::Text)),
    ("bindsToNode", Type::Boolean),
    ("capacity", Type::Map(&Type::Object(&DEVICE_CAPACITY))),
    ("consumesCounters", Type::List(&Type::Object(&DEVICE_COUNTER_CONSUMPTION))),
    ("nodeAllocatableResourceMappings", Type::Map(&Type::Object(&NODE_ALLOCATABLE_RESOURCE_MAPPING))),
    ("nodeName", Type::Text),
    ("nodeSelector", Type::Object(&NODE_SELECTOR)),
    ("taints", Type::List(&Type::Object(&DEVICE_TAINT))),
] };

static RESOURCE_V1BETA1_DEVICE: Fields = Fields { name: "Device", fields: &[
    ("basic", Type::Object(&BASIC_DEVICE)),
    ("name", Type::Text),
] };

static RESOURCE_V1BETA1_DEVICE_CLAIM: Fields = Fields { name: "DeviceClaim", fields: &[
    ("config", Type::List(&Type::Object(&DEVICE_CLAIM_CONFIGURATION))),
    ("constraints", Type::List(&Type::Object(&DEVICE_CONSTRAINT))),
    ("requests", Type::List(&Type::Object(&RESOURCE_V1BETA1_DEVICE_REQUEST))),
] };

static RESOURCE_V1BETA1_DEVICE_REQUEST: Fields = Fields { name: "DeviceRequest", fields: &[
    ("adminAccess", Type::Boolean),
    ("allocationMode", Type::Text),
    ("capacity", Type::Object(&CAPACITY_REQUIREMENTS)),
    ("count", Type::Int64),
    ("deviceClassName", Type::Text),
    ("firstAvailable", Type::List(&Type::Object(&DEVICE_SUB_REQUEST))),
    ("name", Type::Text),
    ("selectors", Type::List(&Type::Object(&DEVICE_SELECTOR))),
    ("tolerations", Type::List(&Type::Object(&DEVICE_TOLERATION))),
] };

static RESOURCE_V1BETA1_RESOURCE_CLAIM: Fields = Fields { name: "ResourceClaim", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&RESOURCE_V1BETA1_RESOURCE_CLAIM_SPEC)),
    ("status", Type::Object(&RESOURCE_CLAIM_STATUS)),
] };

static RESOURCE_V1BETA1_RESOURCE_CLAIM_SPEC: Fields = Fields { name: "ResourceClaimSpec", fields: &[
    ("devices", Type::Object(&RESOURCE_V1BETA1_DEVICE_CLAIM)),
] };

static RESOURCE_V1BETA1_RESOURCE_CLAIM_TEMPLATE: Fields = Fields { name: "ResourceClaimTemplate", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&RESOURCE_V1BETA1_RESOURCE_CLAIM_TEMPLATE_SPEC)),
] };

static RESOURCE_V1BETA1_RESOURCE_CLAIM_TEMPLATE_SPEC: Fields = Fields { name: "ResourceClaimTemplateSpec", fields: &[
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&RESOURCE_V1BETA1_RESOURCE_CLAIM_SPEC)),
] };

static RESOURCE_V1BETA1_RESOURCE_SLICE: Fields = Fields { name: "ResourceSlice", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&RESOURCE_V1BETA1_RESOURCE_SLICE_SPEC)),
] };

static RESOURCE_V1BETA1_RESOURCE_SLICE_SPEC: Fields = Fields { name: "ResourceSliceSpec", fields: &[
    ("allNodes", Type::Boolean),
    ("devices", Type::List(&Type::Object(&RESOURCE_V1BETA1_DEVICE))),
    ("driver", Type::Text),
    ("nodeName", Type::Text),
    ("nodeSelector", Type::Object(&NODE_SELECTOR)),
    ("perDeviceNodeSelection", Type::Boolean),
    ("pool", Type::Object(&RESOURCE_POOL)),
    ("sharedCounters", Type::List(&Type::Object(&COUNTER_SET))),
] };

static PRIORITY_CLASS: Fields = Fields { name: "PriorityClass", fields: &[
    ("apiVersion", Type::Text),
    ("description", Type::Text),
    ("globalDefault", Type::Boolean),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("preemptionPolicy", Type::Text),
    ("value", Type::Int32),
] };

static BASIC_SCHEDULING_POLICY: Fields = Fields { name: "BasicSchedulingPolicy", fields: &[
] };

static GANG_SCHEDULING_POLICY: Fields = Fields { name: "GangSchedulingPolicy", fields: &[
    ("minCount", Type::Int32),
] };

static POD_GROUP: Fields = Fields { name: "PodGroup", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&POD_GROUP_SPEC)),
    ("status", Type::Object(&POD_GROUP_STATUS)),
] };

static POD_GROUP_RESOURCE_CLAIM: Fields = Fields { name: "PodGroupResourceClaim", fields: &[
    ("name", Type::Text),
    ("resourceClaimName", Type::Text),
    ("resourceClaimTemplateName", Type::Text),
] };

static POD_GROUP_RESOURCE_CLAIM_STATUS: Fields = Fields { name: "PodGroupResourceClaimStatus", fields: &[
    ("name", Type::Text),
    ("resourceClaimName", Type::Text),
] };

static POD_GROUP_SCHEDULING_CONSTRAINTS: Fields = Fields { name: "PodGroupSchedulingConstraints", fields: &[
    ("topology", Type::List(&Type::Object(&TOPOLOGY_CONSTRAINT))),
] };

static POD_GROUP_SCHEDULING_POLICY: Fields = Fields { name: "PodGroupSchedulingPolicy", fields: &[
    ("basic", Type::Object(&BASIC_SCHEDULING_POLICY)),
    ("gang", Type::Object(&GANG_SCHEDULING_POLICY)),
] };

static POD_GROUP_SPEC: Fields = Fields { name: "PodGroupSpec", fields: &[
    ("disruptionMode", Type::Text),
    ("podGroupTemplateRef", Type::Object(&POD_GROUP_TEMPLATE_REFERENCE)),
    ("priority", Type::Int32),
    ("priorityClassName", Type::Text),
    ("resourceClaims", Type::List(&Type::Object(&POD_GROUP_RESOURCE_CLAIM))),
    ("schedulingConstraints", Type::Object(&POD_GROUP_SCHEDULING_CONSTRAINTS)),
    ("schedulingPolicy", Type::Object(&POD_GROUP_SCHEDULING_POLICY)),
] };

static POD_GROUP_STATUS: Fields = Fields { name: "PodGroupStatus", fields: &[
    ("conditions", Type::List(&Type::Object(&CONDITION))),
    ("resourceClaimStatuses", Type::List(&Type::Object(&POD_GROUP_RESOURCE_CLAIM_STATUS))),
] };

static POD_GROUP_TEMPLATE: Fields = Fields { name: "PodGroupTemplate", fields: &[
    ("disruptionMode", Type::Text),
    ("name", Type::Text),
    ("priority", Type::Int32),
    ("priorityClassName", Type::Text),
    ("resourceClaims", Type::List(&Type::Object(&POD_GROUP_RESOURCE_CLAIM))),
    ("schedulingConstraints", Type::Object(&POD_GROUP_SCHEDULING_CONSTRAINTS)),
    ("schedulingPolicy", Type::Object(&POD_GROUP_SCHEDULING_POLICY)),
] };

static POD_GROUP_TEMPLATE_REFERENCE: Fields = Fields { name: "PodGroupTemplateReference", fields: &[
    ("workload", Type::Object(&WORKLOAD_POD_GROUP_TEMPLATE_REFERENCE)),
] };

static TOPOLOGY_CONSTRAINT: Fields = Fields { name: "TopologyConstraint", fields: &[
    ("key", Type::Text),
] };

static WORKLOAD: Fields = Fields { name: "Workload", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&WORKLOAD_SPEC)),
] };

static WORKLOAD_POD_GROUP_TEMPLATE_REFERENCE: Fields = Fields { name: "WorkloadPodGroupTemplateReference", fields: &[
    ("podGroupTemplateName", Type::Text),
    ("workloadName", Type::Text),
] };

static WORKLOAD_SPEC: Fields = Fields { name: "WorkloadSpec", fields: &[
    ("controllerRef", Type::Object(&TYPED_LOCAL_OBJECT_REFERENCE)),
    ("podGroupTemplates", Type::List(&Type::Object(&POD_GROUP_TEMPLATE))),
] };

static CSI_DRIVER: Fields = Fields { name: "CSIDriver", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&CSI_DRIVER_SPEC)),
] };

static CSI_DRIVER_SPEC: Fields = Fields { name: "CSIDriverSpec", fields: &[
    ("attachRequired", Type::Boolean),
    ("fsGroupPolicy", Type::Text),
    ("nodeAllocatableUpdatePeriodSeconds", Type::Int64),
    ("podInfoOnMount", Type::Boolean),
    ("preventPodSchedulingIfMissing", Type::Boolean),
    ("requiresRepublish", Type::Boolean),
    ("seLinuxMount", Type::Boolean),
    ("serviceAccountTokenInSecrets", Type::Boolean),
    ("storageCapacity", Type::Boolean),
    ("tokenRequests", Type::List(&Type::Object(&STORAGE_V1_TOKEN_REQUEST))),
    ("volumeLifecycleModes", Type::List(&Type::Text)),
] };

static CSI_NODE: Fields = Fields { name: "CSINode", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&CSI_NODE_SPEC)),
] };

static CSI_NODE_DRIVER: Fields = Fields { name: "CSINodeDriver", fields: &[
    ("allocatable", Type::Object(&VOLUME_NODE_RESOURCES)),
    ("name", Type::Text),
    ("nodeID", Type::Text),
    ("topologyKeys", Type::List(&Type::Text)),
] };

static CSI_NODE_SPEC: Fields = Fields { name: "CSINodeSpec", fields: &[
    ("drivers", Type::List(&Type::Object(&CSI_NODE_DRIVER))),
] };

static CSI_STORAGE_CAPACITY: Fields = Fields { name: "CSIStorageCapacity", fields: &[
    ("apiVersion", Type::Text),
    ("capacity", Type::Quantity),
    ("kind", Type::Text),
    ("maximumVolumeSize", Type::Quantity),
    ("metadata", Type::Object(&OBJECT_META)),
    ("nodeTopology", Type::Object(&LABEL_SELECTOR)),
    ("storageClassName", Type::Text),
] };

static STORAGE_CLASS: Fields = Fields { name: "StorageClass", fields: &[
    ("allowVolumeExpansion", Type::Boolean),
    ("allowedTopologies", Type::List(&Type::Object(&TOPOLOGY_SELECTOR_TERM))),
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("mountOptions", Type::List(&Type::Text)),
    ("parameters", Type::Map(&Type::Text)),
    ("provisioner", Type::Text),
    ("reclaimPolicy", Type::Text),
    ("volumeBindingMode", Type::Text),
] };

static STORAGE_V1_TOKEN_REQUEST: Fields = Fields { name: "TokenRequest", fields: &[
    ("audience", Type::Text),
    ("expirationSeconds", Type::Int64),
] };

static VOLUME_ATTACHMENT: Fields = Fields { name: "VolumeAttachment", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&VOLUME_ATTACHMENT_SPEC)),
    ("status", Type::Object(&VOLUME_ATTACHMENT_STATUS)),
] };

static VOLUME_ATTACHMENT_SOURCE: Fields = Fields { name: "VolumeAttachmentSource", fields: &[
    ("inlineVolumeSpec", Type::Object(&PERSISTENT_VOLUME_SPEC)),
    ("persistentVolumeName", Type::Text),
] };

static VOLUME_ATTACHMENT_SPEC: Fields = Fields { name: "VolumeAttachmentSpec", fields: &[
    ("attacher", Type::Text),
    ("nodeName", Type::Text),
    ("source", Type::Object(&VOLUME_ATTACHMENT_SOURCE)),
] };

static VOLUME_ATTACHMENT_STATUS: Fields = Fields { name: "VolumeAttachmentStatus", fields: &[
    ("attachError", Type::Object(&VOLUME_ERROR)),
    ("attached", Type::Boolean),
    ("attachmentMetadata", Type::Map(&Type::Text)),
    ("detachError", Type::Object(&VOLUME_ERROR)),
] };

static VOLUME_ATTRIBUTES_CLASS: Fields = Fields { name: "VolumeAttributesClass", fields: &[
    ("apiVersion", Type::Text),
    ("driverName", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("parameters", Type::Map(&Type::Text)),
] };

static VOLUME_ERROR: Fields = Fields { name: "VolumeError", fields: &[
    ("errorCode", Type::Int32),
    ("message", Type::Text),
    ("time", Type::Time),
] };

static VOLUME_NODE_RESOURCES: Fields = Fields { name: "VolumeNodeResources", fields: &[
    ("count", Type::Int32),
] };

static STORAGE_VERSION_MIGRATION: Fields = Fields { name: "StorageVersionMigration", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&STORAGE_VERSION_MIGRATION_SPEC)),
    ("status", Type::Object(&STORAGE_VERSION_MIGRATION_STATUS)),
] };

static STORAGE_VERSION_MIGRATION_SPEC: Fields = Fields { name: "StorageVersionMigrationSpec", fields: &[
    ("resource", Type::Object(&GROUP_RESOURCE)),
] };

static STORAGE_VERSION_MIGRATION_STATUS: Fields = Fields { name: "StorageVersionMigrationStatus", fields: &[
    ("conditions", Type::List(&Type::Object(&CONDITION))),
    ("resourceVersion", Type::Text),
] };

static CUSTOM_RESOURCE_COLUMN_DEFINITION: Fields = Fields { name: "CustomResourceColumnDefinition", fields: &[
    ("description", Type::Text),
    ("format", Type::Text),
    ("jsonPath", Type::Text),
    ("name", Type::Text),
    ("priority", Type::Int32),
    ("type", Type::Text),
] };

static CUSTOM_RESOURCE_CONVERSION: Fields = Fields { name: "CustomResourceConversion", fields: &[
    ("strategy", Type::Text),
    ("webhook", Type::Object(&WEBHOOK_CONVERSION)),
] };

static CUSTOM_RESOURCE_DEFINITION: Fields = Fields { name: "CustomResourceDefinition", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&CUSTOM_RESOURCE_DEFINITION_SPEC)),
    ("status", Type::Object(&CUSTOM_RESOURCE_DEFINITION_STATUS)),
] };

static CUSTOM_RESOURCE_DEFINITION_CONDITION: Fields = Fields { name: "CustomResourceDefinitionCondition", fields: &[
    ("lastTransitionTime", Type::Time),
    ("message", Type::Text),
    ("observedGeneration", Type::Int64),
    ("reason", Type::Text),
    ("status", Type::Text),
    ("type", Type::Text),
] };

static CUSTOM_RESOURCE_DEFINITION_NAMES: Fields = Fields { name: "CustomResourceDefinitionNames", fields: &[
    ("categories", Type::List(&Type::Text)),
    ("kind", Type::Text),
    ("listKind", Type::Text),
    ("plural", Type::Text),
    ("shortNames", Type::List(&Type::Text)),
    ("singular", Type::Text),
] };

static CUSTOM_RESOURCE_DEFINITION_SPEC: Fields = Fields { name: "CustomResourceDefinitionSpec", fields: &[
    ("conversion", Type::Object(&CUSTOM_RESOURCE_CONVERSION)),
    ("group", Type::Text),
    ("names", Type::Object(&CUSTOM_RESOURCE_DEFINITION_NAMES)),
    ("preserveUnknownFields", Type::Boolean),
    ("scope", Type::Text),
    ("versions", Type::List(&Type::Object(&CUSTOM_RESOURCE_DEFINITION_VERSION))),
] };

static CUSTOM_RESOURCE_DEFINITION_STATUS: Fields = Fields { name: "CustomResourceDefinitionStatus", fields: &[
    ("acceptedNames", Type::Object(&CUSTOM_RESOURCE_DEFINITION_NAMES)),
    ("conditions", Type::List(&Type::Object(&CUSTOM_RESOURCE_DEFINITION_CONDITION))),
    ("observedGeneration", Type::Int64),
    ("storedVersions", Type::List(&Type::Text)),
] };

static CUSTOM_RESOURCE_DEFINITION_VERSION: Fields = Fields { name: "CustomResourceDefinitionVersion", fields: &[
    ("additionalPrinterColumns", Type::List(&Type::Object(&CUSTOM_RESOURCE_COLUMN_DEFINITION))),
    ("deprecated", Type::Boolean),
    ("deprecationWarning", Type::Text),
    ("name", Type::Text),
    ("schema", Type::Object(&CUSTOM_RESOURCE_VALIDATION)),
    ("selectableFields", Type::List(&Type::Object(&SELECTABLE_FIELD))),
    ("served", Type::Boolean),
    ("storage", Type::Boolean),
    ("subresources", Type::Object(&CUSTOM_RESOURCE_SUBRESOURCES)),
] };

static CUSTOM_RESOURCE_SUBRESOURCE_SCALE: Fields = Fields { name: "CustomResourceSubresourceScale", fields: &[
    ("labelSelectorPath", Type::Text),
    ("specReplicasPath", Type::Text),
    ("statusReplicasPath", Type::Text),
] };

static CUSTOM_RESOURCE_SUBRESOURCE_STATUS: Fields = Fields { name: "CustomResourceSubresourceStatus", fields: &[
] };

static CUSTOM_RESOURCE_SUBRESOURCES: Fields = Fields { name: "CustomResourceSubresources", fields: &[
    ("scale", Type::Object(&CUSTOM_RESOURCE_SUBRESOURCE_SCALE)),
    ("status", Type::Object(&CUSTOM_RESOURCE_SUBRESOURCE_STATUS)),
] };

static CUSTOM_RESOURCE_VALIDATION: Fields = Fields { name: "CustomResourceValidation", fields: &[
    ("openAPIV3Schema", Type::Object(&JSON_SCHEMA_PROPS)),
] };

static EXTERNAL_DOCUMENTATION: Fields = Fields { name: "ExternalDocumentation", fields: &[
    ("description", Type::Text),
    ("url", Type::Text),
] };

static JSON_SCHEMA_PROPS: Fields = Fields { name: "JSONSchemaProps", fields: &[
    ("$ref", Type::Text),
    ("$schema", Type::Text),
    ("additionalItems", Type::Any),
    ("additionalProperties", Type::Any),
    ("allOf", Type::List(&Type::Object(&JSON_SCHEMA_PROPS))),
    ("anyOf", Type::List(&Type::Object(&JSON_SCHEMA_PROPS))),
    ("default", Type::Any),
    ("definitions", Type::Map(&Type::Object(&JSON_SCHEMA_PROPS))),
    ("dependencies", Type::Map(&Type::Any)),
    ("description", Type::Text),
    ("enum", Type::List(&Type::Any)),
    ("example", Type::Any),
    ("exclusiveMaximum", Type::Boolean),
    ("exclusiveMinimum", Type::Boolean),
    ("externalDocs", Type::Object(&EXTERNAL_DOCUMENTATION)),
    ("format", Type::Text),
    ("id", Type::Text),
    ("items", Type::Any),
    ("maxItems", Type::Int64),
    ("maxLength", Type::Int64),
    ("maxProperties", Type::Int64),
    ("maximum", Type::Number),
    ("minItems", Type::Int64),
    ("minLength", Type::Int64),
    ("minProperties", Type::Int64),
    ("minimum", Type::Number),
    ("multipleOf", Type::Number),
    ("not", Type::Object(&JSON_SCHEMA_PROPS)),
    ("nullable", Type::Boolean),
    ("oneOf", Type::List(&Type::Object(&JSON_SCHEMA_PROPS))),
    ("pattern", Type::Text),
    ("patternProperties", Type::Map(&Type::Object(&JSON_SCHEMA_PROPS))),
    ("properties", Type::Map(&Type::Object(&JSON_SCHEMA_PROPS))),
    ("required", Type::List(&Type::Text)),
    ("title", Type::Text),
    ("type", Type::Text),
    ("uniqueItems", Type::Boolean),
    ("x-kubernetes-embedded-resource", Type::Boolean),
    ("x-kubernetes-int-or-string", Type::Boolean),
    ("x-kubernetes-list-map-keys", Type::List(&Type::Text)),
    ("x-kubernetes-list-type", Type::Text),
    ("x-kubernetes-map-type", Type::Text),
    ("x-kubernetes-preserve-unknown-fields", Type::Boolean),
    ("x-kubernetes-validations", Type::List(&Type::Object(&VALIDATION_RULE))),
] };

static SELECTABLE_FIELD: Fields = Fields { name: "SelectableField", fields: &[
    ("jsonPath", Type::Text),
] };

static VALIDATION_RULE: Fields = Fields { name: "ValidationRule", fields: &[
    ("fieldPath", Type::Text),
    ("message", Type::Text),
    ("messageExpression", Type::Text),
    ("optionalOldSelf", Type::Boolean),
    ("reason", Type::Text),
    ("rule", Type::Text),
] };

static WEBHOOK_CONVERSION: Fields = Fields { name: "WebhookConversion", fields: &[
    ("clientConfig", Type::Object(&WEBHOOK_CLIENT_CONFIG)),
    ("conversionReviewVersions", Type::List(&Type::Text)),
] };

static CONDITION: Fields = Fields { name: "Condition", fields: &[
    ("lastTransitionTime", Type::Time),
    ("message", Type::Text),
    ("observedGeneration", Type::Int64),
    ("reason", Type::Text),
    ("status", Type::Text),
    ("type", Type::Text),
] };

static DELETE_OPTIONS: Fields = Fields { name: "DeleteOptions", fields: &[
    ("apiVersion", Type::Text),
    ("dryRun", Type::List(&Type::Text)),
    ("gracePeriodSeconds", Type::Int64),
    ("ignoreStoreReadErrorWithClusterBreakingPotential", Type::Boolean),
    ("kind", Type::Text),
    ("orphanDependents", Type::Boolean),
    ("preconditions", Type::Object(&PRECONDITIONS)),
    ("propagationPolicy", Type::Text),
] };

static FIELD_SELECTOR_REQUIREMENT: Fields = Fields { name: "FieldSelectorRequirement", fields: &[
    ("key", Type::Text),
    ("operator", Type::Text),
    ("values", Type::List(&Type::Text)),
] };

static GROUP_RESOURCE: Fields = Fields { name: "GroupResource", fields: &[
    ("group", Type::Text),
    ("resource", Type::Text),
] };

static LABEL_SELECTOR: Fields = Fields { name: "LabelSelector", fields: &[
    ("matchExpressions", Type::List(&Type::Object(&LABEL_SELECTOR_REQUIREMENT))),
    ("matchLabels", Type::Map(&Type::Text)),
] };

static LABEL_SELECTOR_REQUIREMENT: Fields = Fields { name: "LabelSelectorRequirement", fields: &[
    ("key", Type::Text),
    ("operator", Type::Text),
    ("values", Type::List(&Type::Text)),
] };

static MANAGED_FIELDS_ENTRY: Fields = Fields { name: "ManagedFieldsEntry", fields: &[
    ("apiVersion", Type::Text),
    ("fieldsType", Type::Text),
    ("fieldsV1", Type::Any),
    ("manager", Type::Text),
    ("operation", Type::Text),
    ("subresource", Type::Text),
    ("time", Type::Time),
] };

static OBJECT_META: Fields = Fields { name: "ObjectMeta", fields: &[
    ("annotations", Type::Map(&Type::Text)),
    ("creationTimestamp", Type::Time),
    ("deletionGracePeriodSeconds", Type::Int64),
    ("deletionTimestamp", Type::Time),
    ("finalizers", Type::List(&Type::Text)),
    ("generateName", Type::Text),
    ("generation", Type::Int64),
    ("labels", Type::Map(&Type::Text)),
    ("managedFields", Type::List(&Type::Object(&MANAGED_FIELDS_ENTRY))),
    ("name", Type::Text),
    ("namespace", Type::Text),
    ("ownerReferences", Type::List(&Type::Object(&OWNER_REFERENCE))),
    ("resourceVersion", Type::Text),
    ("selfLink", Type::Text),
    ("uid", Type::Text),
] };

static OWNER_REFERENCE: Fields = Fields { name: "OwnerReference", fields: &[
    ("apiVersion", Type::Text),
    ("blockOwnerDeletion", Type::Boolean),
    ("controller", Type::Boolean),
    ("kind", Type::Text),
    ("name", Type::Text),
    ("uid", Type::Text),
] };

static PRECONDITIONS: Fields = Fields { name: "Preconditions", fields: &[
    ("resourceVersion", Type::Text),
    ("uid", Type::Text),
] };

static API_SERVICE: Fields = Fields { name: "APIService", fields: &[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("metadata", Type::Object(&OBJECT_META)),
    ("spec", Type::Object(&API_SERVICE_SPEC)),
    ("status", Type::Object(&API_SERVICE_STATUS)),
] };

static API_SERVICE_CONDITION: Fields = Fields { name: "APIServiceCondition", fields: &[
    ("lastTransitionTime", Type::Time),
    ("message", Type::Text),
    ("reason", Type::Text),
    ("status", Type::Text),
    ("type", Type::Text),
] };

static API_SERVICE_SPEC: Fields = Fields { name: "APIServiceSpec", fields: &[
    ("caBundle", Type::Bytes),
    ("group", Type::Text),
    ("groupPriorityMinimum", Type::Int32),
    ("insecureSkipTLSVerify", Type::Boolean),
    ("service", Type::Object(&APIREGISTRATION_V1_SERVICE_REFERENCE)),
    ("version", Type::Text),
    ("versionPriority", Type::Int32),
] };

static API_SERVICE_STATUS: Fields = Fields { name: "APIServiceStatus", fields: &[
    ("conditions", Type::List(&Type::Object(&API_SERVICE_CONDITION))),
] };

static APIREGISTRATION_V1_SERVICE_REFERENCE: Fields = Fields { name: "ServiceReference", fields: &[
    ("name", Type::Text),
    ("namespace", Type::Text),
    ("port", Type::Int32),
] };
