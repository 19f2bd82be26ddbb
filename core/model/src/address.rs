//! The address of a provider that has one for each place or customer: a text with holes that the environment fills.

use lodger_protocol::{Environment, Error};

use crate::catalogue::ProviderEntry;
use crate::variable_of;

/// The provider's own address. `None`: it has none, and the host must give it.
///
/// # Errors
/// `invalid_options` naming the variable that is missing, or holds what can be no part of an address.
pub(crate) fn address(provider: &ProviderEntry, env: &Environment) -> Result<Option<String>, Error> {
    let Some(usual) = &provider.base_url else { return Ok(None) };
    let first = holes(usual).next().and_then(|(_, hole, _)| found(hole, env));
    let template = first.and_then(|(_, value)| provider.base_urls.get(value)).unwrap_or(usual);
    let (mut address, mut rest) = (String::new(), template.as_str());
    for (before, hole, after) in holes(template) {
        let (name, value) = found(hole, env).ok_or_else(|| missing(&provider.name, hole))?;
        if !value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':')) {
            return Err(Error::invalid_options(format!(
                "`{name}` of the environment can be no part of the address of `{}`: expected letters, digits and dashes",
                provider.name
            )));
        }
        address.extend([before, value]);
        rest = after;
    }
    address.push_str(rest);
    Ok(Some(address))
}

/// Each hole, what stands between the one before and it, and all that follows.
fn holes(template: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    let mut rest = template;
    std::iter::from_fn(move || {
        let (before, more) = rest.split_once('{')?;
        let (hole, after) = more.split_once('}')?;
        rest = after;
        Some((before, hole, after))
    })
}

/// The first of the variables `ONE|OTHER` that is set.
fn found<'a>(hole: &'a str, env: &'a Environment) -> Option<(&'a str, &'a str)> {
    let set = |name: &'a str| Some((name, env.get(name)?.trim())).filter(|(_, value)| !value.is_empty());
    hole.split('|').find_map(set)
}

fn missing(provider: &str, hole: &str) -> Error {
    let names: Vec<String> = hole.split('|').map(|name| format!("`{name}`")).collect();
    Error::invalid_options(format!(
        "`model`: the address of `{provider}` needs {} of the environment; set it, `{}` or `endpoint.baseUrl`",
        names.join(" or "),
        variable_of(provider, "BASE_URL")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;

    fn address_of(provider: &str, variables: &[(&str, &str)]) -> Result<String, String> {
        let env = Environment::new(variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let provider = Catalogue::default().provider(provider).unwrap();
        address(&provider, &env).map(Option::unwrap).map_err(|error| error.message)
    }

    #[test]
    fn the_environment_says_which_region_and_project() {
        let bedrock = |variables: &[(&str, &str)]| address_of("bedrock", variables).unwrap();
        assert_eq!(bedrock(&[("AWS_REGION", "eu-west-1")]), "https://bedrock-runtime.eu-west-1.amazonaws.com");
        assert_eq!(bedrock(&[("AWS_DEFAULT_REGION", "a-1")]), "https://bedrock-runtime.a-1.amazonaws.com");
        let both = [("AWS_REGION", "a-1"), ("AWS_DEFAULT_REGION", "b-1")];
        assert_eq!(bedrock(&both), "https://bedrock-runtime.a-1.amazonaws.com");
        let project = ("GOOGLE_CLOUD_PROJECT", "mine");
        for (region, host) in [
            ("europe-west1", "europe-west1-aiplatform.googleapis.com"),
            ("global", "aiplatform.googleapis.com"),
            ("us", "aiplatform.us.rep.googleapis.com"),
            ("eu", "aiplatform.eu.rep.googleapis.com"),
        ] {
            let found = address_of("vertex", &[project, ("CLOUD_ML_REGION", region)]).unwrap();
            assert_eq!(found, format!("https://{host}/v1/projects/mine/locations/{region}"));
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let message = address_of("bedrock", &[("AWS_REGION", " ")]).unwrap_err();
        assert!(message.contains("`AWS_REGION` or `AWS_DEFAULT_REGION`"), "{message}");
        assert!(message.contains("`BEDROCK_BASE_URL` or `endpoint.baseUrl`"), "{message}");
        let message = address_of("vertex", &[("CLOUD_ML_REGION", "global")]).unwrap_err();
        assert!(message.contains("GOOGLE_CLOUD_PROJECT"), "{message}");
    }

    #[test]
    fn a_value_cannot_lead_elsewhere() {
        for value in ["evil.test/", "a@b", "x#", "x?y", "ü", "a b", "{AWS_REGION}"] {
            let message = address_of("bedrock", &[("AWS_REGION", value)]).unwrap_err();
            assert!(message.contains("`AWS_REGION`") && !message.contains(value), "{message}");
        }
    }
}
