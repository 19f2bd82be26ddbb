//! Logging in and out, and what is done with what is saved.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use lodger::login::{ConfigFolder, Logins, SavedLogin};
use lodger_kit::{LoginOptions, LoginServer, MockOptions, MockServer};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::kit::{LODGER, lodger, says, stderr, stdout};
use crate::terminal::Terminal;

/// A home folder.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn lodger(&self, arguments: &[&str]) -> Command {
        let mut command = lodger();
        command.env("HOME", self.0.path()).args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.lodger(arguments).output().unwrap()
    }

    fn fed(&self, arguments: &[&str], input: &str) -> Output {
        let mut child =
            self.lodger(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }

    /// A provider `acme` at a model server, with the logins of a login server.
    fn knows(&self, model: &MockServer, login: &LoginServer) {
        let acme = json!({ "name": "acme", "kind": "anthropic", "baseUrl": model.base_url(), "login": login.entry() });
        let folder = self.0.path().join(".lodger");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("catalogue.json"), json!({ "providers": [acme] }).to_string()).unwrap();
    }

    fn logins(&self) -> Logins {
        ConfigFolder::at(self.0.path().join(".lodger")).logins()
    }

    fn status(&self) -> Value {
        let output = self.run(&["auth", "status", "--json"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        serde_json::from_str(stdout(&output)).unwrap()
    }
}

fn model(takes: &str) -> MockServer {
    let script = json!({ "steps": [says("Hello")], "after": "last" });
    let options = MockOptions { api_key: Some(takes.to_owned()), ..MockOptions::default() };
    MockServer::start_with(serde_json::from_value(script).unwrap(), options).unwrap()
}

fn all(output: &Output) -> String {
    stdout(output).to_owned() + stderr(output)
}

#[test]
fn a_key_is_saved_for_its_owner_alone_used_and_forgotten_and_never_shown() {
    let home = Home::new();
    let (model, login) = (model("sk-very-secret"), LoginServer::start(LoginOptions::default()).unwrap());
    home.knows(&model, &login);
    let saved = home.fed(&["login", "acme", "--with-key"], "sk-very-secret\n");
    assert_eq!((saved.status.code(), stderr(&saved)), (Some(0), "logged in to acme\n"));
    let file = home.0.path().join(".lodger/logins/acme.json");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(home.status(), json!([{ "provider": "acme", "kind": "key", "renewable": false }]));
    let prompt = ["-p", "Hi", "--model", "acme/mock", "--cwd", home.0.path().to_str().unwrap()];
    let output = home.run(&prompt);
    assert_eq!((output.status.code(), stdout(&output)), (Some(0), "Hello\n"), "{}", stderr(&output));
    let shown = [all(&saved), all(&output), all(&home.run(&["auth", "status"])), all(&home.run(&["logout", "acme"]))];
    assert!(shown.iter().all(|text| !text.contains("sk-very-secret")), "{shown:?}");
    assert!(shown[3].contains("logged out of acme") && !file.exists());
    assert_eq!(home.run(&prompt).status.code(), Some(3), "there is no key any more");
}

#[test]
fn a_key_of_the_environment_wins_over_a_saved_one() {
    let home = Home::new();
    let (model, login) = (model("sk-of-env"), LoginServer::start(LoginOptions::default()).unwrap());
    home.knows(&model, &login);
    home.fed(&["login", "acme", "--with-key"], "sk-saved");
    let mut command = home.lodger(&["-p", "Hi", "--model", "acme/mock", "--cwd", home.0.path().to_str().unwrap()]);
    let output = command.env("ACME_API_KEY", "sk-of-env").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn a_variable_of_blanks_is_no_key() {
    let home = Home::new();
    let (model, login) = (model("sk-saved"), LoginServer::start(LoginOptions::default()).unwrap());
    home.knows(&model, &login);
    home.fed(&["login", "acme", "--with-key"], "sk-saved");
    let mut command = home.lodger(&["-p", "Hi", "--model", "acme/mock", "--cwd", home.0.path().to_str().unwrap()]);
    let output = command.env("ACME_API_KEY", " ").output().unwrap();
    assert_eq!((output.status.code(), stdout(&output)), (Some(0), "Hello\n"), "{}", stderr(&output));
}

#[test]
fn what_is_saved_does_not_go_to_a_server_that_the_environment_names() {
    let home = Home::new();
    let (own, other) = (model("sk-saved"), model("sk-saved"));
    home.knows(&own, &LoginServer::start(LoginOptions::default()).unwrap());
    home.fed(&["login", "acme", "--with-key"], "sk-saved");
    let prompt = ["-p", "Hi", "--model", "acme/mock", "--cwd", home.0.path().to_str().unwrap()];
    for arguments in [&prompt[..], &["models", "acme"]] {
        let output = home.lodger(arguments).env("ACME_BASE_URL", other.base_url()).output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    }
    assert!(other.stats().connections.is_empty());
}

#[test]
fn what_is_no_key_is_not_saved() {
    let home = Home::new();
    let long = "k".repeat(64 * 1024 + 1);
    for input in ["", " \n", "two words", "line\nline", &long] {
        let output = home.fed(&["login", "acme", "--with-key"], input);
        assert_eq!(output.status.code(), Some(2), "{input:?}: {}", stderr(&output));
    }
    assert_eq!(home.status(), json!([]));
}

#[test]
fn a_key_that_is_too_long_is_told_to_be_so() {
    let output = Home::new().fed(&["login", "acme", "--with-key"], &"k".repeat(64 * 1024 + 1));
    assert!(stderr(&output).contains("longer than 65536 bytes"), "{}", stderr(&output));
}

#[test]
fn a_name_that_no_provider_has_is_refused_before_anything_is_read() {
    let home = Home::new();
    let mut child = home
        .lodger(&["login", "Anthropic", "--with-key"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Standard input stays open: whoever reads it waits.
    let input = child.stdin.take().unwrap();
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(2), "{said}");
    drop(input);
}

fn at_terminal(home: &Home) -> Terminal {
    Terminal::of(
        pty_process::blocking::Command::new(LODGER)
            .args(["login", "acme", "--with-key"])
            .env_clear()
            .env("HOME", home.0.path()),
    )
}

#[test]
fn a_key_that_is_typed_does_not_show_and_is_saved_whole() {
    let home = Home::new();
    let mut terminal = at_terminal(&home);
    terminal.until("and press Enter\n");
    // Longer than a terminal's own lines, and with a slip that is taken back.
    let key = "sk-very-secret-".repeat(600);
    terminal.type_in(&format!("{key}x\u{7f}\n"));
    let (shown, code) = terminal.end();
    assert_eq!((shown.as_str(), code), ("logged in to acme\n", Some(0)));
    let saved = home.logins().load("acme").unwrap();
    assert!(saved == Some(SavedLogin::Key { key: key.as_str().into() }));
}

#[test]
fn ctrl_c_at_the_question_for_a_key_saves_nothing_and_leaves_the_terminal_as_it_was() {
    let home = Home::new();
    let mut terminal = at_terminal(&home);
    terminal.until("and press Enter\n");
    assert!(!terminal.shows_what_is_typed());
    terminal.type_in("sk-very\u{3}");
    assert_eq!(terminal.child.wait().unwrap().code(), Some(130));
    assert!(terminal.shows_what_is_typed());
    assert_eq!(home.status(), json!([]));
}

#[test]
fn a_provider_without_a_login_of_its_own_says_what_else_there_is() {
    let output = Home::new().run(&["login", "anthropic"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("lodger login anthropic --with-key"), "{}", stderr(&output));
}

#[test]
fn a_login_by_device_code_shows_where_to_enter_it_and_saves_what_it_gives() {
    let home = Home::new();
    let options = LoginOptions { expires_in: Some(3600), ..LoginOptions::default() };
    let (model, login) = (model("access-1"), LoginServer::start(options).unwrap());
    home.knows(&model, &login);
    let output = home.run(&["login", "acme", "--device"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("open http://127.0.0.1/activate\nand enter the code ABCD-EFGH\n"));
    assert_eq!(login.stats().pending, 1, "it asked again while the person had not confirmed");
    assert!(["access-", "refresh-", "device-secret"].iter().all(|secret| !all(&output).contains(secret)));
    let status = &home.status()[0];
    assert_eq!((&status["kind"], &status["renewable"]), (&json!("token"), &json!(true)));
    assert!(stdout(&home.run(&["auth", "status"])).starts_with("acme: token, good for "));
    let output = home.run(&["-p", "Hi", "--model", "acme/mock", "--cwd", home.0.path().to_str().unwrap()]);
    assert_eq!(stdout(&output), "Hello\n", "{}", stderr(&output));
}

/// The field of a query, as it stands there.
fn field<'a>(url: &'a str, name: &str) -> &'a str {
    let query = url.split_once('?').unwrap().1;
    query
        .split('&')
        .find_map(|pair| pair.strip_prefix(&format!("{name}=")))
        .unwrap_or_else(|| panic!("{name} in {url}"))
}

#[test]
fn a_login_in_the_browser_takes_the_code_that_comes_back_with_its_state_only() {
    let home = Home::new();
    let (model, login) = (model("access-1"), LoginServer::start(LoginOptions::default()).unwrap());
    home.knows(&model, &login);
    let mut child = home.lodger(&["login", "acme"]).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    let url = line.trim().strip_prefix("open ").unwrap();
    assert!(url.starts_with(&login.url("authorize")), "{url}");
    assert_eq!((field(url, "code_challenge_method"), field(url, "client_id")), ("S256", "lodger-test"));
    let back = field(url, "redirect_uri").replace("%3A", ":").replace("%2F", "/");
    let (address, path) = back.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let visit = |query: &str| {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        write!(stream, "GET /{path}?{query} HTTP/1.1\r\nhost: {address}\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    // Browsers open connections ahead; those that say nothing keep nobody waiting, whose ten seconds each would be minutes.
    let _silent: Vec<_> = (0..24).map(|_| TcpStream::connect(address).unwrap()).collect();
    assert!(visit("code=forged&state=guessed").starts_with("HTTP/1.1 404"));
    assert!(visit(&format!("code=the-code&state={}", field(url, "state"))).contains("You are logged in"));
    let mut rest = String::new();
    said.read_to_string(&mut rest).unwrap();
    assert_eq!((child.wait().unwrap().code(), rest.as_str()), (Some(0), "logged in to acme\n"));
    let (path, fields) = &login.stats().requests[0];
    assert_eq!(
        (path.as_str(), fields["code"].as_str(), fields["redirect_uri"].as_str()),
        ("/token", "the-code", back.as_str())
    );
}

#[test]
fn two_processes_that_need_another_token_at_once_renew_it_once() {
    let home = Home::new();
    let delay = Duration::from_millis(500);
    let options = LoginOptions { refresh_token: Some("refresh-0".to_owned()), delay, expires_in: Some(3600) };
    let (model, login) = (model("access-1"), LoginServer::start(options).unwrap());
    home.knows(&model, &login);
    let logins = home.0.path().join(".lodger/logins");
    fs::create_dir_all(&logins).unwrap();
    let renewal = json!({ "refreshToken": "refresh-0", "tokenUrl": login.url("token"), "clientId": "lodger-test" });
    let token = json!({ "kind": "token", "token": "access-0", "obtainedAt": 1, "expiresAt": 2, "renewal": renewal });
    let saved = json!({ "version": 1, "provider": "acme", "login": token });
    fs::write(logins.join("acme.json"), saved.to_string()).unwrap();
    let start = || -> Child {
        let mut command = home.lodger(&["-p", "Hi", "--model", "acme/mock", "--cwd", home.0.path().to_str().unwrap()]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let running: Vec<_> = (0..4).map(|_| start()).collect();
    for child in running {
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), stdout(&output)), (Some(0), "Hello\n"), "{}", stderr(&output));
    }
    let stats = login.stats();
    assert_eq!((stats.refreshed, stats.refused), (1, 0));
}

#[test]
fn a_damaged_login_is_told_in_the_status_of_the_others() {
    let home = Home::new();
    home.fed(&["login", "acme", "--with-token"], "t-very-secret");
    home.fed(&["login", "bad", "--with-key"], "sk-very-secret");
    fs::write(home.0.path().join(".lodger/logins/bad.json"), "sk-very-secret").unwrap();
    let status = home.status();
    assert_eq!((&status[0]["kind"], &status[1]["provider"]), (&json!("token"), &json!("bad")));
    assert!(status[1]["error"].as_str().unwrap().contains("lodger logout bad"), "{status}");
    assert!(!status.to_string().contains("very-secret"), "{status}");
    assert_eq!(home.run(&["logout", "bad"]).status.code(), Some(0));
}
