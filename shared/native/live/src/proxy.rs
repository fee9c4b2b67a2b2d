//! The proxy of a connection, as client-go chooses it.
//!
//! Source: `ProxyFromEnvironment` of Go's `net/http` with `golang.org/x/net/http/httpproxy`, and
//! `proxy-url` in client-go, to which `NO_PROXY` does not apply.

use std::net::IpAddr;

use http::Uri;

/// Returns the proxy for a server: that of its cluster, or else that of the environment.
///
/// # Errors
/// A value that is not the URL of a proxy, without the value, which can hold a password.
pub(crate) fn of(
    own: Option<&str>,
    server: &Uri,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<Uri>, String> {
    if let Some(own) = own {
        return parsed(own, "proxy-url").map(Some);
    }
    let get = |name: &str| {
        let names = [name.to_owned(), name.to_lowercase()];
        names.iter().find_map(|name| variable(name).filter(|value| !value.is_empty()))
    };
    let name = if server.scheme_str() == Some("http") { "HTTP_PROXY" } else { "HTTPS_PROXY" };
    match get(name) {
        Some(proxy) if !is_exempt(server, &get("NO_PROXY").unwrap_or_default()) => {
            parsed(&proxy, name).map(Some)
        }
        _ => Ok(None),
    }
}

/// Whether a server is on this machine, or `NO_PROXY` has it.
fn is_exempt(server: &Uri, no_proxy: &str) -> bool {
    let host = server.host().unwrap_or_default().trim_matches(['[', ']']).to_lowercase();
    let address: Option<IpAddr> = host.parse().ok();
    let port = server.port_u16().unwrap_or(if server.scheme_str() == Some("http") { 80 } else { 443 });
    host == "localhost"
        || address.is_some_and(|address| address.is_loopback())
        || no_proxy.split(',').any(|entry| matches(entry.trim(), &host, address, port))
}

/// Whether an entry of `NO_PROXY` has a server: `*`, a network, or an address or a name, which a
/// port can follow. A name has its subdomains; with a dot before it, it has them alone.
fn matches(entry: &str, host: &str, address: Option<IpAddr>, port: u16) -> bool {
    if let Some((network, length)) = entry.split_once('/') {
        let network = network.parse().ok().zip(length.parse().ok());
        return network
            .zip(address)
            .is_some_and(|((network, length), address)| is_within(address, network, length));
    }
    let (name, own_port) = match entry.rsplit_once(':') {
        // An address of IPv6 with a port is in brackets.
        Some((name, port)) if !name.contains(':') || name.ends_with(']') => (name, port.parse().ok()),
        _ => (entry, None),
    };
    let name = name.trim_matches(['[', ']']).to_lowercase();
    let is_name = match name.strip_prefix('*').unwrap_or(&name) {
        "" => name == "*",
        domain if domain.starts_with('.') => host.ends_with(domain),
        domain => match domain.parse::<IpAddr>() {
            Ok(own) => address == Some(own),
            Err(_) => host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')),
        },
    };
    is_name && own_port.is_none_or(|own: u16| own == port)
}

fn is_within(address: IpAddr, network: IpAddr, length: u32) -> bool {
    let differing = match (address, network) {
        (IpAddr::V4(address), IpAddr::V4(network)) => {
            u128::from(address.to_bits() ^ network.to_bits()).checked_shl(96)
        }
        (IpAddr::V6(address), IpAddr::V6(network)) => Some(address.to_bits() ^ network.to_bits()),
        _ => None,
    };
    differing.is_some_and(|differing| differing.leading_zeros() >= length)
}

fn parsed(text: &str, name: &str) -> Result<Uri, String> {
    let text = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    text.parse().map_err(|_| format!("{name} is not the URL of a proxy; correct it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLUSTER: &str = "https://10.1.2.3:6443";

    /// The proxy of the cluster, the server, the environment, and the proxy to use.
    type Case =
        (Option<&'static str>, &'static str, &'static [(&'static str, &'static str)], Option<&'static str>);

    const CASES: &[Case] = &[
        (None, CLUSTER, &[], None),
        (None, CLUSTER, &[("HTTPS_PROXY", "http://p:1")], Some("http://p:1/")),
        (None, CLUSTER, &[("https_proxy", "p:1")], Some("http://p:1/")),
        (None, CLUSTER, &[("HTTP_PROXY", "http://p:1")], None),
        (None, "http://10.1.2.3", &[("HTTP_PROXY", "http://p:1")], Some("http://p:1/")),
        (None, CLUSTER, &[("HTTPS_PROXY", "http://p:1"), ("NO_PROXY", "a,10.0.0.0/8,")], None),
        (None, CLUSTER, &[("HTTPS_PROXY", "http://p:1"), ("NO_PROXY", "p")], Some("http://p:1/")),
        (None, CLUSTER, &[("HTTPS_PROXY", "http://p:1"), ("NO_PROXY", "10.1.2.3:6443")], None),
        (None, CLUSTER, &[("HTTPS_PROXY", "http://p:1"), ("NO_PROXY", "10.1.2.3:1")], Some("http://p:1/")),
        (None, "https://a.x.org", &[("HTTPS_PROXY", "http://p:1"), ("NO_PROXY", "*.x.org")], None),
        (None, CLUSTER, &[("HTTPS_PROXY", "http://p:1"), ("NO_PROXY", "*")], None),
        (None, CLUSTER, &[("HTTPS_PROXY", "http://p:1"), ("NO_PROXY", "10.1.3.0/24")], Some("http://p:1/")),
        (
            None,
            "https://[fd00::1]:6443",
            &[("HTTPS_PROXY", "http://p:1"), ("NO_PROXY", "[fd00::1]:6443")],
            None,
        ),
        (None, "https://[fd00::1]:6443", &[("HTTPS_PROXY", "http://p:1"), ("NO_PROXY", "fd00::/8")], None),
        (
            None,
            "https://x.org",
            &[("HTTPS_PROXY", "http://p:1"), ("NO_PROXY", ".x.org")],
            Some("http://p:1/"),
        ),
        (None, "https://a.X.org", &[("HTTPS_PROXY", "http://p:1"), ("NO_PROXY", "x.org")], None),
        (
            None,
            "https://ax.org",
            &[("HTTPS_PROXY", "http://p:1"), ("NO_PROXY", "x.org,")],
            Some("http://p:1/"),
        ),
        (None, "https://127.0.0.1:1", &[("HTTPS_PROXY", "http://p:1")], None),
        (None, "https://[::1]:1", &[("HTTPS_PROXY", "http://p:1")], None),
        (None, "https://localhost:1", &[("HTTPS_PROXY", "http://p:1")], None),
        (
            Some("http://own:1"),
            CLUSTER,
            &[("HTTPS_PROXY", "http://p:1"), ("NO_PROXY", "*")],
            Some("http://own:1/"),
        ),
        (Some("http://own:1"), "https://127.0.0.1:1", &[], Some("http://own:1/")),
    ];

    #[test]
    fn proxies_are_those_of_kubectl() {
        for (own, server, variables, proxy) in CASES {
            let variable = |name: &str| {
                let known = variables.iter().find(|(known, _)| *known == name);
                known.map(|(_, value)| (*value).to_owned())
            };
            let found = of(*own, &server.parse().unwrap(), &variable).unwrap();
            assert_eq!(found.map(|proxy| proxy.to_string()).as_deref(), *proxy, "{server} {variables:?}");
        }
        let wrong = of(Some("http://user:secret@p:1 2"), &CLUSTER.parse().unwrap(), &|_| None);
        assert_eq!(wrong.unwrap_err(), "proxy-url is not the URL of a proxy; correct it");
    }
}
