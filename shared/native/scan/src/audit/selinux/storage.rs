//! The claims, volumes and CSI drivers of a cluster: the volume that a pod mounts, and whether
//! kubelets mount it with a label.
//!
//! Source: `CreateVolumeSpec` in `pkg/controller/volume/attachdetach/util/util.go`, the method
//! `SupportsSELinuxContextMount` of the plugins in `pkg/volume`, and `csi-translation-lib`, all of
//! Kubernetes 1.37.2.

use std::collections::BTreeMap;

use admission::{Fault, Node};
use rules::view::Pod;

use crate::audit::{AuditError, Dump, DumpObject};

/// The kinds of claims, volumes and drivers.
pub(super) const KINDS: [(&str, &str); 3] =
    [("v1", "PersistentVolumeClaim"), ("v1", "PersistentVolume"), (DRIVER_VERSION, "CSIDriver")];

const DRIVER_VERSION: &str = "storage.k8s.io/v1";

/// The plugins other than CSI whose volumes are mounted with a label: the field of a
/// `PersistentVolume`, the plugin, and the fields that identify the disk.
const LABELLED: [(&str, &str, &[&str]); 2] = [
    ("fc", "kubernetes.io/fc", &["targetWWNs", "wwids", "lun"]),
    ("iscsi", "kubernetes.io/iscsi", &["targetPortal", "iqn", "lun"]),
];

/// The volumes that kubelets hand over to a CSI driver: the field of a volume, the driver, and the
/// field that identifies the disk.
const MIGRATED: [(&str, &str, &[&str]); 7] = [
    ("awsElasticBlockStore", "ebs.csi.aws.com", &["volumeID"]),
    ("azureDisk", "disk.csi.azure.com", &["diskURI"]),
    ("azureFile", AZURE_FILE, &["secretName", "shareName"]),
    ("cinder", "cinder.csi.openstack.org", &["volumeID"]),
    ("gcePersistentDisk", GCE_DISK, &["pdName"]),
    ("portworxVolume", "pxd.portworx.com", &["volumeID"]),
    ("vsphereVolume", "csi.vsphere.vmware.com", &["volumePath"]),
];

/// A share is one volume for each name under which it is mounted.
const AZURE_FILE: &str = "file.csi.azure.com";

/// A disk has its name within a zone.
const GCE_DISK: &str = "pd.csi.storage.gke.io";

/// The claims, volumes and drivers of a cluster.
#[derive(Debug)]
pub(super) struct Storage {
    claims: BTreeMap<String, Claim>,
    volumes: BTreeMap<String, Volume>,
    /// The CSI drivers, each with `seLinuxMount`.
    drivers: BTreeMap<String, bool>,
}

#[derive(Debug)]
struct Claim {
    uid: String,
    /// The UID of the controller, which is the pod of a generic ephemeral volume.
    controller: Option<String>,
    /// The `PersistentVolume`, if the claim is bound.
    volume: Option<String>,
}

#[derive(Clone, Debug)]
struct Volume {
    claim_uid: String,
    access_modes: Vec<String>,
    /// The disk, unless the volume is never mounted with a label.
    disk: Option<Place>,
}

/// The location of the files of a volume.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Place {
    /// A volume that is not known, of the claim with this namespace and name.
    Claim(String),
    /// A disk.
    Disk {
        /// The CSI driver, or the volume plugin.
        driver: String,
        /// The identifier of the disk.
        handle: String,
    },
}

/// A volume of a pod.
#[derive(Debug, Default)]
pub(super) struct Mounted {
    /// The name of the `PersistentVolume`; without one, that of the claim or of the disk.
    pub(super) name: String,
    pub(super) access_modes: Vec<String>,
    /// The place of the files; `None` if the volume is never mounted with a label.
    pub(super) place: Option<Place>,
}

impl Storage {
    /// Reads a dump.
    pub(super) fn of(dump: &Dump) -> Result<Self, AuditError> {
        let mut storage =
            Self { claims: BTreeMap::new(), volumes: BTreeMap::new(), drivers: BTreeMap::new() };
        dump.visit_all("PersistentVolumeClaim", |object, root| {
            storage.claims.insert(key(&object.namespace, &object.name), Claim::of(root)?);
            Ok(())
        })?;
        dump.visit_all("PersistentVolume", |object, root| {
            storage.volumes.insert(object.name.clone(), Volume::of(&object.name, root)?);
            Ok(())
        })?;
        for driver in dump.objects_of_kind(DRIVER_VERSION, "CSIDriver")? {
            let mounts_labels = driver.visit(|root| root.at("spec").at("seLinuxMount").boolean())?;
            storage.drivers.insert(driver.name, mounts_labels == Some(true));
        }
        Ok(storage)
    }

    /// Whether nothing says if a driver mounts volumes with labels: the dump was made without
    /// drivers.
    pub(super) fn lacks_driver(&self, driver: &str) -> bool {
        self.drivers.is_empty() && LABELLED.iter().all(|(_, plugin, _)| *plugin != driver)
    }

