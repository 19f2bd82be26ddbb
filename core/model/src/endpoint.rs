//! Where a model is: given, named by the environment, or the provider's own address.

use lodger_net::BaseUrl;
use lodger_protocol::{Endpoint, EndpointKind, Environment, Error};

use crate::ModelSpec;
use crate::address::address;
use crate::catalogue::{Catalogue, Form, KeyHeader};

/// A server to talk to, all choices made.
#[derive(Clone)]
pub struct ResolvedEndpoint {
    /// The protocol that it speaks.
    pub kind: EndpointKind,
    /// Where it is.
    pub base_url: BaseUrl,
    /// Sent with each request.
    pub headers: Vec<(String, String)>,
    /// A request may go without a key: the catalogue says so, or the host named an address of this machine, or headers
    /// that carry credentials.
    pub key_optional: bool,
    /// Where the key stands.
    pub key_header: KeyHeader,
    /// The option or variable that the address is from, where all that is sent there can be read on the way and the host
    /// has not said that this may be.
    pub in_clear: Option<String>,
    /// What it has other than the protocol.
    pub form: Form,
}

impl std::fmt::Debug for ResolvedEndpoint {
    /// Headers may carry credentials: only their names are shown.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("ResolvedEndpoint").field("kind", &self.kind).field("headers", &names).finish_non_exhaustive()
    }
}

impl ResolvedEndpoint {
    /// Looks for the server of a model: `endpoint`, then `<PROVIDER>_BASE_URL` of the environment, then the address
    /// that the catalogue has.
    ///
    /// # Errors
    /// `invalid_options` for a URL that cannot be used, and for a provider that is not known without an endpoint.
    pub fn find(
        spec: &ModelSpec,
        endpoint: Option<&Endpoint>,
        env: &Environment,
        catalogue: &Catalogue,
    ) -> Result<Self, Error> {
        let known = catalogue.provider(&spec.provider);
        if let Some(endpoint) = endpoint {
            let source = "`endpoint.baseUrl`";
            let base_url = BaseUrl::parse(&endpoint.base_url, source)?;
            // Another server than the provider's own: it speaks as its protocol does, unless it is one of a kind, such
            // as a customer's own resource.
            let known = known.filter(|known| known.kind == endpoint.kind);
            return Ok(Self {
                in_clear: (!endpoint.allow_http && base_url.is_readable_by_others()).then(|| source.to_owned()),
                kind: endpoint.kind,
                key_optional: base_url.is_loopback() || endpoint.headers.keys().any(|name| carries_credentials(name)),
                base_url,
                headers: endpoint.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
                key_header: known.as_ref().and_then(|known| known.key_header).unwrap_or(KeyHeader::of(endpoint.kind)),
                form: known.map(|known| known.form).unwrap_or_default(),
            });
        }
        let known = known.ok_or_else(|| catalogue.unknown(&spec.provider))?;
        let variable = spec.variable("BASE_URL");
        let (base_url, source) = match env.get(&variable) {
            Some(url) => (url.to_owned(), format!("`{variable}` of the environment")),
            None => (address(&known, env)?.ok_or_else(|| without(spec))?, "the provider's address".to_owned()),
        };
        let base_url = BaseUrl::parse(&base_url, &source)?;
        Ok(Self {
            kind: known.kind,
            in_clear: base_url.is_readable_by_others().then_some(source),
            base_url,
            headers: Vec::new(),
            key_optional: known.key_optional,
            key_header: known.key_header.unwrap_or(KeyHeader::of(known.kind)),
            form: known.form,
        })
    }
}

impl ResolvedEndpoint {
    /// Refuses to send credentials where anybody on the way can read them.
    ///
    /// # Errors
    /// `invalid_options` naming the option or variable that the address is from.
    pub(crate) fn check_secrecy(&self, has_credentials: bool) -> Result<(), Error> {
        match &self.in_clear {
            Some(source) if has_credentials || self.headers.iter().any(|(name, _)| carries_credentials(name)) => {
                Err(Error::invalid_options(format!(
                    "{source}: credentials would go over http, where anybody on the way can read them; use https, or allow \
                     it by option endpoint with `allowHttp: true`"
                )))
            }
            _ => Ok(()),
        }
    }
}

fn carries_credentials(header: &str) -> bool {
    ["authorization", "x-api-key", "api-key", "x-goog-api-key"].iter().any(|name| header.eq_ignore_ascii_case(name))
}

fn without(spec: &ModelSpec) -> Error {
    Error::invalid_options(format!(
        "`model`: the provider `{}` has an address for each customer; set `endpoint.baseUrl` or `{}`",
        spec.provider,
        spec.variable("BASE_URL")
    ))
}

#[cfg(test)]
mod tests {
    use lodger_protocol::ErrorCode;

    use super::*;

    fn spec() -> ModelSpec {
        ModelSpec::parse("anthropic/claude-x").unwrap()
    }

    fn endpoint(url: &str) -> Endpoint {
        Endpoint::new(EndpointKind::Anthropic, url)
    }

    fn env(url: &str) -> Environment {
        Environment::new([("ANTHROPIC_BASE_URL".to_owned(), url.to_owned())])
    }

