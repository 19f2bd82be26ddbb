//! Which models a provider offers.

use crate::support::script::says;
use crate::support::{LONG, assert_code, endpoint, environment, server, wait_until};
use lodger::embed::{Handlers, Mailbox, ModelList};
use lodger::protocol::{Auth, EndpointKind, Environment, ErrorCode, ListModelsOptions};
use lodger::{ErrorCode as Code, list_models};
use lodger_kit::MockServer;
use serde_json::json;

fn options(server: &MockServer, kind: EndpointKind) -> ListModelsOptions {
    let mut endpoint = endpoint(server.base_url());
    endpoint.kind = kind;
    ListModelsOptions {
        provider: Some("acme".to_owned()),
        endpoint: Some(endpoint),
        auth: Some(Auth::ApiKey { api_key: "sk-test".into() }),
        ..ListModelsOptions::default()
    }
}

#[tokio::test]
async fn a_provider_of_each_protocol_lists_its_models() {
    let server = server(&[says("never asked")]);
    for kind in [EndpointKind::Anthropic, EndpointKind::OpenaiChat, EndpointKind::OpenaiResponses, EndpointKind::Gemini]
    {
        let ids = list_models(options(&server, kind), &Environment::default()).await.unwrap();
        assert!(!ids.is_empty() && ids.is_sorted(), "{kind:?}: {ids:?}");
    }
    assert_eq!(server.stats().requests, 0, "nothing but the list was asked for");
}

#[tokio::test]
async fn a_key_that_is_missing_is_said_before_anything_is_sent() {
    let mut options = ListModelsOptions { provider: Some("anthropic".to_owned()), ..ListModelsOptions::default() };
    assert_code(list_models(options.clone(), &Environment::default()).await, Code::ProviderAuth);
    options.provider = None;
    assert_code(list_models(options.clone(), &Environment::default()).await, Code::InvalidOptions);
    options.provider = Some("nobody".to_owned());
    assert_code(list_models(options, &Environment::default()).await, Code::InvalidOptions);
}

#[test]
fn a_list_marks_its_lane_and_is_taken_once() {
    let server = server(&[says("never asked")]);
    let mailbox = Mailbox::new(Box::new(|| {}));
    let json = json!({
        "provider": "acme",
        "endpoint": { "kind": "anthropic", "baseUrl": server.base_url() },
        "auth": { "apiKey": "sk-test" },
    });
    let list =
        ModelList::begin(None, &json.to_string(), &environment(), &Handlers::default(), Some((mailbox.clone(), 4)))
            .unwrap();
    wait_until("the lane", || (mailbox.take() == [9]).then_some(()));
    assert!(!list.take().unwrap().unwrap().is_empty());
    assert!(list.take().is_none());
    let list = ModelList::begin(None, &json.to_string(), &environment(), &Handlers::default(), None).unwrap();
    assert!(!list.wait(LONG).unwrap().is_empty());
}

#[test]
fn an_option_that_is_not_known_names_the_likely_one() {
    let error =
        ModelList::begin(None, r#"{"providr": "anthropic"}"#, &environment(), &Handlers::default(), None).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidOptions);
    assert!(error.message.contains("did you mean \"provider\""), "{}", error.message);
}

#[tokio::test]
async fn a_provider_that_is_not_there_is_an_error_without_the_key() {
    let gone = options(&server(&[says("x")]), EndpointKind::Anthropic);
    let error = list_models(gone, &Environment::default()).await.unwrap_err();
    assert_eq!(error.code, Code::ProviderUnavailable);
    assert!(!error.message.contains("sk-test"), "{}", error.message);
}
