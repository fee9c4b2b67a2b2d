package main

import (
	"context"
	"encoding/json"
	"errors"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	"k8s.io/pod-security-admission/admission"
	admissionapi "k8s.io/pod-security-admission/admission/api"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/metrics"
	"k8s.io/pod-security-admission/policy"
)

// podSecurityQuestion is a request about a pod or an object with a pod template.
type podSecurityQuestion struct {
	Level       string          `json:"level"`
	Version     string          `json:"version"`
	SubResource string          `json:"subResource"`
	Object      json.RawMessage `json:"object"`
	// OldObject is the stored object of an update.
	OldObject json.RawMessage `json:"oldObject"`
}

type podSecurityAnswer struct {
	// Violated are the ids of the violated checks, in the order of the plugin; none if it does not
	// look at the request.
	Violated []policy.CheckID `json:"violated"`
	// Object and OldObject are what webhooks receive: the objects with defaults.
	Object    runtime.Object `json:"object"`
	OldObject runtime.Object `json:"oldObject"`
}

// podSecurity asks the plugin PodSecurity about a request. The plugin enforces the level for pods,
// and audits it for pod templates.
func podSecurity(question []byte) (any, error) {
	asked, err := read[podSecurityQuestion](question)
	if err != nil {
		return nil, err
	}
	recorder, err := newRecorder()
	if err != nil {
		return nil, err
	}
	plugin := &admission.Admission{
		Configuration: &admissionapi.PodSecurityConfiguration{Defaults: admissionapi.PodSecurityDefaults{
			Enforce: asked.Level, EnforceVersion: asked.Version,
			Audit: asked.Level, AuditVersion: asked.Version,
			Warn: string(api.LevelPrivileged), WarnVersion: api.VersionLatest,
		}},
		Evaluator:        recorder,
		PodSpecExtractor: admission.DefaultPodSpecExtractor{},
		NamespaceGetter:  namespaces{},
		PodLister:        pods{},
		Metrics:          noMetrics{},
	}
	if err := plugin.CompleteConfiguration(); err != nil {
		return nil, err
	}
	if err := plugin.ValidateConfiguration(); err != nil {
		return nil, err
	}
	request, err := asked.attributes()
	if err != nil {
		return nil, err
	}
	response := plugin.Validate(context.Background(), request)
	if response.Result != nil && response.Result.Code >= 500 {
		return nil, errors.New(response.Result.Message)
	}
	return podSecurityAnswer{
		Violated: recorder.violated, Object: request.Object, OldObject: request.OldObject,
	}, nil
}

func (asked *podSecurityQuestion) attributes() (*api.AttributesRecord, error) {
	object, err := typedObject(asked.Object)
	if err != nil {
		return nil, err
	}
	kind := object.GetObjectKind().GroupVersionKind()
	resource, _ := meta.UnsafeGuessKindToResource(kind)
	request := &api.AttributesRecord{
		Name: "name", Namespace: "namespace", Kind: kind, Resource: resource,
		Subresource: asked.SubResource, Operation: admissionv1.Create, Object: object, Username: "user",
	}
	if len(asked.OldObject) > 0 && string(asked.OldObject) != "null" {
		request.Operation = admissionv1.Update
		request.OldObject, err = typedObject(asked.OldObject)
	}
	return request, err
}

// typedObject decodes an object to the type of its kind, with the defaults of its version.
func typedObject(encoded json.RawMessage) (runtime.Object, error) {
	object, _, err := legacyscheme.Codecs.UniversalDeserializer().Decode(encoded, nil, nil)
	if err == nil {
		legacyscheme.Scheme.Default(object)
	}
	return object, err
}

// recorder evaluates pods with the standard checks, and remembers which ones are violated.
type recorder struct {
	policy.Evaluator
	violated []policy.CheckID
}

func newRecorder() (*recorder, error) {
	recorder := &recorder{violated: []policy.CheckID{}}
	checks := policy.DefaultChecks()
	for _, check := range checks {
		for number := range check.Versions {
			version := &check.Versions[number]
			original := version.CheckPod
			version.CheckPod = func(metadata *metav1.ObjectMeta, spec *corev1.PodSpec) policy.CheckResult {
				result := original(metadata, spec)
				if !result.Allowed {
					recorder.violated = append(recorder.violated, check.ID)
				}
				return result
			}
		}
	}
	evaluator, err := policy.NewEvaluator(checks, nil)
	recorder.Evaluator = evaluator
	return recorder, err
}

// namespaces has every namespace, without labels.
type namespaces struct{}

func (namespaces) GetNamespace(_ context.Context, name string) (*corev1.Namespace, error) {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, nil
}

// pods has none.
type pods struct{}

func (pods) ListPods(context.Context, string) ([]*corev1.Pod, error) { return nil, nil }

type noMetrics struct{}

func (noMetrics) RecordEvaluation(metrics.Decision, api.LevelVersion, metrics.Mode, api.Attributes) {}
func (noMetrics) RecordExemption(api.Attributes)                                                    {}
func (noMetrics) RecordError(bool, api.Attributes)                                                  {}
