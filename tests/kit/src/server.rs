//! The server's thread: accepts, serves, stops.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use lodger_model::scripted::Script;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::answer::Server;
use crate::fault::FaultRule;
use crate::quirk::Quirk;
use crate::socket::Socket;
use crate::stats::{Shared, Stats};

/// What the server may hold back of a stream beyond what the socket takes, in bytes.
const WRITE_BUFFER: usize = 64 * 1024;

/// How a server behaves.
#[derive(Clone, Debug)]
pub struct MockOptions {
    /// What goes wrong on the wire.
    pub faults: Vec<FaultRule>,
    /// Events are gathered up to so many bytes before they are written. Default 16 KiB; 1: each is written alone.
    pub batch_bytes: usize,
    /// Each event is written alone, so long after the one before.
    pub pace: Option<Duration>,
    /// Shapes that real servers send beside the protocol's own.
    pub quirks: Vec<Quirk>,
    /// The models that the lists of models hold.
    pub models: Vec<String>,
    /// Requests must carry this key.
    pub api_key: Option<String>,
    /// Where relative `wait` files of the script are.
    pub folder: Option<PathBuf>,
    /// The port. Default 0: any.
    pub port: u16,
}

impl Default for MockOptions {
    fn default() -> Self {
        Self {
            faults: Vec::new(),
            quirks: Vec::new(),
            models: vec!["mock-large".to_owned(), "mock-small".to_owned()],
            batch_bytes: 16 * 1024,
            pace: None,
            api_key: None,
            folder: None,
            port: 0,
        }
    }
}

/// A model server on 127.0.0.1, on a thread and runtime of its own. Dropping it closes every connection.
#[derive(Debug)]
pub struct MockServer {
    address: SocketAddr,
    stats: Shared,
    faults: Arc<Mutex<Vec<FaultRule>>>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl MockServer {
    /// Serves a script.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn start(script: Script) -> io::Result<Self> {
        Self::start_with(script, MockOptions::default())
    }

    /// Serves a script, with faults and more.
    ///
    /// # Errors
    /// When the port cannot be had.
    pub fn start_with(script: Script, options: MockOptions) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, options.port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let stats = Shared::default();
        let faults = Arc::new(Mutex::new(options.faults.clone()));
        let server =
            Arc::new(Server { script: Arc::new(script), options, faults: faults.clone(), stats: stats.clone() });
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::Builder::new().name("mock-model".to_owned()).spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    _ = stopped => {}
                    _ = accept(listener, server) => {}
                }
            });
        })?;
        Ok(Self { address, stats, faults, stop: Some(stop), thread: Some(thread) })
    }

    /// `http://127.0.0.1:PORT`, for `endpoint.baseUrl` or `<PROVIDER>_BASE_URL`.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What goes wrong from the next request on.
    pub fn set_faults(&self, faults: Vec<FaultRule>) {
        *self.faults.lock().unwrap_or_else(PoisonError::into_inner) = faults;
    }

    /// What it saw so far. Also under `GET /__mock/stats`, as JSON.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.stats.lock().clone()
    }
}

impl Drop for MockServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn accept(listener: std::net::TcpListener, server: Arc<Server>) -> io::Result<()> {
    let listener = TcpListener::from_std(listener)?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let socket = Socket::new(stream, server.stats.clone());
        let (place, hangup) = (socket.place, socket.hangup.clone());
        let server = server.clone();
        let service = service_fn(move |request| {
            let (server, hangup) = (server.clone(), hangup.clone());
            async move {
                server.stats.connection(place, |connection| connection.requests += 1);
                server.answer(request, hangup).await
            }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .max_buf_size(WRITE_BUFFER)
            .serve_connection(TokioIo::new(socket), service);
        // A client that goes away is no fault of the server; the numbers tell.
        tokio::spawn(async move { drop(connection.await) });
    }
}
