//! The environment as a value. A face takes it once, on the caller's thread; nothing below reads the process's.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::{EnvInherit, EnvOptions, Secret};

const CORE: &[&str] = &["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TERM", "LANG", "TZ"];
/// By these, and by all that begin with `BASH`, a shell runs a file, reads a line otherwise, or goes to another folder.
const OF_THE_SHELL: &[&str] = &["CDPATH", "ENV", "POSIXLY_CORRECT", "PS4", "SHELLOPTS"];
const SECRET_ENDS: &[&str] = &["_KEY", "_TOKEN", "_SECRET", "_PASSWORD"];

/// The environment of the host at the time an agent was created. Cheap to clone; never printed.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment(Arc<BTreeMap<String, String>>);

impl Environment {
    /// Takes a list of names and values.
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(Arc::new(pairs.into_iter().collect()))
    }

    /// One value.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The values whose names say that they are secrets.
    #[must_use]
    pub fn secrets(&self) -> Vec<Secret> {
        let secret = self.0.iter().filter(|(name, value)| is_secret(name) && !value.is_empty());
        secret.map(|(_, value)| Secret::new(value)).collect()
    }

    /// What a child is given.
    #[must_use]
    pub fn for_children(&self, options: &EnvOptions) -> BTreeMap<String, String> {
        let mut out: BTreeMap<_, _> = self
            .0
            .iter()
            .filter(|(name, _)| inherits(options.inherit, name))
            .filter(|(name, _)| !options.unset.contains(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        out.extend(options.set.iter().map(|(name, value)| (name.clone(), value.clone())));
        out
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Environment({} names)", self.0.len())
    }
}

fn is_secret(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    SECRET_ENDS.iter().any(|end| upper.ends_with(end))
}

fn inherits(how: EnvInherit, name: &str) -> bool {
    match how {
        EnvInherit::None => false,
        EnvInherit::Core => CORE.contains(&name) || name.starts_with("LC_"),
        EnvInherit::Safe => {
            let upper = name.to_ascii_uppercase();
            !is_secret(name)
                && !OF_THE_SHELL.contains(&upper.as_str())
                && !["BASH", "LD_", "DYLD_"].iter().any(|start| upper.starts_with(start))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host() -> Environment {
        Environment::new(
            [
                ("PATH", "/bin"),
                ("LC_ALL", "C"),
                ("ANTHROPIC_API_KEY", "sk"),
                ("github_token", "t"),
                ("LD_PRELOAD", "x"),
                ("BASH_ENV", "y"),
                ("EDITOR", "vi"),
            ]
            .map(|(name, value)| (name.to_owned(), value.to_owned())),
        )
    }

    fn names(options: &EnvOptions) -> Vec<String> {
        host().for_children(options).into_keys().collect()
    }

    #[test]
    fn safe_leaves_out_secrets_and_loader_switches() {
        assert_eq!(names(&EnvOptions::default()), ["EDITOR", "LC_ALL", "PATH"]);
    }

    #[test]
    fn safe_leaves_out_all_by_which_bash_reads_a_line_otherwise() {
        for name in
            ["BASHOPTS", "BASH_COMPAT", "BASH_FUNC_ls%%", "CDPATH", "ENV", "POSIXLY_CORRECT", "PS4", "SHELLOPTS"]
        {
            let host = Environment::new([(name.to_owned(), "1".to_owned())]);
            assert!(host.for_children(&EnvOptions::default()).is_empty(), "{name}");
        }
    }

    #[test]
    fn core_keeps_the_few_names_that_programs_need() {
        assert_eq!(names(&EnvOptions { inherit: EnvInherit::Core, ..Default::default() }), ["LC_ALL", "PATH"]);
    }

    #[test]
    fn what_the_host_sets_wins_over_what_it_leaves_out() {
        let options = EnvOptions {
            inherit: EnvInherit::None,
            set: BTreeMap::from([("TOKEN".to_owned(), "1".to_owned())]),
            unset: vec!["TOKEN".to_owned()],
        };
        assert_eq!(names(&options), ["TOKEN"]);
    }

    #[test]
    fn printing_shows_no_value() {
        assert_eq!(format!("{:?}", host()), "Environment(7 names)");
    }
}
