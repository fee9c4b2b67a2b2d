package main

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/kubernetes/pkg/api/legacyscheme"

	_ "k8s.io/kubernetes/pkg/apis/authentication/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
)

// requestQuestion is a request to the API server, with the names of the fields of an
// AdmissionRequest.
type requestQuestion struct {
	Kind        schema.GroupVersionKind     `json:"kind"`
	Resource    schema.GroupVersionResource `json:"resource"`
	SubResource string                      `json:"subResource"`
	Name        string                      `json:"name"`
	Namespace   string                      `json:"namespace"`
	Operation   admission.Operation         `json:"operation"`
	UserInfo    struct {
		Username string   `json:"username"`
		Groups   []string `json:"groups"`
	} `json:"userInfo"`
	Object    json.RawMessage `json:"object"`
	OldObject json.RawMessage `json:"oldObject"`
}

// pluginAnswer is the answer of an admission plugin.
type pluginAnswer struct {
	Allowed bool `json:"allowed"`
	// Message is the reason of a denial.
	Message string `json:"message,omitempty"`
	// Undecodable is the reason why no API server has such a request; nothing was asked then.
	Undecodable string `json:"undecodable,omitempty"`
}

// answerOf returns the answer that is the result of a plugin.
func answerOf(denial error) pluginAnswer {
	if denial == nil {
		return pluginAnswer{Allowed: true}
	}
	return pluginAnswer{Message: denial.Error()}
}

// attributes returns the request as plugins receive it, with objects in their internal version.
func (asked *requestQuestion) attributes() (admission.Attributes, error) {
	object, err := internal(asked.Object)
	if err != nil {
		return nil, err
	}
	old, err := internal(asked.OldObject)
	if err != nil {
		return nil, err
	}
	requester := &user.DefaultInfo{Name: asked.UserInfo.Username, Groups: asked.UserInfo.Groups}
	return admission.NewAttributesRecord(
		object, old, asked.Kind, asked.Namespace, asked.Name, asked.Resource, asked.SubResource,
		asked.Operation, nil, false, requester,
	), nil
}

// internal decodes an object to its internal version, with the defaults of its version; nil for null
// and for no object.
func internal(encoded json.RawMessage) (runtime.Object, error) {
	if len(encoded) == 0 || string(encoded) == "null" {
		return nil, nil
	}
	decoder := legacyscheme.Codecs.UniversalDecoder()
	object, _, err := decoder.Decode(encoded, nil, nil)
	return object, err
}
