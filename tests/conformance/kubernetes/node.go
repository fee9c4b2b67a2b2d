package main

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/auth/nodeidentifier"
	_ "k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/plugin/pkg/admission/noderestriction"
)

// nodeQuestion is a request, and what the cluster has.
type nodeQuestion struct {
	requestQuestion
	// Nodes are the uids of the Nodes by name.
	Nodes map[string]types.UID `json:"nodes"`
	// Pod is the stored Pod that the request is about, if there is one.
	Pod json.RawMessage `json:"pod"`
}

// node asks the plugin NodeRestriction about a request.
func node(question []byte) (any, error) {
	asked, err := read[nodeQuestion](question)
	if err != nil {
		return nil, err
	}
	attributes, err := asked.attributes()
	if err != nil {
		return pluginAnswer{Undecodable: err.Error()}, nil
	}
	stored := informers.NewSharedInformerFactory(nil, 0)
	nodes := stored.Core().V1().Nodes().Informer().GetIndexer()
	for name, uid := range asked.Nodes {
		if err := nodes.Add(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: uid}}); err != nil {
			return nil, err
		}
	}
	if err := store(asked.Pod, stored.Core().V1().Pods().Informer().GetIndexer()); err != nil {
		return nil, err
	}
	plugin := noderestriction.NewPlugin(nodeidentifier.NewDefaultNodeIdentifier())
	plugin.InspectFeatureGates(utilfeature.DefaultFeatureGate)
	plugin.SetExternalKubeInformerFactory(stored)
	if !plugin.Handles(attributes.GetOperation()) {
		return answerOf(nil), nil
	}
	return answerOf(plugin.Admit(context.Background(), attributes, nil)), nil
}

func store(encoded json.RawMessage, pods cache.Indexer) error {
	if len(encoded) == 0 || string(encoded) == "null" {
		return nil
	}
	var pod corev1.Pod
	if err := json.Unmarshal(encoded, &pod); err != nil {
		return fmt.Errorf("pod: %w", err)
	}
	return pods.Add(&pod)
}
