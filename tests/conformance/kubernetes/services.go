package main

import (
	"context"
	"fmt"

	"k8s.io/apiserver/pkg/admission"
	"k8s.io/kubernetes/plugin/pkg/admission/network/denyserviceexternalips"
)

// services asks the plugin DenyServiceExternalIPs about a request.
func services(question []byte) (any, error) {
	asked, err := read[requestQuestion](question)
	if err != nil {
		return nil, err
	}
	attributes, err := asked.attributes()
	if err != nil {
		return pluginAnswer{Undecodable: err.Error()}, nil
	}
	plugins := admission.NewPlugins()
	denyserviceexternalips.Register(plugins)
	plugin, err := plugins.InitPlugin(denyserviceexternalips.PluginName, nil, admission.PluginInitializers{})
	if err != nil {
		return nil, err
	}
	if !plugin.Handles(attributes.GetOperation()) {
		return answerOf(nil), nil
	}
	validator, isValidator := plugin.(admission.ValidationInterface)
	if !isValidator {
		return nil, fmt.Errorf("%s does not validate", denyserviceexternalips.PluginName)
	}
	return answerOf(validator.Validate(context.Background(), attributes, nil)), nil
}