    fn url(endpoint: Option<&Endpoint>, env: &Environment) -> String {
        ResolvedEndpoint::find(&spec(), endpoint, env, &Catalogue::default()).unwrap().base_url.join("v1/messages")
    }

    #[test]
    fn the_option_wins_over_the_environment_and_that_over_the_providers_own_address() {
        assert_eq!(url(Some(&endpoint("http://a.test")), &env("http://b.test")), "http://a.test/v1/messages");
        assert_eq!(url(None, &env("http://b.test/proxy/")), "http://b.test/proxy/v1/messages");
        assert_eq!(url(None, &Environment::default()), "https://api.anthropic.com/v1/messages");
    }

    #[test]
    fn only_an_endpoint_on_this_machine_or_with_its_own_credentials_goes_without_a_key() {
        let optional = |endpoint: &Endpoint| {
            ResolvedEndpoint::find(&spec(), Some(endpoint), &Environment::default(), &Catalogue::default())
                .unwrap()
                .key_optional
        };
        for url in ["http://127.0.0.1:1", "http://localhost:1", "http://[::1]:1", "http://127.9.9.9"] {
            assert!(optional(&endpoint(url)), "{url}");
        }
        for url in ["http://10.0.0.1", "https://localhost.example.com", "http://127.0.0.1.nip.io"] {
            assert!(!optional(&endpoint(url)), "{url}");
        }
        let mut with_header = endpoint("https://gateway.test");
        with_header.headers.insert("Authorization".to_owned(), "Bearer x".to_owned());
        assert!(optional(&with_header));
        // An address that only the environment gives is not the host's word.
        assert!(
            !ResolvedEndpoint::find(&spec(), None, &env("http://127.0.0.1:1"), &Catalogue::default())
                .unwrap()
                .key_optional
        );
    }

    #[test]
    fn credentials_go_over_http_in_private_networks_alone_unless_the_host_allows_it() {
        let checked = |endpoint: Option<&Endpoint>, env: &Environment, has_key| {
            ResolvedEndpoint::find(&spec(), endpoint, env, &Catalogue::default()).unwrap().check_secrecy(has_key)
        };
        let none = Environment::default();
        for url in ["http://models.example.com", "http://8.8.8.8:8080", "http://[2001:4860::1]", "http://172.32.0.1"] {
            let mut endpoint = endpoint(url);
            let error = checked(Some(&endpoint), &none, true).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidOptions, "{url}");
            assert!(error.message.contains("endpoint.baseUrl") && error.message.contains("allowHttp"), "{url}");
            assert!(checked(Some(&endpoint), &none, false).is_ok(), "{url}");
            endpoint.headers.insert("X-API-Key".to_owned(), "sk".to_owned());
            assert!(checked(Some(&endpoint), &none, false).is_err(), "{url}");
            endpoint.allow_http = true;
            assert!(checked(Some(&endpoint), &none, true).is_ok(), "{url}");
            let error = checked(None, &env(url), true).unwrap_err();
            assert!(error.message.contains("ANTHROPIC_BASE_URL"), "{}", error.message);
        }
        for url in [
            "https://models.example.com",
            "http://localhost:1",
            "http://127.0.0.1:1",
            "http://[::1]:1",
            "http://10.0.0.1",
            "http://172.31.0.1",
            "http://192.168.1.2",
            "http://100.64.0.1",
            "http://[fd00::1]",
            "http://ollama:11434",
            "http://gpu.local",
            "http://host.docker.internal",
            "http://vllm.default.svc.cluster.local",
        ] {
            assert!(checked(Some(&endpoint(url)), &none, true).is_ok(), "{url}");
        }
    }

    #[test]
    fn an_unknown_provider_without_an_endpoint_is_an_error_that_lists_the_known() {
        let spec = ModelSpec::parse("acme/x").unwrap();
        let error = ResolvedEndpoint::find(&spec, None, &Environment::default(), &Catalogue::default()).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidOptions);
        assert!(
            ["anthropic, openai", "scripted"].iter().all(|names| error.message.contains(names)),
            "{}",
            error.message
        );
        assert!(
            ResolvedEndpoint::find(
                &spec,
                Some(&endpoint("https://acme.test")),
                &Environment::default(),
                &Catalogue::default()
            )
            .is_ok()
        );
    }

    #[test]
    fn a_bad_url_is_an_error_that_says_where_it_stands_and_does_not_repeat_it() {
        for bad in ["", "nowhere", "ftp://a.test", "https://user:pass@a.test", "https://a.test?key=pass"] {
            let error =
                ResolvedEndpoint::find(&spec(), Some(&endpoint(bad)), &Environment::default(), &Catalogue::default())
                    .unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidOptions, "{bad}");
            assert!(
                error.message.contains("endpoint.baseUrl") && !error.message.contains("pass@"),
                "{}",
                error.message
            );
        }
        let error = ResolvedEndpoint::find(&spec(), None, &env("nowhere"), &Catalogue::default()).unwrap_err();
        assert!(error.message.contains("ANTHROPIC_BASE_URL"), "{}", error.message);
    }
}
