//! Settings files on a real disk: which are read, which are refused.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use lodger_config::{SettingsFile, SettingsPlace, settings_files};
use lodger_protocol::{Environment, Mode, Result, SettingsLayer};
use tempfile::TempDir;

const BOTH: &[SettingsLayer] = &[SettingsLayer::User, SettingsLayer::Project];

struct Stage {
    folder: TempDir,
}

impl Stage {
    fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    fn put(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        path
    }

    fn read(&self, layers: &[SettingsLayer]) -> Result<Vec<SettingsFile>> {
        let path = |name: &str| self.folder.path().join(name).display().to_string();
        let mut env = vec![("LODGER_CONFIG_DIR".to_owned(), path("config"))];
        if self.folder.path().join("managed.json").symlink_metadata().is_ok() {
            env.push(("LODGER_MANAGED_SETTINGS".to_owned(), path("managed.json")));
        }
        settings_files(&Environment::new(env), Some(&self.folder.path().join("work")), layers)
    }

    /// What is told of the managed file.
    fn refusal(&self) -> String {
        self.read(&[]).unwrap_err().message
    }
}

#[test]
fn only_the_layers_that_are_asked_for_are_read_and_the_managed_one_always() {
    let stage = Stage::new();
    stage.put("managed.json", r#"{ "permissions": { "mode": "auto-edit" } }"#);
    stage.put("work/.lodger/settings.json", r#"{ "permissions": { "deny": ["read(x)"] } }"#);
    stage.put("config/settings.json", r#"{ "models": { "allowed": ["a/*"] } }"#);
    let places = |layers| stage.read(layers).unwrap().iter().map(|file| file.place).collect::<Vec<_>>();
    assert_eq!(places(&[]), [SettingsPlace::Managed]);
    assert_eq!(places(&[SettingsLayer::User]), [SettingsPlace::Managed, SettingsPlace::User]);
    assert_eq!(places(BOTH), [SettingsPlace::Managed, SettingsPlace::Project, SettingsPlace::User]);

    let files = stage.read(BOTH).unwrap();
    assert_eq!(files[0].settings.permissions.max_mode(), Some(Mode::AutoEdit));
    assert_eq!(files[1].settings.permissions.deny.len(), 1);
    assert_eq!(files[2].settings.models.allowed.as_deref(), Some(&["a/*".to_owned()][..]));
    assert_eq!(files[2].path, stage.folder.path().join("config/settings.json"));
}

#[test]
fn files_that_are_not_there_say_nothing() {
    assert_eq!(Stage::new().read(BOTH).unwrap(), []);
}

#[test]
fn a_managed_file_that_is_named_must_be_there() {
    let read = |path: &str| {
        let env = Environment::new([("LODGER_MANAGED_SETTINGS".to_owned(), path.to_owned())]);
        settings_files(&env, None, &[]).unwrap_err().message
    };
    assert!(read("/nowhere/settings.json").contains("there is no such file"));
    assert!(read("settings.json").contains("absolute"));
}

#[test]
fn a_managed_file_that_others_can_write_to_is_refused() {
    for mode in [0o664, 0o646, 0o666] {
        let stage = Stage::new();
        let path = stage.put("managed.json", "{}");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        assert!(stage.refusal().contains("can write to it"), "{mode:o}");
        // The file counts, not the link to it.
        fs::rename(&path, stage.folder.path().join("elsewhere.json")).unwrap();
        symlink("elsewhere.json", &path).unwrap();
        assert!(stage.refusal().contains("can write to it"), "{mode:o}");
    }
}

#[test]
fn a_managed_file_that_cannot_be_understood_is_refused_and_named() {
    for text in ["", "{", "[]", r#"{ "permisions": {} }"#, r#"{ "permissions": { "mode": "free" } }"#] {
        let stage = Stage::new();
        let path = stage.put("managed.json", text);
        let told = stage.refusal();
        assert!(told.contains(&path.display().to_string()), "{text}: {told}");
    }
}

#[test]
fn a_misspelt_key_of_a_user_is_a_notice_and_a_file_that_is_none_an_error() {
    let stage = Stage::new();
    stage.put("config/settings.json", r#"{ "permissions": { "alow": [] } }"#);
    let files = stage.read(BOTH).unwrap();
    assert!(files[0].notices[0].contains("did you mean \"allow\"?"), "{:?}", files[0].notices);
    stage.put("config/settings.json", "deny everything");
    assert!(stage.read(BOTH).unwrap_err().message.contains("config/settings.json"));
}

#[test]
fn what_is_no_file_or_too_long_is_refused_and_never_waited_for() {
    let stage = Stage::new();
    let path = stage.folder.path().join("managed.json");
    let status = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(status.success());
    assert!(stage.refusal().contains("it is no file"));
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(stage.refusal().contains("it is no file"));
    fs::remove_dir(&path).unwrap();
    stage.put("managed.json", &" ".repeat(1024 * 1024 + 1));
    assert!(stage.refusal().contains("more than 1048576 bytes"));
}

#[test]
fn in_the_home_folder_the_users_file_is_not_that_of_a_project_too() {
    let home = TempDir::new().unwrap();
    fs::create_dir(home.path().join(".lodger")).unwrap();
    fs::write(home.path().join(".lodger/settings.json"), "{}").unwrap();
    let env = Environment::new([("HOME".to_owned(), home.path().display().to_string())]);
    let places = |cwd: &Path| {
        let files = settings_files(&env, Some(cwd), BOTH).unwrap();
        files.iter().map(|file| file.place).collect::<Vec<_>>()
    };
    assert_eq!(places(home.path()), [SettingsPlace::User]);
}
