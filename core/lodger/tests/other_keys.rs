//! Whatever else the environment holds, a request goes to the chosen server alone, and carries its key alone.

use std::collections::BTreeMap;
use std::net::TcpListener;

use lodger::Agent;
use lodger::protocol::{Auth, DoneReason, Endpoint, Environment, Limits};
use lodger_kit::{FaultRule, MockOptions, MockServer, Protocol, WireFault};
use serde_json::json;

use crate::support::{look, play};
use crate::wire::kind;

const OWN: &str = "sk-own-0123456789";
const OTHER: &str = "sk-other-0123456789";

/// More that other vendors' clients read.
const OTHERS: [&str; 5] = [
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "CLOUDSDK_AUTH_ACCESS_TOKEN",
    "CODEX_API_KEY",
];

const VENDORS: [&str; 17] = [
    "ANTHROPIC",
    "AZURE_OPENAI",
    "BEDROCK",
    "BEDROCK_MANTLE",
    "CODEX",
    "DEEPSEEK",
    "FIREWORKS",
    "GEMINI",
    "GOOGLE",
    "GROK",
    "GROQ",
    "MISTRAL",
    "OPENAI",
    "OPENROUTER",
    "TOGETHER",
    "VERTEX",
    "XAI",
];

/// A place where no request may go.
struct Trap(TcpListener);

impl Trap {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        Self(listener)
    }

    fn url(&self) -> String {
        format!("http://{}", self.0.local_addr().unwrap())
    }

    /// An environment with the key of every vendor, whose addresses and proxies all lead here; and with what is `own`.
    fn environment(&self, own: &[(&str, &str)]) -> Environment {
        let mut all = BTreeMap::new();
        for vendor in VENDORS {
            for name in ["API_KEY", "AUTH_TOKEN", "ACCESS_TOKEN"] {
                all.insert(format!("{vendor}_{name}"), OTHER.to_owned());
            }
            all.insert(format!("{vendor}_BASE_URL"), self.url());
        }
        all.extend(OTHERS.map(|name| (name.to_owned(), OTHER.to_owned())));
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
            all.insert(name.to_owned(), self.url());
            all.insert(name.to_ascii_lowercase(), self.url());
        }
        all.extend(own.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        Environment::new(all)
    }

    /// A connection that was made waits to be accepted, also when it was closed since.
    #[track_caller]
    fn is_empty(&self) {
        let found = self.0.accept().map(|(_, from)| from);
        assert!(found.is_err(), "somebody came: {found:?}");
    }
}

fn server(faults: Vec<FaultRule>) -> MockServer {
    let script = json!({ "steps": [{ "reply": [{ "type": "text", "text": "one" }] }], "after": "last" });
    MockServer::start_with(serde_json::from_value(script).unwrap(), MockOptions { faults, ..MockOptions::default() })
        .unwrap()
}

#[track_caller]
fn carried_its_own_key_alone(server: &MockServer, requests: usize) {
    let heads = server.stats().heads;
    assert_eq!(heads.len(), requests);
    for head in heads {
        assert!(head.contains(OWN) && !head.contains(OTHER), "{head}");
    }
}

#[tokio::test]
async fn a_server_that_the_host_chose_is_asked_alone_and_with_the_hosts_key_alone() {
    for protocol in Protocol::ALL {
        let (trap, server) = (Trap::new(), server(Vec::new()));
        for provider in ["anthropic", "openai", "google", "acme", "bedrock", "vertex", "codex", "grok"] {
            let agent = Agent::builder()
                .model(format!("{provider}/mock"))
                .endpoint(Endpoint::new(kind(protocol), server.base_url()))
                .api_key(OWN)
                .environment(trap.environment(&[]))
                .create()
                .unwrap();
            look::ended(&play(&agent, "hello").await, DoneReason::EndTurn);
        }
        carried_its_own_key_alone(&server, 8);
        trap.is_empty();
    }
}

#[tokio::test]
async fn a_server_that_the_environment_names_is_asked_alone_and_with_its_own_key_alone() {
    // Google's key has two names.
    let google = ["GOOGLE_API_KEY", "GEMINI_API_KEY"];
    for (provider, address, keys) in [
        ("anthropic", "ANTHROPIC_BASE_URL", &["ANTHROPIC_API_KEY"][..]),
        ("openai", "OPENAI_BASE_URL", &["OPENAI_API_KEY"]),
        ("google", "GOOGLE_BASE_URL", &google),
        ("bedrock", "BEDROCK_BASE_URL", &["BEDROCK_API_KEY", "AWS_BEARER_TOKEN_BEDROCK"]),
        ("vertex", "VERTEX_BASE_URL", &["CLOUDSDK_AUTH_ACCESS_TOKEN"]),
    ] {
        let (trap, server) = (Trap::new(), server(Vec::new()));
        let url = server.base_url();
        let own: Vec<_> = keys.iter().map(|key| (*key, OWN)).chain([(address, url.as_str())]).collect();
        let agent =
            Agent::builder().model(format!("{provider}/mock")).environment(trap.environment(&own)).create().unwrap();
        look::ended(&play(&agent, "hello").await, DoneReason::EndTurn);
        carried_its_own_key_alone(&server, 1);
        trap.is_empty();
    }
}

#[tokio::test]
async fn a_redirect_leads_nowhere() {
    for protocol in Protocol::ALL {
        for status in [301, 302, 303, 307, 308] {
            let trap = Trap::new();
            let headers = BTreeMap::from([("location".to_owned(), format!("{}/v1/messages", trap.url()))]);
            let server = server(vec![FaultRule::always(WireFault::Status { status, headers, body: None })]);
            let agent = Agent::builder()
                .model("acme/mock")
                .endpoint(Endpoint::new(kind(protocol), server.base_url()))
                .api_key(OWN)
                .environment(trap.environment(&[]))
                .limits(Limits { max_retries: 0, ..Limits::default() })
                .create()
                .unwrap();
            let error = look::failed(&play(&agent, "hello").await, lodger::ErrorCode::ProviderRejected);
            assert!(error.message.contains(&status.to_string()), "{error}");
            carried_its_own_key_alone(&server, 1);
            trap.is_empty();
        }
    }
}

#[tokio::test]
async fn a_token_of_a_subscription_goes_to_it_alone_and_no_key_is_taken_in_its_place() {
    for (provider, address) in [("codex", "CODEX_BASE_URL"), ("grok", "GROK_BASE_URL")] {
        let (trap, server) = (Trap::new(), server(Vec::new()));
        let url = server.base_url();
        let builder = || Agent::builder().model("mock").environment(trap.environment(&[(address, &url)]));
        let agent = builder().auth(Auth::Token { provider: provider.to_owned(), token: OWN.into() }).create().unwrap();
        look::ended(&play(&agent, "hello").await, DoneReason::EndTurn);
        carried_its_own_key_alone(&server, 1);
        let error = builder().model(format!("{provider}/mock")).create().unwrap_err();
        assert_eq!(error.code, lodger::ErrorCode::ProviderAuth);
        assert!(error.message.contains("{ provider, token }") && !error.message.contains("API_KEY"), "{error}");
        trap.is_empty();
    }
}
