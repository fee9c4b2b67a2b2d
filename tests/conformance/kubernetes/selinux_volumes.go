package main

import (
	"context"
	"fmt"
	"reflect"
	"unsafe" // also for go:linkname

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/volume/selinuxwarning"
	volumecache "k8s.io/kubernetes/pkg/controller/volume/selinuxwarning/cache"
	"k8s.io/kubernetes/pkg/volume"
	"k8s.io/kubernetes/pkg/volume/csi"
	"k8s.io/kubernetes/pkg/volume/fc"
	"k8s.io/kubernetes/pkg/volume/hostpath"
	"k8s.io/kubernetes/pkg/volume/iscsi"
	"k8s.io/kubernetes/pkg/volume/nfs"
)

// volumesQuestion is a cluster.
type volumesQuestion struct {
	Pods    []v1.Pod                   `json:"pods"`
	Claims  []v1.PersistentVolumeClaim `json:"claims"`
	Volumes []v1.PersistentVolume      `json:"volumes"`
	Drivers []storagev1.CSIDriver      `json:"drivers"`
}

// volumesAnswer is what the controller reports.
type volumesAnswer struct {
	Conflicts []volumeConflict `json:"conflicts"`
	// Mixed are volumes that containers of one pod mount with different labels.
	Mixed []mixedVolume `json:"mixed"`
}

// volumeConflict is a property in which a pod differs from another one with the same volume.
type volumeConflict struct {
	Pod      string `json:"pod"`
	Property string `json:"property"`
	OtherPod string `json:"otherPod"`
}

type mixedVolume struct {
	Pod    string `json:"pod"`
	Volume string `json:"volume"`
}

// selinuxVolumes asks the SELinux warning controller of kube-controller-manager about a cluster.
func selinuxVolumes(question []byte) (any, error) {
	asked, err := read[volumesQuestion](question)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), klog.Logger{}))
	defer cancel()
	client := fake.NewClientset()
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods()
	claims := factory.Core().V1().PersistentVolumeClaims()
	volumes := factory.Core().V1().PersistentVolumes()
	drivers := factory.Storage().V1().CSIDrivers()
	// The plugins of kube-controller-manager: probeControllerVolumePlugins.
	plugins := hostpath.ProbeVolumePlugins(volume.VolumeConfig{})
	plugins = append(plugins, nfs.ProbeVolumePlugins(volume.VolumeConfig{})...)
	plugins = append(plugins, fc.ProbeVolumePlugins()...)
	plugins = append(plugins, iscsi.ProbeVolumePlugins()...)
	plugins = append(plugins, csi.ProbeVolumePlugins()...)
	controller, err := selinuxwarning.NewController(ctx, client, pods, claims, volumes, drivers, plugins, nil)
	if err != nil {
		return nil, err
	}
	answer := volumesAnswer{Conflicts: []volumeConflict{}, Mixed: []mixedVolume{}}
	*private[record.EventRecorder](controller, "eventRecorder") = &mixedRecorder{mixed: &answer.Mixed}
	if err := addAll(pods.Informer(), asked.Pods); err != nil {
		return nil, err
	}
	if err := addAll(claims.Informer(), asked.Claims); err != nil {
		return nil, err
	}
	if err := addAll(volumes.Informer(), asked.Volumes); err != nil {
		return nil, err
	}
	if err := addAll(drivers.Informer(), asked.Drivers); err != nil {
		return nil, err
	}
	for i := range asked.Pods {
		// The errors are those of volumes that the controller leaves out, and tries again later.
		_ = syncPod(controller, ctx, cache.MetaObjectToName(&asked.Pods[i]))
	}
	known := *private[volumecache.VolumeCache](controller, "labelCache")
	for _, conflict := range known.GetConflicts(klog.Logger{}) {
		answer.Conflicts = append(answer.Conflicts, volumeConflict{
			Pod:      conflict.Pod.String(),
			Property: conflict.PropertyName,
			OtherPod: conflict.OtherPod.String(),
		})
	}
	return answer, nil
}

// addAll adds objects to what the controller has read of the cluster.
func addAll[T any](informer cache.SharedIndexInformer, objects []T) error {
	for i := range objects {
		if err := informer.GetStore().Add(&objects[i]); err != nil {
			return err
		}
	}
	return nil
}

// syncPod is how the controller evaluates a pod. Its workers do so in the background, and nothing
// tells when they have finished.
//
//go:linkname syncPod k8s.io/kubernetes/pkg/controller/volume/selinuxwarning.(*Controller).sync
func syncPod(controller *selinuxwarning.Controller, ctx context.Context, pod cache.ObjectName) error

// private returns a field of the controller that its package keeps to itself.
func private[T any](controller *selinuxwarning.Controller, name string) *T {
	field := reflect.ValueOf(controller).Elem().FieldByName(name)
	return (*T)(unsafe.Pointer(field.UnsafeAddr()))
}

// mixedRecorder records the events about volumes with several labels in one pod. The controller
// stores the other conflicts.
type mixedRecorder struct {
	record.EventRecorder
	mixed *[]mixedVolume
}

func (r *mixedRecorder) Event(runtime.Object, string, string, string) {}

func (r *mixedRecorder) Eventf(object runtime.Object, _, reason, _ string, arguments ...any) {
	if pod, isPod := object.(*v1.Pod); isPod && reason == "MultipleSELinuxLabels" {
		*r.mixed = append(*r.mixed, mixedVolume{
			Pod:    cache.MetaObjectToName(pod).String(),
			Volume: fmt.Sprint(arguments...),
		})
	}
}
