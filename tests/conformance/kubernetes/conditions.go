package main

import (
	"context"
	"encoding/json"
	"fmt"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	apiservercel "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/kubernetes/pkg/apis/admissionregistration"
	conversion "k8s.io/kubernetes/pkg/apis/admissionregistration/v1"
	"k8s.io/kubernetes/pkg/apis/admissionregistration/validation"
)

// conditionQuestion is a match condition with a request, or a webhook.
type conditionQuestion struct {
	Expression string          `json:"expression"`
	Request    json.RawMessage `json:"request"`
	// Webhook are the fields of a webhook that a policy can set.
	Webhook *admissionregistrationv1.ValidatingWebhook `json:"webhook"`
}

type conditionAnswer struct {
	// Refused is the reason why no server stores the condition or the webhook.
	Refused string `json:"refused,omitempty"`
	// Error is the reason why the condition has no value.
	Error string `json:"error,omitempty"`
	Value bool   `json:"value"`
	// Cost is what the evaluation cost.
	Cost int64 `json:"cost"`
}

var (
	base        = environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
	expressions = cel.NewCompiler(base)
	programs    = cel.NewConditionCompiler(base)
	// As for webhooks, which have no parameters.
	variables = cel.OptionalVariableDeclarations{HasAuthorizer: true}
)

// conditions compiles a match condition as the validation of a webhook does, and evaluates it as the
// dispatch to the webhook does; or it validates a webhook.
func conditions(question []byte) (any, error) {
	asked, err := read[conditionQuestion](question)
	if err != nil {
		return nil, err
	}
	if asked.Webhook != nil {
		return validated(asked.Webhook)
	}
	condition := &matchconditions.MatchCondition{Name: "condition", Expression: asked.Expression}
	if refused := refusal(condition); refused != "" {
		return conditionAnswer{Refused: refused}, nil
	}
	request, err := versioned(asked.Request)
	if err != nil {
		return nil, err
	}
	program := programs.CompileCondition([]cel.ExpressionAccessor{condition}, variables, environment.StoredExpressions)
	review := cel.CreateAdmissionRequest(
		request.Attributes, metav1.GroupVersionResource(request.GetResource()), metav1.GroupVersionKind(request.VersionedKind),
	)
	const budget = apiservercel.RuntimeCELCostBudgetMatchConditions
	results, left, err := program.ForInput(
		context.Background(), request, review, cel.OptionalVariableBindings{}, nil, budget,
	)
	if err == nil {
		err = results[0].Error
	}
	if err != nil {
		return conditionAnswer{Error: err.Error()}, nil
	}
	value, isBool := results[0].EvalResult.Value().(bool)
	if !isBool {
		return nil, fmt.Errorf("%s is not a bool", asked.Expression)
	}
	return conditionAnswer{Value: value, Cost: budget - left}, nil
}

// refusal returns the reason why a server refuses an expression. One that panics refuses it.
func refusal(condition *matchconditions.MatchCondition) (refused string) {
	defer func() {
		if panicked := recover(); panicked != nil {
			refused = fmt.Sprint(panicked)
		}
	}()
	compiled := expressions.CompileCELExpression(condition, variables, environment.NewExpressions)
	if compiled.Error != nil {
		return compiled.Error.Error()
	}
	return ""
}

// versioned returns a request as conditions see it. Its objects have no types, as those of kinds that
// the server does not know: conditions read them by their fields.
func versioned(encoded json.RawMessage) (*admission.VersionedAttributes, error) {
	var review admissionv1.AdmissionRequest
	if err := json.Unmarshal(encoded, &review); err != nil {
		return nil, err
	}
	object, err := untyped(review.Object)
	if err != nil {
		return nil, err
	}
	old, err := untyped(review.OldObject)
	if err != nil {
		return nil, err
	}
	options, err := untyped(review.Options)
	if err != nil {
		return nil, err
	}
	requester := &user.DefaultInfo{
		Name: review.UserInfo.Username, UID: review.UserInfo.UID, Groups: review.UserInfo.Groups,
		Extra: map[string][]string{},
	}
	for name, values := range review.UserInfo.Extra {
		requester.Extra[name] = values
	}
	isDryRun := review.DryRun != nil && *review.DryRun
	kind := schema.GroupVersionKind(review.Kind)
	return &admission.VersionedAttributes{
		Attributes: admission.NewAttributesRecord(
			object, old, kind, review.Namespace, review.Name, schema.GroupVersionResource(review.Resource),
			review.SubResource, admission.Operation(review.Operation), options, isDryRun, requester,
		),
		VersionedKind:      kind,
		VersionedObject:    admission.NewLazyObject(object),
		VersionedOldObject: admission.NewLazyObject(old),
	}, nil
}

func untyped(encoded runtime.RawExtension) (runtime.Object, error) {
	if len(encoded.Raw) == 0 || string(encoded.Raw) == "null" {
		return nil, nil
	}
	object := &unstructured.Unstructured{}
	return object, utiljson.Unmarshal(encoded.Raw, &object.Object)
}

// validated validates a webhook with the defaults of the API.
func validated(webhook *admissionregistrationv1.ValidatingWebhook) (any, error) {
	none, url := admissionregistrationv1.SideEffectClassNone, "https://example.com/"
	webhook.Name = "webhook.example.com"
	webhook.ClientConfig.URL = &url
	webhook.SideEffects = &none
	webhook.AdmissionReviewVersions = []string{"v1"}
	configuration := &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "configuration"},
		Webhooks:   []admissionregistrationv1.ValidatingWebhook{*webhook},
	}
	conversion.SetObjectDefaults_ValidatingWebhookConfiguration(configuration)
	internal := &admissionregistration.ValidatingWebhookConfiguration{}
	err := conversion.Convert_v1_ValidatingWebhookConfiguration_To_admissionregistration_ValidatingWebhookConfiguration(
		configuration, internal, nil,
	)
	if err != nil {
		return conditionAnswer{Refused: err.Error()}, nil
	}
	if errs := validation.ValidateValidatingWebhookConfiguration(internal); len(errs) > 0 {
		return conditionAnswer{Refused: errs.ToAggregate().Error()}, nil
	}
	return conditionAnswer{}, nil
}
