package main

import (
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// zerosQuestion is a kind.
type zerosQuestion struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// zerosAnswer has the types that the kind is made of, such as core.v1.Container, and for their
// fields how a server writes the zero value.
type zerosAnswer map[string]map[string]string

const (
	// omitted is a zero value that no server writes.
	omitted = "omitted"
	// kept is the zero value of a pointer: a server writes it if the client did.
	kept = "kept"
	// written is the zero value of what is no pointer: a server writes it always.
	written = "written"
)

var marshaler = reflect.TypeFor[json.Marshaler]()

// zeros lists how the fields of a kind are written that have zero values.
func zeros(question []byte) (any, error) {
	asked, err := read[zerosQuestion](question)
	if err != nil {
		return nil, err
	}
	kind := schema.FromAPIVersionAndKind(asked.APIVersion, asked.Kind)
	object, err := builtIn.New(kind)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	answer := zerosAnswer{}
	answer.add(reflect.TypeOf(object))
	return answer, nil
}

// add lists the structs of a type.
func (answer zerosAnswer) add(of reflect.Type) {
	for isContainer(of.Kind()) {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || isLeaf(of) {
		return
	}
	// k8s.io/api/core/v1, or k8s.io/apimachinery/pkg/apis/meta/v1
	group, version := path.Split(of.PkgPath())
	name := path.Base(group) + "." + version + "." + of.Name()
	if answer[name] == nil {
		answer[name] = map[string]string{}
		answer.addFields(answer[name], of)
	}
}

func (answer zerosAnswer) addFields(fields map[string]string, of reflect.Type) {
	for at := range of.NumField() {
		field := of.Field(at)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		isInline := field.Anonymous && name == ""
		if isInline {
			if field.Name != "TypeMeta" {
				answer.addFields(fields, indirect(field.Type))
			}
			continue
		}
		if !field.IsExported() || name == "-" {
			continue
		}
		fields[name] = zero(field.Type, options)
		answer.add(field.Type)
	}
}

// zero returns how the zero value of a field is written. No pointer to a struct is omitted, whose
// zero value clients do not write.
func zero(of reflect.Type, options string) string {
	omits := strings.Contains(options, "omitempty")
	switch kind := of.Kind(); {
	case kind == reflect.Pointer && (isLeaf(of.Elem()) || of.Elem().Kind() != reflect.Struct):
		return kept
	case kind == reflect.Struct && !strings.Contains(options, "omitzero"):
		return written
	case kind == reflect.Pointer, kind == reflect.Struct, omits:
		return omitted
	case strings.Contains(options, "omitzero"):
		return kept
	default:
		return written
	}
}

func isContainer(kind reflect.Kind) bool {
	return kind == reflect.Pointer || kind == reflect.Slice || kind == reflect.Map
}

// isLeaf returns whether a type writes itself, such as a time or a quantity.
func isLeaf(of reflect.Type) bool {
	return of.Implements(marshaler) || reflect.PointerTo(of).Implements(marshaler)
}

func indirect(of reflect.Type) reflect.Type {
	if of.Kind() == reflect.Pointer {
		return of.Elem()
	}
	return of
}
