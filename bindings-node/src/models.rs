//! One list of a provider's models.

use lodger::embed::ModelList;
use napi_derive::napi;

use crate::environment::environment;
use crate::error::guard;
use crate::handlers::NativeHandlers;
use crate::mailbox::NativeMailbox;

/// A request for the models of a provider. Letting go of it gives it up.
#[napi]
pub struct NativeModelList {
    list: ModelList,
}

#[napi]
impl NativeModelList {
    /// Asks; the outcome rings in `mailbox` under `key`, as its requests' lane. Of `handlers`, those for what is sent
    /// are used.
    #[napi(factory)]
    pub fn begin(
        options: String,
        env: String,
        handlers: NativeHandlers<'_>,
        mailbox: &NativeMailbox,
        key: f64,
    ) -> napi::Result<Self> {
        guard(|| {
            let told = Some((mailbox.shared().mailbox().clone(), key as u64));
            let list = ModelList::begin(None, &options, &environment(&env)?, &handlers.into_handlers(), told)?;
            Ok(Self { list })
        })
    }

    /// The ids once they are there, or throws what went wrong; `null` before and after.
    #[napi]
    pub fn take(&self) -> napi::Result<Option<Vec<String>>> {
        guard(|| self.list.take().transpose())
    }
}
