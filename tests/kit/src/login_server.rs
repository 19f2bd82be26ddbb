//! A little OAuth server on loopback: device codes, codes with PKCE, and refresh tokens that are good once.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// How a login server behaves.
#[derive(Clone, Debug, Default)]
pub struct LoginOptions {
    /// Seconds that its tokens are good for; absent: it does not say.
    pub expires_in: Option<u64>,
    /// The refresh token that is good at the start.
    pub refresh_token: Option<String>,
    /// How long an answer takes.
    pub delay: Duration,
}

/// What a login server saw.
#[derive(Clone, Debug, Default)]
pub struct LoginStats {
    /// Refresh tokens that were exchanged.
    pub refreshed: u32,
    /// Refresh tokens that were not good.
    pub refused: u32,
    /// Questions for a token whose device code was not confirmed yet.
    pub pending: u32,
    /// Every request: what it was for, and the fields of its body.
    pub requests: Vec<(String, HashMap<String, String>)>,
}

/// An OAuth server on a thread of its own. Its n-th tokens are `access-N` and `refresh-N`; its device code is `ABCD-EFGH`,
/// which counts as confirmed from the second question on; it takes any code that comes with a PKCE verifier.
#[derive(Debug)]
pub struct LoginServer {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    options: LoginOptions,
    stats: LoginStats,
    issued: u32,
    good: Option<String>,
}

impl LoginServer {
    /// Serves until the process ends.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn start(options: LoginOptions) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let good = options.refresh_token.clone();
        let state = Arc::new(Mutex::new(State { options, good, ..State::default() }));
        let shared = Arc::clone(&state);
        thread::Builder::new().name("login-server".to_owned()).spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                // A connection that breaks is its client's business.
                thread::spawn(move || serve(stream, &state));
            }
        })?;
        Ok(Self { address, state })
    }

    /// `http://127.0.0.1:PORT/PATH`; it knows `device`, `token` and `authorize`.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    /// The entry of the catalogue for its logins.
    #[must_use]
    pub fn entry(&self) -> Value {
        json!({
            "clientId": "lodger-test",
            "tokenUrl": self.url("token"),
            "deviceUrl": self.url("device"),
            "authorizeUrl": self.url("authorize"),
            "scopes": ["model", "offline"],
        })
    }

    /// What it saw so far.
    #[must_use]
    pub fn stats(&self) -> LoginStats {
        locked(&self.state).stats.clone()
    }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(mut stream: TcpStream, state: &Mutex<State>) -> io::Result<()> {
    let Some((path, body)) = request(&mut stream)? else { return Ok(()) };
    let fields: HashMap<String, String> = form(&body);
    let delay = locked(state).options.delay;
    thread::sleep(delay);
    let (status, answer) = locked(state).answer(&path, fields);
    let answer = answer.to_string();
    write!(
        stream,
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{answer}",
        answer.len()
    )
}

impl State {
    fn answer(&mut self, path: &str, fields: HashMap<String, String>) -> (u16, Value) {
        let field = |name: &str| fields.get(name).cloned().unwrap_or_default();
        let grant = field("grant_type");
        let answer = match (path, grant.as_str()) {
            ("/device", _) if field("client_id") == "lodger-test" => {
                let (code, uri) = ("ABCD-EFGH", "http://127.0.0.1/activate");
                let answer = json!({
                    "device_code": "device-secret", "user_code": code, "verification_uri": uri,
                    "expires_in": 600, "interval": 0,
                });
                (200, answer)
            }
            ("/token", "urn:ietf:params:oauth:grant-type:device_code") if field("device_code") == "device-secret" => {
                if self.stats.pending == 0 {
                    self.stats.pending += 1;
                    refusal("authorization_pending")
                } else {
                    self.tokens()
                }
            }
            ("/token", "authorization_code") if field("code") == "the-code" && field("code_verifier").len() >= 43 => {
                self.tokens()
            }
            ("/token", "refresh_token") if self.good.as_deref() == Some(field("refresh_token").as_str()) => {
                self.stats.refreshed += 1;
                self.tokens()
            }
            ("/token", "refresh_token") => {
                self.stats.refused += 1;
                let words = format!("no such token: {}", field("refresh_token"));
                (400, json!({ "error": "invalid_grant", "error_description": words }))
            }
            _ => refusal("invalid_request"),
        };
        self.stats.requests.push((path.to_owned(), fields));
        answer
    }

    fn tokens(&mut self) -> (u16, Value) {
        self.issued += 1;
        let refresh = format!("refresh-{}", self.issued);
        let mut answer = json!({
            "access_token": format!("access-{}", self.issued), "token_type": "bearer", "refresh_token": refresh,
        });
        if let Some(life) = self.options.expires_in {
            answer["expires_in"] = json!(life);
        }
        self.good = Some(refresh);
        (200, answer)
    }
}

fn refusal(error: &str) -> (u16, Value) {
    (400, json!({ "error": error }))
}

/// The path and the body.
fn request(stream: &mut TcpStream) -> io::Result<Option<(String, String)>> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .filter_map(|line| line.split_once(':'))
                .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
                .and_then(|(_, length)| length.trim().parse().ok())
                .unwrap_or(0);
            if body.len() >= length {
                let path = head.split(' ').nth(1).unwrap_or_default();
                return Ok(Some((path.to_owned(), body.to_owned())));
            }
        }
        let mut piece = [0; 4096];
        match stream.read(&mut piece)? {
            0 => return Ok(None),
            read => bytes.extend_from_slice(&piece[..read]),
        }
    }
}

fn form(body: &str) -> HashMap<String, String> {
    form_urlencoded::parse(body.as_bytes()).into_owned().collect()
}
