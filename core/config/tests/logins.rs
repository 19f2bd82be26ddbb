//! Saved logins, in real files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use lodger_config::{ConfigFolder, Logins, Renewal, SavedLogin};
use lodger_protocol::ErrorCode;

const SECRET: &str = "sk-very-secret";

fn logins(folder: &Path) -> Logins {
    ConfigFolder::at(folder.join("config")).logins()
}

fn key(text: &str) -> SavedLogin {
    SavedLogin::Key { key: text.into() }
}

fn token(obtained_at: u64, expires_at: Option<u64>) -> SavedLogin {
    let renewal = Renewal {
        refresh_token: SECRET.into(),
        token_url: "https://acme.test/token".to_owned(),
        client_id: "me".to_owned(),
    };
    SavedLogin::Token { token: SECRET.into(), obtained_at, expires_at, renewal: Some(renewal) }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn what_is_saved_is_there_until_it_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let logins = logins(folder.path());
    assert_eq!(logins.load("acme").unwrap(), None);
    for login in [key(SECRET), token(1, Some(2))] {
        logins.try_lock("acme").unwrap().unwrap().save(&login).unwrap();
        assert_eq!(logins.load("acme").unwrap(), Some(login));
    }
    assert_eq!(logins.providers().unwrap(), ["acme"]);
    assert!(logins.try_lock("acme").unwrap().unwrap().remove().unwrap());
    assert!(!logins.try_lock("acme").unwrap().unwrap().remove().unwrap());
    assert_eq!(logins.providers().unwrap(), [""; 0]);
}

#[test]
fn every_file_is_for_its_owner_alone_before_it_holds_anything() {
    let folder = tempfile::tempdir().unwrap();
    let logins = logins(folder.path());
    let saved = folder.path().join("config/logins");
    fs::create_dir_all(&saved).unwrap();
    fs::set_permissions(&saved, PermissionsExt::from_mode(0o755)).unwrap();
    let locked = logins.try_lock("acme").unwrap().unwrap();
    assert_eq!(mode(&saved), 0o700);
    let made: Vec<_> = fs::read_dir(&saved).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(made.len(), 2, "the lock and the file to be: {made:?}");
    assert!(made.iter().all(|path| mode(path) == 0o600 && fs::metadata(path).unwrap().len() == 0));
    locked.save(&key(SECRET)).unwrap();
    assert_eq!(mode(&saved.join("acme.json")), 0o600);
    assert_eq!(fs::read_dir(&saved).unwrap().count(), 2, "nothing is left behind");
}

#[test]
fn a_login_has_one_writer_at_a_time_and_others_do_not_wait_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let logins = logins(folder.path());
    let locked = logins.try_lock("acme").unwrap().unwrap();
    assert!(logins.try_lock("acme").unwrap().is_none());
    assert!(logins.try_lock("other").unwrap().is_some());
    drop(locked);
    assert!(logins.try_lock("acme").unwrap().is_some());
}

#[test]
fn a_damaged_login_is_an_error_that_says_what_to_do_and_shows_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let logins = logins(folder.path());
    logins.try_lock("acme").unwrap().unwrap().save(&key(SECRET)).unwrap();
    let path = folder.path().join("config/logins/acme.json");
    let whole = fs::read_to_string(&path).unwrap();
    let damaged = [
        whole[..whole.len() - 4].to_owned(),
        String::new(),
        whole.replace("\"kind\": \"key\"", "\"kind\": \"sk-very-secret\""),
        whole.replace("\"acme\"", "\"other\""),
        whole.replace("\"version\": 1", "\"version\": 0"),
        " ".repeat(300_000),
    ];
    for text in damaged {
        fs::write(&path, &text).unwrap();
        let error = logins.load("acme").unwrap_err();
        assert_eq!(error.code, ErrorCode::ProviderAuth);
        assert!(error.message.contains("is damaged") && error.message.contains("lodger login acme"), "{error}");
        assert!(!error.message.contains(SECRET), "{error}");
    }
    fs::write(&path, whole.replace("\"version\": 1", "\"version\": 2")).unwrap();
    assert!(logins.load("acme").unwrap_err().message.contains("was written by a newer version"));
    assert!(logins.try_lock("acme").unwrap().unwrap().remove().unwrap(), "a damaged one can be removed");
}

#[test]
fn a_name_that_leads_elsewhere_is_no_provider() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["", "../acme", "a/b", "Acme", "a b", ".acme"] {
        assert_eq!(logins(folder.path()).load(name).unwrap_err().code, ErrorCode::InvalidOptions, "{name}");
        assert_eq!(logins(folder.path()).try_lock(name).unwrap_err().code, ErrorCode::InvalidOptions, "{name}");
    }
}

#[test]
fn a_token_is_due_some_time_before_its_end_and_a_key_never() {
    let hour = 3_600_000;
    let long = token(0, Some(hour));
    assert!(
        !long.is_due(hour - 120_001) && long.is_due(hour - 120_000) && !long.is_over(hour - 1) && long.is_over(hour)
    );
    let short = token(0, Some(60_000));
    assert!(!short.is_due(44_999) && short.is_due(45_000));
    assert!(!token(0, None).is_due(u64::MAX) && !key(SECRET).is_due(u64::MAX));
}

#[test]
fn printing_shows_no_secret() {
    for login in [key(SECRET), token(1, None)] {
        assert!(!format!("{login:?}").contains(SECRET), "{login:?}");
    }
}
