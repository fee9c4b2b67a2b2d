//! Lists of objects, a page at a time.

use serde::Deserialize;
use serde_json::value::RawValue;
use text::percent_encoded;

use crate::connection::Connection;
use crate::error::Error;
use kubernetes::kinds::Resource;

const LIMIT: usize = 500;

/// The most objects of the first page: objects can be as large as a request, 3 MiB.
///
/// Source: `MaxRequestBodyBytes` in `pkg/server/config.go` of kubernetes/apiserver.
const FIRST: usize = 50;

/// The size that pages approach as they grow, and above which the next ones have fewer objects.
const LARGE: usize = 8 * 1024 * 1024;

#[derive(Clone, Debug)]
pub(crate) struct Listing {
    pub(crate) resource: Resource,
    /// The only namespace; `None` for all.
    pub(crate) namespace: Option<String>,
    /// The name of the only object; `None` for all.
    pub(crate) name: Option<String>,
}

impl Listing {
    fn path(&self) -> String {
        let Resource { group, version, plural, .. } = &self.resource;
        let root =
            if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") };
        let list = match &self.namespace {
            Some(namespace) => format!("{root}/namespaces/{namespace}/{plural}"),
            None => format!("{root}/{plural}"),
        };
        match &self.name {
            // Servers authorize a list by a field selector at cluster scope.
            Some(name) => format!("{list}/{}", percent_encoded(name)),
            None => list,
        }
    }

    pub(crate) fn right(&self) -> String {
        let Resource { group, plural, .. } = &self.resource;
        let place = match &self.namespace {
            Some(namespace) => format!("in the namespace {namespace}"),
            None => "at cluster scope".to_owned(),
        };
        format!("list {plural} in the API group \"{group}\" {place}")
    }
}

#[derive(Debug)]
pub(crate) struct Pages {
    path: String,
    is_object: bool,
    /// The token of the next page; `None` at the end.
    next: Option<String>,
    has_begun: bool,
    limit: usize,
}

#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) items: Vec<String>,
    /// Whether the objects that follow are of a later state of the cluster.
    pub(crate) is_later: bool,
}

#[derive(Deserialize)]
struct List<'t> {
    #[serde(default)]
    metadata: ListMeta,
    #[serde(borrow, default)]
    items: Option<Vec<&'t RawValue>>,
}

#[derive(Default, Deserialize)]
struct ListMeta {
    #[serde(default, rename = "continue")]
    next: Option<String>,
}

impl Pages {
    pub(crate) fn of(listing: &Listing) -> Self {
        let is_object = listing.name.is_some();
        Self { path: listing.path(), is_object, next: None, has_begun: false, limit: FIRST }
    }

    /// Reads the next page; `None` at the end.
    ///
    /// A server forgets old states after some minutes, and answers 410 if it has forgotten the
    /// state of the list. It then offers a token by which the list continues behind the last object
    /// in the present state: no object comes twice, and one that exists all the time comes once.
    pub(crate) fn next(&mut self, connection: &Connection) -> Option<Result<Page, Error>> {
        if self.has_begun && self.next.is_none() {
            return None;
        }
        self.has_begun = true;
        if self.is_object {
            return Some(match connection.get(&self.path) {
                Ok(object) => Ok(Page { items: vec![object], is_later: false }),
                Err(error) if error.status() == Some(404) => Ok(Page { items: Vec::new(), is_later: false }),
                Err(error) => Err(error),
            });
        }
        let mut is_later = false;
        let text = loop {
            // Without resourceVersion=0: servers ignore the limit with it.
            let token = self.next.take().map(|token| format!("&continue={}", percent_encoded(&token)));
            let path = format!("{}?limit={}{}", self.path, self.limit, token.clone().unwrap_or_default());
            match connection.get(&path) {
                Ok(text) => break text,
                Err(error) if error.status() == Some(410) && token.is_some() && !is_later => {
                    let Some(offered) = error.offered() else { return Some(Err(error)) };
                    self.next = Some(offered.to_owned());
                    is_later = true;
                }
                Err(error) => return Some(Err(error)),
            }
        };
        let list: List<'_> = match serde_json::from_str(&text) {
            Ok(list) => list,
            Err(error) => {
                let problem =
                    format!("{}: the list {} cannot be read: {error}", connection.server(), self.path);
                return Some(Err(Error::new(problem)));
            }
        };
        self.next = list.metadata.next.filter(|token| !token.is_empty());
        let items: Vec<String> =
            list.items.unwrap_or_default().into_iter().map(|item| item.get().to_owned()).collect();
        let fitting = items.len().saturating_mul(LARGE).checked_div(text.len()).unwrap_or(LIMIT);
        // The next objects can be larger than those of the page.
        if !items.is_empty() {
            self.limit = fitting.min(self.limit.saturating_mul(2)).clamp(1, LIMIT);
        }
        Some(Ok(Page { items, is_later }))
    }
}
