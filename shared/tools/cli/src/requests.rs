//! The requests to evaluate.

use kubernetes::completion::Phase;
use kubernetes::kinds::Kinds;
use kubernetes::review::{AdmissionRequest, Draft, Form};
use report::Place;
use scan::{Content, Files, Question};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::input::{Pieces, about};

const EXPECTED: &str = "expected Kubernetes objects, AdmissionReviews or AdmissionRequests";

#[derive(Debug)]
pub(crate) struct NamedRequest {
    pub(crate) place: Place,
    pub(crate) request: AdmissionRequest,
    /// Whether the request is made of an object.
    is_of_object: bool,
}

impl NamedRequest {
    /// Turns the request into the one that the webhooks of a phase receive.
    pub(crate) fn received(self, phase: Phase) -> Result<Self, Failure> {
        if !self.is_of_object {
            return Ok(self);
        }
        let mut request = scan::Request::of_files(self.request.as_value().clone());
        request.enter(phase);
        let request = AdmissionRequest::from_value(request.value().clone());
        Ok(Self { request: request.map_err(|error| about(&self.place, error))?, ..self })
    }
}

/// Reads all requests from files, in order. An object stands for the request to create it, in
/// `namespace` if it names none.
pub(crate) fn read(files: &mut Files, namespace: &str) -> Result<Vec<NamedRequest>, Failure> {
    let mut requests = Vec::new();
    let mut pieces = Pieces::of(files);
    while let Some((chunk, entries)) = pieces.next_applied()? {
        let places = chunk.places(&entries);
        for (entry, place) in entries.into_iter().zip(places) {
            let is_of_object = matches!(entry.content, Content::Object(_));
            if let Some(request) = request(entry.content, namespace, requests.len() + 1)
                .map_err(|problem| about(&place, problem))?
            {
                requests.push(NamedRequest { place, request, is_of_object });
            }
        }
    }
    pieces.refuse_empty(EXPECTED)?;
    if requests.is_empty() {
        return Err(Failure::new("nothing to evaluate: the files have no objects or requests"));
    }
    // The only request of a file needs no line.
    for of_file in requests.chunk_by_mut(|one, other| one.place.file == other.place.file) {
        if let [only] = of_file {
            only.place.span = None;
        }
    }
    Ok(requests)
}

/// Returns the request of an entry; `None` for one that is skipped.
fn request(content: Content, namespace: &str, number: usize) -> Result<Option<AdmissionRequest>, String> {
    let request = match content {
        Content::Review(review) => {
            let is_review = Form::of(&review) == Some(Form::Review);
            if is_review && review.get("request").is_none_or(Value::is_null) {
                return Err("the AdmissionReview has no request".to_owned());
            }
            review
        }
        Content::Object(object) => creation(object, namespace, number),
        Content::Untyped(..) | Content::Other(_) => return Ok(None),
    };
    AdmissionRequest::from_value(request).map(Some).map_err(|error| error.to_string())
}

/// Returns the request to create an object, whose number tells which response belongs to it.
fn creation(object: Value, namespace: &str, number: usize) -> Value {
    let (user, object) = (Draft::ordinary_user(), Some(object));
    let question = Question { user, object, namespace: namespace.to_owned(), ..Question::default() };
    let mut request = question.request(&Kinds::default()).unwrap_or_default();
    if let Value::Object(fields) = &mut request {
        fields.insert("uid".to_owned(), json!(format!("00000000-0000-4000-8000-{number:012x}")));
    }
    request
}
