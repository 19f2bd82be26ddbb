//! HTTP for talking to models. Clients are made from an explicit TLS configuration; nothing here is
//! process-wide.
