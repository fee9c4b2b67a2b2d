package main

import (
	"encoding/json"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// typedQuestion is an object as JSON.
type typedQuestion struct {
	Object json.RawMessage `json:"object"`
}

type typedAnswer struct {
	// IsKnown is whether the kind is one of Kubernetes. Nothing is decoded otherwise.
	IsKnown bool `json:"isKnown"`
	// Strict are fields that do not exist: with --validate=strict, which is kubectl's default, the
	// server refuses the object.
	Strict []string `json:"strict,omitempty"`
	// Error is the reason why no server decodes the object.
	Error string `json:"error,omitempty"`
}

var builtIn = func() *runtime.Scheme {
	builtIn := runtime.NewScheme()
	utilruntime.Must(scheme.AddToScheme(builtIn))
	utilruntime.Must(apiextensions.AddToScheme(builtIn))
	utilruntime.Must(apiregistration.AddToScheme(builtIn))
	return builtIn
}()

var strict = serializer.NewSerializerWithOptions(
	serializer.DefaultMetaFactory, builtIn, builtIn, serializer.SerializerOptions{Strict: true},
)

// typed reads an object as kubectl does, and decodes it strictly to the type of its kind.
func typed(question []byte) (any, error) {
	asked, err := read[typedQuestion](question)
	if err != nil {
		return nil, err
	}
	object, err := runtime.Decode(unstructured.UnstructuredJSONScheme, asked.Object)
	if err != nil {
		return typedAnswer{IsKnown: true, Error: err.Error()}, nil
	}
	sent, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	if !builtIn.Recognizes(object.GetObjectKind().GroupVersionKind()) {
		return typedAnswer{}, nil
	}
	_, _, err = strict.Decode(sent, nil, nil)
	answer := typedAnswer{IsKnown: true}
	if refused, isStrict := runtime.AsStrictDecodingError(err); isStrict {
		for _, one := range refused.Errors() {
			answer.Strict = append(answer.Strict, one.Error())
		}
	} else if err != nil {
		answer.Error = err.Error()
	}
	return answer, nil
}
