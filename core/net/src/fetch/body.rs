//! The body of a fetched answer, read only as it is polled.

use bytes::Bytes;
use futures_util::stream::{self, Stream};
use lodger_protocol::Result;

use super::{MAX_WAITING, Wanted, weight};

/// What one look at the state finds.
enum Next {
    Piece(Bytes, bool),
    End(Option<lodger_protocol::Error>),
    Nothing,
}

/// The pieces, then the end. Dropped, it gives the request up.
pub(super) fn stream(wanted: Wanted) -> impl Stream<Item = Result<Bytes>> + Send + 'static {
    stream::unfold(Some(wanted), |wanted| async {
        let wanted = wanted?;
        loop {
            match next(&wanted) {
                Next::Piece(piece, has_room_again) => {
                    if has_room_again {
                        wanted.fetcher.changed(&wanted.fetch);
                    }
                    return Some((Ok(piece), Some(wanted)));
                }
                Next::End(None) => return None,
                Next::End(Some(error)) => return Some((Err(error), None)),
                Next::Nothing => wanted.fetch.told.notified().await,
            }
        }
    })
}

fn next(wanted: &Wanted) -> Next {
    let mut state = wanted.fetch.state();
    match (state.pieces.pop_front(), &state.end) {
        (Some(piece), _) => {
            state.waiting -= weight(&piece);
            // A host that waits goes on when half is free, lest it and we wake each other for every piece.
            let has_room_again = state.is_full && state.waiting <= MAX_WAITING / 2;
            if has_room_again {
                state.is_full = false;
            }
            Next::Piece(piece, has_room_again)
        }
        (None, Some(end)) => Next::End(end.clone().err()),
        (None, None) => Next::Nothing,
    }
}
