//! The way to the providers and to the web, out of the options and what the host's environment says of proxies and
//! certificates.

use std::fs::File;
use std::io::Read;

use lodger_net::{Certificates, HttpClients, MAX_CA_BYTES, NetworkSettings, Reach, Setting};
use lodger_protocol::{Environment, Error, NetworkOptions, Result, WebFetchOptions};

/// What the options leave open is as the environment has it.
///
/// # Errors
/// `invalid_options` for a bound of 0, and for a file of certificates that the environment names and nobody can read.
pub(crate) fn settings(options: &NetworkOptions, env: &Environment) -> Result<NetworkSettings> {
    if options.max_connections_per_host == 0 {
        return Err(Error::invalid_options("option network.maxConnectionsPerHost is 0; expected at least 1"));
    }
    let own = options.proxy.clone().map(|text| Setting { source: "option network.proxy".to_owned(), text });
    let proxy = |name: &str| own.clone().or_else(|| variable(name, env)).or_else(|| variable("ALL_PROXY", env));
    let no_proxy = options.no_proxy.clone().or_else(|| {
        let listed = variable("NO_PROXY", env)?;
        Some(listed.text.expose().split(',').map(str::to_owned).collect())
    });
    let ca = match &options.ca {
        Some(pem) => vec![Certificates {
            source: "option network.ca".to_owned(),
            pem: pem.clone().into_bytes(),
            is_bundle: false,
        }],
        None => ["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"]
            .iter()
            .filter_map(|name| Some(bundle(name, env.get(name)?)))
            .collect::<Result<_>>()?,
    };
    Ok(NetworkSettings {
        https_proxy: proxy("HTTPS_PROXY"),
        http_proxy: proxy("HTTP_PROXY"),
        no_proxy: no_proxy.unwrap_or_default(),
        ca,
        max_connections_per_host: usize::try_from(options.max_connections_per_host).unwrap_or(usize::MAX),
    })
}

/// A variable in lower case, else in upper case, as elsewhere. Where the environment is that of a CGI script,
/// `HTTP_PROXY` is a header of whoever asks the script.
fn variable(name: &str, env: &Environment) -> Option<Setting> {
    let lower = name.to_ascii_lowercase();
    let names = match name {
        "HTTP_PROXY" if env.get("REQUEST_METHOD").is_some() => vec![lower.as_str()],
        _ => vec![lower.as_str(), name],
    };
    names.into_iter().find_map(|name| {
        let text = env.get(name)?.to_owned().into();
        Some(Setting { source: format!("`{name}` of the environment"), text })
    })
}

/// What carries the requests of `web_fetch`. Never a fetch of the host's: nobody would see to which address it goes.
///
/// # Errors
/// `invalid_options` for a bound of 0, and for an entry that is no host.
pub(crate) fn web(options: &WebFetchOptions, clients: &HttpClients) -> Result<HttpClients> {
    for (name, value) in [("maxBytes", options.max_bytes as u64), ("timeoutMs", options.timeout_ms)] {
        if value == 0 {
            return Err(Error::invalid_options(format!("option webFetch.{name} is 0; expected at least 1")));
        }
    }
    let reach = Reach::new(&options.private_hosts, options.through_proxy, "option webFetch.privateHosts")?;
    Ok(clients.within(reach))
}

fn bundle(name: &str, path: &str) -> Result<Certificates> {
    let source = format!("`{name}` of the environment");
    let mut pem = Vec::new();
    // One byte more than there may be shows that there is too much.
    let read = File::open(path).and_then(|file| file.take(MAX_CA_BYTES as u64 + 1).read_to_end(&mut pem));
    match read {
        Ok(_) => Ok(Certificates { source, pem, is_bundle: true }),
        Err(error) => Err(Error::invalid_options(format!(
            "{source}: {path} cannot be read ({error}); mend the variable, or set option network.ca in its place"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(pairs: &[(&str, &str)]) -> Environment {
        Environment::new(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())))
    }

    fn read(options: &NetworkOptions, pairs: &[(&str, &str)]) -> NetworkSettings {
        settings(options, &env(pairs)).unwrap()
    }

    /// The proxies for `https` and `http`.
    fn proxies(options: &NetworkOptions, pairs: &[(&str, &str)]) -> [Option<String>; 2] {
        let settings = read(options, pairs);
        [settings.https_proxy, settings.http_proxy].map(|proxy| proxy.map(|proxy| proxy.text.expose().to_owned()))
    }

    #[test]
    fn proxies_are_those_of_the_option_else_of_the_environment() {
        let (none, own) = (NetworkOptions::default(), Some("http://own".to_owned().into()));
        let own = NetworkOptions { proxy: own, ..none.clone() };
        let text = |text: &str| Some(text.to_owned());
        let all = [("HTTPS_PROXY", "http://s"), ("HTTP_PROXY", "http://p"), ("ALL_PROXY", "http://a")];
        assert_eq!(proxies(&none, &[]), [None, None]);
        assert_eq!(proxies(&none, &all), [text("http://s"), text("http://p")]);
        assert_eq!(proxies(&none, &[("all_proxy", "http://a")]), [text("http://a"), text("http://a")]);
        assert_eq!(proxies(&none, &[("https_proxy", "http://l"), all[0]]), [text("http://l"), None]);
        assert_eq!(proxies(&own, &all), [text("http://own"), text("http://own")]);
        assert_eq!(proxies(&none, &[("REQUEST_METHOD", "GET"), all[1]]), [None, None]);
    }

    #[test]
    fn exceptions_are_those_of_the_option_else_of_the_environment() {
        let listed = [("NO_PROXY", "a.test, .b.test")];
        assert_eq!(read(&NetworkOptions::default(), &listed).no_proxy, ["a.test", " .b.test"]);
        let own = NetworkOptions { no_proxy: Some(Vec::new()), ..NetworkOptions::default() };
        assert!(read(&own, &listed).no_proxy.is_empty());
    }

    #[test]
    fn certificates_are_those_of_the_option_else_of_the_files_that_the_environment_names() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        std::fs::write(&file, "pem").unwrap();
        let file = file.to_str().unwrap();
        let named = [("SSL_CERT_FILE", file), ("NODE_EXTRA_CA_CERTS", file)];
        let texts = |settings: NetworkSettings| settings.ca.into_iter().map(|ca| ca.pem).collect::<Vec<_>>();
        assert_eq!(texts(read(&NetworkOptions::default(), &named)), [b"pem", b"pem"]);
        let own = NetworkOptions { ca: Some("own".to_owned()), ..NetworkOptions::default() };
        assert_eq!(texts(read(&own, &named)), [b"own"]);
        let error = settings(&NetworkOptions::default(), &env(&[("SSL_CERT_FILE", "/no/such/file")])).unwrap_err();
        assert!(error.message.starts_with("`SSL_CERT_FILE` of the environment: /no/such/file"), "{}", error.message);
    }

    #[test]
    fn a_bound_of_nothing_is_refused() {
        let none = NetworkOptions { max_connections_per_host: 0, ..NetworkOptions::default() };
        assert!(settings(&none, &Environment::default()).unwrap_err().message.contains("maxConnectionsPerHost"));
    }
}
