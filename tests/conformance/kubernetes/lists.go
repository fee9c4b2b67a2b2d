package main

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/resource"
)

// listsQuestion is the text of a file.
type listsQuestion struct {
	Text string `json:"text"`
}

type listsAnswer struct {
	// Objects are what kubectl applies, in order: of lists, their items.
	Objects []runtime.Object `json:"objects"`
	// Error is the reason why it does not apply the rest.
	Error string `json:"error,omitempty"`
}

// lists reads the objects of a file as kubectl does, without a server.
func lists(question []byte) (any, error) {
	asked, err := read[listsQuestion](question)
	if err != nil {
		return nil, err
	}
	answer := listsAnswer{Objects: []runtime.Object{}}
	found := resource.NewLocalBuilder().ContinueOnError().Unstructured().
		Stream(strings.NewReader(asked.Text), "").Flatten().Do()
	err = found.Visit(func(info *resource.Info, err error) error {
		if err == nil {
			answer.Objects = append(answer.Objects, info.Object)
		}
		return err
	})
	if err != nil {
		answer.Error = err.Error()
	}
	return answer, nil
}
