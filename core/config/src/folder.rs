//! Where it is.

use std::path::{Path, PathBuf};

use lodger_protocol::{Environment, Error, Result};

use crate::Logins;

/// The config folder. Nothing is read or made before it is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigFolder(PathBuf);

impl ConfigFolder {
    /// The folder at a path.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// `LODGER_CONFIG_DIR` of the environment, else `.lodger` in the home folder.
    ///
    /// # Errors
    /// `invalid_options` for a path that is not absolute, and when the environment names no home folder.
    pub fn of(env: &Environment) -> Result<Self> {
        let path = match env.get("LODGER_CONFIG_DIR") {
            Some(folder) => PathBuf::from(folder),
            None => match env.get("HOME").or_else(|| env.get("USERPROFILE")) {
                Some(home) => Path::new(home).join(".lodger"),
                None => {
                    return Err(Error::invalid_options(
                        "there is no config folder: neither LODGER_CONFIG_DIR nor HOME is in the environment; set one of them",
                    ));
                }
            },
        };
        if path.is_absolute() {
            return Ok(Self(path));
        }
        Err(Error::invalid_options(format!(
            "the config folder must be an absolute path, found `{}`; set LODGER_CONFIG_DIR",
            path.display()
        )))
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The logins that are saved in it.
    #[must_use]
    pub fn logins(&self) -> Logins {
        Logins::new(self.0.join("logins"))
    }

    /// The user's settings file, whether or not it is there.
    #[must_use]
    pub fn settings(&self) -> PathBuf {
        self.0.join("settings.json")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> Result<PathBuf> {
        let env = Environment::new(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        ConfigFolder::of(&env).map(|folder| folder.path().to_owned())
    }

    #[test]
    fn the_variable_wins_over_the_home_folder() {
        assert_eq!(of(&[("LODGER_CONFIG_DIR", "/etc/me"), ("HOME", "/home/me")]).unwrap(), Path::new("/etc/me"));
        assert_eq!(of(&[("HOME", "/home/me")]).unwrap(), Path::new("/home/me/.lodger"));
    }

    #[test]
    fn a_folder_that_depends_on_where_one_stands_is_an_error() {
        for pairs in [&[("LODGER_CONFIG_DIR", "here")][..], &[("HOME", "")], &[]] {
            assert!(of(pairs).unwrap_err().message.contains("LODGER_CONFIG_DIR"), "{pairs:?}");
        }
    }
}
