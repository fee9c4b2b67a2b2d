package main

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// readerQuestion is the text of a file.
type readerQuestion struct {
	Text string `json:"text"`
}

type readerAnswer struct {
	// Documents are what kubectl reads, in order, up to an error.
	Documents []json.RawMessage `json:"documents"`
	// Error is the reason why the rest is not read.
	Error string `json:"error,omitempty"`
}

// buffered is the number of bytes by which kubectl tells YAML from JSON: StreamVisitor in
// k8s.io/cli-runtime/pkg/resource.
const buffered = 4096

// reader reads the documents of a file as kubectl does.
func reader(question []byte) (any, error) {
	asked, err := read[readerQuestion](question)
	if err != nil {
		return nil, err
	}
	answer := readerAnswer{Documents: []json.RawMessage{}}
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(asked.Text), buffered)
	for {
		var document runtime.RawExtension
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return answer, nil
		}
		if err == nil {
			// What no decoder of JSON takes, such as 1e400, is refused later.
			var value any
			err = json.Unmarshal(document.Raw, &value)
		}
		if err != nil {
			answer.Error = err.Error()
			return answer, nil
		}
		if text := strings.TrimSpace(string(document.Raw)); text != "null" {
			answer.Documents = append(answer.Documents, document.Raw)
		}
	}
}
