// Kubernetes answers questions with Kubernetes' own code. Each line of the standard input is a
// question in JSON about one subject, and each line of the standard output is its answer:
//
//	kubernetes SUBJECT <QUESTIONS >ANSWERS
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// longestQuestion is the most bytes of a line.
const longestQuestion = 256 << 20

// subjects are the functions that answer the questions about a subject. An error ends the program:
// what Kubernetes refuses is an answer.
var subjects = map[string]func(question []byte) (any, error){
	"addresses":       addresses,
	"conditions":      conditions,
	"lists":           lists,
	"node":            node,
	"pod-security":    podSecurity,
	"reader":          reader,
	"selinux-volumes": selinuxVolumes,
	"services":        services,
	"typed":           typed,
	"zeros":           zeros,
}

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "kubernetes:", err)
		os.Exit(1)
	}
}

func run(arguments []string, input io.Reader, output io.Writer) error {
	known := slices.Sorted(maps.Keys(subjects))
	if len(arguments) != 1 || subjects[arguments[0]] == nil {
		return fmt.Errorf("usage: kubernetes SUBJECT, which is one of %s", strings.Join(known, ", "))
	}
	answer := subjects[arguments[0]]
	questions := bufio.NewScanner(input)
	questions.Buffer(nil, longestQuestion)
	answers := json.NewEncoder(output)
	for number := 1; questions.Scan(); number++ {
		value, err := answer(questions.Bytes())
		if err != nil {
			return fmt.Errorf("question %d: %w", number, err)
		}
		if err := answers.Encode(value); err != nil {
			return fmt.Errorf("answer %d: %w", number, err)
		}
	}
	return questions.Err()
}

// read returns a question in its type. A field that the type does not have is an error.
func read[T any](question []byte) (T, error) {
	var value T
	decoder := json.NewDecoder(strings.NewReader(string(question)))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&value)
	return value, err
}