    /// Finds a volume of a pod or pod template in an object. Returns `None` for a volume that is on
    /// no `PersistentVolume`.
    pub(super) fn find(
        &self,
        object: &DumpObject,
        root: Node<'_>,
        volume: Node<'_>,
    ) -> Result<Option<Mounted>, Fault> {
        let name = volume.at("name").text()?.unwrap_or_default();
        if volume.at("ephemeral").object()? {
            if object.kind != "Pod" {
                return Ok(Some(Mounted::default()));
            }
            let pod = Pod::of(root).metadata().uid().text()?.unwrap_or_default();
            let claim = key(&object.namespace, &format!("{}-{name}", object.name));
            return Ok(Some(self.claimed(claim, Some(pod))));
        }
        let claim = volume.at("persistentVolumeClaim").at("claimName");
        if let Some(claim) = claim.filled_text()? {
            return Ok(Some(self.claimed(key(&object.namespace, claim), None)));
        }
        let scope = key(&object.namespace, name);
        let Some((driver, handle)) = disk(&MIGRATED, &scope, volume)? else { return Ok(None) };
        let place = self.labelled(Place::Disk { driver, handle: handle.clone() });
        Ok(Some(Mounted { name: handle, access_modes: Vec::new(), place }))
    }

    /// Returns the volume of a claim, which this pod has to control if it is that of a generic
    /// ephemeral volume.
    fn claimed(&self, claim: String, pod: Option<&str>) -> Mounted {
        let bound = self.claims.get(&claim).and_then(|known| {
            if pod.is_some() && known.controller.as_deref() != pod {
                return None;
            }
            let (name, volume) = self.volumes.get_key_value(known.volume.as_ref()?)?;
            (volume.claim_uid == known.uid).then_some((name, volume))
        });
        match bound {
            Some((name, volume)) => Mounted {
                name: name.clone(),
                access_modes: volume.access_modes.clone(),
                place: volume.disk.clone().and_then(|disk| self.labelled(disk)),
            },
            None => {
                Mounted { name: claim.clone(), access_modes: Vec::new(), place: Some(Place::Claim(claim)) }
            }
        }
    }

    /// Returns a place unless its driver does not mount volumes with labels. A driver without an
    /// object does not.
    fn labelled(&self, place: Place) -> Option<Place> {
        match &place {
            Place::Disk { driver, .. } if self.lacks_driver(driver) => Some(place),
            Place::Disk { driver, .. } if LABELLED.iter().any(|(_, plugin, _)| plugin == driver) => {
                Some(place)
            }
            Place::Disk { driver, .. } => self.drivers.get(driver)?.then_some(place),
            Place::Claim(_) => Some(place),
        }
    }
}

impl Claim {
    fn of(root: Node<'_>) -> Result<Self, Fault> {
        let metadata = Pod::of(root).metadata();
        let controller = match metadata.controller()? {
            Some(owner) => owner.uid.text()?.map(str::to_owned),
            None => None,
        };
        let is_bound = root.at("status").at("phase").text()? == Some("Bound");
        let volume = root.at("spec").at("volumeName").filled_text()?.filter(|_| is_bound);
        let uid = metadata.uid().text()?.unwrap_or_default().to_owned();
        Ok(Self { uid, controller, volume: volume.map(str::to_owned) })
    }
}

impl Volume {
    fn of(name: &str, root: Node<'_>) -> Result<Self, Fault> {
        let spec = root.at("spec");
        let mut access_modes = Vec::new();
        for mode in spec.at("accessModes").items()? {
            access_modes.extend(mode.text()?.map(str::to_owned));
        }
        let csi = spec.at("csi");
        let zone = |key| Pod::of(root).metadata().labels().entry(key)?.map_or(Ok(None), |zone| zone.text());
        let zone = zone("failure-domain.beta.kubernetes.io/zone")?.or(zone("topology.kubernetes.io/zone")?);
        let name = if spec.at("gcePersistentDisk").object()? { zone.unwrap_or_default() } else { name };
        let disk = if csi.object()? {
            let text = |field| csi.at(field).text().map(Option::unwrap_or_default).map(str::to_owned);
            Some((text("driver")?, text("volumeHandle")?))
        } else {
            match disk(&LABELLED, name, spec)? {
                Some(disk) => Some(disk),
                None => disk(&MIGRATED, name, spec)?,
            }
        };
        let claim_uid = spec.at("claimRef").at("uid").text()?.unwrap_or_default().to_owned();
        let disk = disk.map(|(driver, handle)| Place::Disk { driver, handle });
        Ok(Self { claim_uid, access_modes, disk })
    }
}

/// Returns the driver and the identifier of the disk in the first of these fields that a volume
/// has. `scope` is the namespace and name of the volume in a pod, or the name of the
/// `PersistentVolume`.
fn disk(
    fields: &[(&'static str, &str, &[&'static str])],
    scope: &str,
    volume: Node<'_>,
) -> Result<Option<(String, String)>, Fault> {
    for (field, driver, identifying) in fields {
        let source = volume.at(field);
        if !source.object()? {
            continue;
        }
        let mut handle = String::new();
        for field in *identifying {
            let value = source.at(field);
            match *field {
                "targetWWNs" | "wwids" => value.texts()?.iter().for_each(|(_, text)| add(&mut handle, text)),
                "lun" => add(&mut handle, &value.integer()?.unwrap_or_default().to_string()),
                _ => add(&mut handle, value.text()?.unwrap_or_default()),
            }
        }
        if [AZURE_FILE, GCE_DISK].contains(driver) {
            add(&mut handle, scope);
        }
        // Kubernetes accepts aws://ZONE/DISK, too.
        if let Some((_, disk)) = handle.strip_prefix("aws://").and_then(|path| path.rsplit_once('/')) {
            handle = String::from(disk);
        }
        return Ok(Some(((*driver).to_owned(), handle)));
    }
    Ok(None)
}

/// Adds a part to the identifier of a disk.
fn add(handle: &mut String, part: &str) {
    if !handle.is_empty() {
        handle.push(' ');
    }
    handle.push_str(part);
}

fn key(namespace: &str, name: &str) -> String {
    format!("{namespace}/{name}")
}
