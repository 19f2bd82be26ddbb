//! Which hosts of a network a rule is about: `example.com`, `*.example.com`.

/// A pattern over host names: one name, or all names below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HostPattern {
    name: String,
    below: bool,
}

impl HostPattern {
    /// Reads `domain:NAME` or `NAME`; `*.NAME` is every name below it, and not the name itself.
    ///
    /// # Errors
    /// Why it is no host name.
    pub(super) fn new(text: &str) -> Result<Self, String> {
        let text = text.strip_prefix("domain:").unwrap_or(text);
        let (name, below) = text.strip_prefix("*.").map_or((text, false), |name| (name, true));
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | ':' | '[' | ']');
        if name.is_empty() || !name.chars().all(is_plain) {
            return Err("expected a host name such as example.com or *.example.com, in its xn-- form".to_owned());
        }
        Ok(Self { name: plain(name), below })
    }

    /// Whether it names this host.
    pub(super) fn names(&self, host: &str) -> bool {
        let host = plain(host);
        if self.below {
            host.strip_suffix(&self.name).is_some_and(|rest| rest.ends_with('.'))
        } else {
            host == self.name
        }
    }
}

fn plain(host: &str) -> String {
    host.trim_end_matches('.').to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(pattern: &str, host: &str) -> bool {
        HostPattern::new(pattern).unwrap().names(host)
    }

    #[test]
    fn a_name_is_that_host_alone_and_a_star_the_hosts_below_it() {
        assert!(names("example.com", "EXAMPLE.com."));
        assert!(names("domain:example.com", "example.com"));
        assert!(!names("example.com", "www.example.com"));
        assert!(names("*.example.com", "a.b.example.com"));
        assert!(!names("*.example.com", "example.com"));
        assert!(!names("*.example.com", "badexample.com"));
        assert!(!names("example.com", "example.com.evil.net"));
    }

    #[test]
    fn what_is_no_host_name_is_refused() {
        for text in ["", "domain:", "*", "a b", "http://x", "ex*mple.com", "b\u{fc}cher.de"] {
            assert!(HostPattern::new(text).is_err(), "{text}");
        }
    }
}
