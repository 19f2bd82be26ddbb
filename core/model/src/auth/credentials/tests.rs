//! Whose key or token goes to which provider.

use lodger_protocol::{Endpoint, EndpointKind};

use super::*;

fn spec() -> ModelSpec {
    ModelSpec::parse("anthropic/large").unwrap()
}

fn env(names: &[&str]) -> Environment {
    Environment::new(names.iter().map(|name| ((*name).to_owned(), format!("value of {name}"))))
}

fn at(credentials: &Credentials, env: &Environment) -> Result<Option<Arc<dyn CredentialSource>>> {
    let catalogue = Catalogue::default();
    credentials.at(&spec(), &ResolvedEndpoint::find(&spec(), None, env, &catalogue)?, env, &catalogue)
}

fn shown(credentials: &Credentials, env: &Environment) -> Credential {
    let source = at(credentials, env).unwrap().unwrap();
    futures_util::FutureExt::now_or_never(source.current()).unwrap().unwrap()
}

fn key(provider: &str) -> Credentials {
    Credentials::Key { key: "from-option".into(), provider: Some(provider.to_owned()) }
}

#[test]
fn the_option_wins_over_the_environment() {
    let env = env(&["ANTHROPIC_API_KEY"]);
    assert_eq!(shown(&key("anthropic"), &env).secret.expose(), "from-option");
    assert_eq!(shown(&Credentials::Environment, &env).secret.expose(), "value of ANTHROPIC_API_KEY");
}

#[test]
fn a_key_is_not_shown_to_another_provider_which_has_its_own_in_the_environment() {
    let env = env(&["ANTHROPIC_API_KEY"]);
    assert_eq!(shown(&key("openai"), &env).secret.expose(), "value of ANTHROPIC_API_KEY");
    assert_eq!(at(&key("openai"), &Environment::default()).err().unwrap().code, ErrorCode::ProviderAuth);
}

#[test]
fn the_keys_of_other_providers_are_never_taken() {
    let env = env(&["OPENAI_API_KEY", "GEMINI_API_KEY", "API_KEY", "ANTHROPIC_KEY", "anthropic_api_key"]);
    let error = at(&Credentials::Environment, &env).err().unwrap();
    assert_eq!(error.code, ErrorCode::ProviderAuth);
    assert!(error.message.contains("auth.apiKey") && error.message.contains("ANTHROPIC_API_KEY"), "{}", error.message);
    assert!(!error.message.contains("value of"), "{}", error.message);
}

#[test]
fn a_token_of_another_provider_is_an_error_that_names_it() {
    let credentials = Credentials::Token { provider: "openai".to_owned(), token: "t".into() };
    let error = at(&credentials, &env(&["ANTHROPIC_API_KEY"])).err().unwrap();
    assert_eq!(error.code, ErrorCode::InvalidOptions);
    assert!(error.message.contains("anthropic/large") && error.message.contains("openai"), "{}", error.message);
}

#[test]
fn an_endpoint_on_this_machine_goes_without_a_key() {
    let endpoint = Endpoint::new(EndpointKind::Anthropic, "http://127.0.0.1:1");
    let (env, catalogue) = (Environment::default(), Catalogue::default());
    let endpoint = ResolvedEndpoint::find(&spec(), Some(&endpoint), &env, &catalogue).unwrap();
    let source = Credentials::Environment.at(&spec(), &endpoint, &env, &catalogue).unwrap();
    assert!(source.is_none());
}

#[test]
fn another_variable_of_the_provider_is_looked_at_last() {
    let spec = ModelSpec::parse("google/gemini-x").unwrap();
    let key = |names: &[&str]| {
        key_of(&spec.provider, &env(names), &Catalogue::default())
            .map(|key| key.expose().to_owned())
            .map_err(|error| error.message)
    };
    assert_eq!(key(&["GEMINI_API_KEY"]).unwrap(), "value of GEMINI_API_KEY");
    assert_eq!(key(&["GEMINI_API_KEY", "GOOGLE_API_KEY"]).unwrap(), "value of GOOGLE_API_KEY");
    assert!(key(&[]).unwrap_err().contains("`GOOGLE_API_KEY` or `GEMINI_API_KEY`"));
}
