//! The kind Service of `v1`.

use admission::{Node, Shape};

use super::address_annotation;

/// A Service.
#[derive(Clone, Copy, Debug)]
pub struct Service<'d>(Node<'d>);

impl<'d> Service<'d> {
    /// The fields to read of the Service in a request.
    pub const REVIEWED: Shape<'static> = Shape::Fields(&[
        (
            "metadata",
            Shape::Fields(&[("annotations", address_annotation::SHAPE), ("deletionTimestamp", Shape::ALL)]),
        ),
        (
            "spec",
            Shape::Fields(&[
                ("clusterIP", Shape::ALL),
                ("externalIPs", Shape::ALL),
                ("loadBalancerIP", Shape::ALL),
                ("ports", PORTS),
                ("type", Shape::ALL),
            ]),
        ),
        ("status", STATUS),
    ]);

    /// The fields to read of the other Services of the cluster.
    pub const OTHERS: Shape<'static> = Shape::Fields(&[
        ("metadata", Shape::Fields(&[("name", Shape::ALL), ("namespace", Shape::ALL)])),
        (
            "spec",
            Shape::Fields(&[
                ("clusterIP", Shape::ALL),
                ("clusterIPs", Shape::ALL),
                ("externalIPs", Shape::ALL),
                ("ports", PORTS),
            ]),
        ),
        ("status", STATUS),
    ]);

    /// Creates the view of an object, which may be absent.
    #[must_use]
    pub fn of(object: Node<'d>) -> Self {
        Self(object)
    }

    /// `metadata.annotations`.
    #[must_use]
    pub fn annotations(&self) -> Node<'d> {
        self.0.at("metadata").at("annotations")
    }

    pub(crate) fn deletion_timestamp(&self) -> Node<'d> {
        self.0.at("metadata").at("deletionTimestamp")
    }

    /// `metadata.name`.
    #[must_use]
    pub fn name(&self) -> Node<'d> {
        self.0.at("metadata").at("name")
    }

    /// `metadata.namespace`.
    #[must_use]
    pub fn namespace(&self) -> Node<'d> {
        self.0.at("metadata").at("namespace")
    }

    /// `spec.type`.
    #[must_use]
    pub fn kind(&self) -> Node<'d> {
        self.0.at("spec").at("type")
    }

    pub(crate) fn cluster_ip(&self) -> Node<'d> {
        self.0.at("spec").at("clusterIP")
    }

    pub(crate) fn cluster_ips(&self) -> Node<'d> {
        self.0.at("spec").at("clusterIPs")
    }

    /// Whether Kubernetes ignores `spec.externalIPs`: in headless Services, and in those of the
    /// type `ExternalName` (`pkg/api/service/warnings.go` of 1.37).
    pub(crate) fn ignores_external_ips(&self) -> bool {
        match self.kind().text() {
            Ok(None | Some("ClusterIP")) => self.cluster_ip().text().is_ok_and(|text| text == Some("None")),
            kind => kind.is_ok_and(|kind| kind == Some("ExternalName")),
        }
    }

    /// `spec.externalIPs`.
    #[must_use]
    pub fn external_ips(&self) -> Node<'d> {
        self.0.at("spec").at("externalIPs")
    }

    pub(crate) fn load_balancer_ip(&self) -> Node<'d> {
        self.0.at("spec").at("loadBalancerIP")
    }

    /// `spec.ports`.
    #[must_use]
    pub fn ports(&self) -> Node<'d> {
        self.0.at("spec").at("ports")
    }

    /// `status.loadBalancer.ingress`.
    #[must_use]
    pub fn ingress(&self) -> Node<'d> {
        self.0.at("status").at("loadBalancer").at("ingress")
    }
}

const PORTS: Shape<'static> = Shape::Fields(&[("port", Shape::ALL), ("protocol", Shape::ALL)]);

const STATUS: Shape<'static> =
    Shape::Fields(&[("loadBalancer", Shape::Fields(&[("ingress", Shape::Fields(&[("ip", Shape::ALL)]))]))]);
