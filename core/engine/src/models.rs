//! The models of an agent: the one that was chosen, and those that carry on when it fails.

use std::sync::Arc;

use lodger_model::Model;
use lodger_protocol::{Error, ErrorCode};

/// What could mend a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cure {
    /// Any other model.
    OtherModel,
    /// A model of another provider: this one takes no request of the host's.
    OtherProvider,
}

impl Cure {
    /// What could mend a failure; `None` where another model would fail alike, or must not be tried.
    pub(crate) const fn of(error: &Error) -> Option<Self> {
        match error.code {
            ErrorCode::ProviderOverloaded
            | ErrorCode::ProviderUnavailable
            | ErrorCode::ProviderRateLimited
            | ErrorCode::ProviderStreamCut
            | ErrorCode::ProviderMalformed
            | ErrorCode::Timeout
            | ErrorCode::ModelNotFound
            | ErrorCode::ModelNotAllowed => Some(Self::OtherModel),
            ErrorCode::ProviderAuth | ErrorCode::ProviderQuota => Some(Self::OtherProvider),
            _ => None,
        }
    }
}

/// The chosen model, its fallbacks, and which of them is asked now.
pub(crate) struct Models {
    chosen: Arc<dyn Model>,
    fallbacks: Vec<Arc<dyn Model>>,
    /// So many of the fallbacks have had their turn; the last of these is asked. 0: the chosen one is.
    passed: usize,
}

impl Models {
    pub(crate) const fn new(chosen: Arc<dyn Model>, fallbacks: Vec<Arc<dyn Model>>) -> Self {
        Self { chosen, fallbacks, passed: 0 }
    }

    /// The one that was chosen.
    pub(crate) const fn chosen(&self) -> &Arc<dyn Model> {
        &self.chosen
    }

    /// The one that is asked now.
    pub(crate) fn now(&self) -> &Arc<dyn Model> {
        self.passed.checked_sub(1).and_then(|last| self.fallbacks.get(last)).unwrap_or(&self.chosen)
    }

    /// Chooses another, which is asked from now on. False when it was that already, by name.
    pub(crate) fn choose(&mut self, model: Arc<dyn Model>) -> bool {
        self.passed = 0;
        let before = std::mem::replace(&mut self.chosen, model);
        before.name() != self.chosen.name()
    }

    /// Goes back to the chosen one.
    pub(crate) const fn start_anew(&mut self) {
        self.passed = 0;
    }

    /// Goes on to the model that carries on after `failed`; `None` when there is none left that could.
    pub(crate) fn carry_on(&mut self, failed: &Arc<dyn Model>, cure: Cure) -> Option<Arc<dyn Model>> {
        // Another was chosen while this one failed: that one has not been asked yet.
        if !Arc::ptr_eq(self.now(), failed) {
            return Some(Arc::clone(self.now()));
        }
        let could = |other: &dyn Model| match cure {
            Cure::OtherModel => other.name() != failed.name() && other.name() != self.chosen.name(),
            Cure::OtherProvider => provider(other) != provider(failed.as_ref()),
        };
        let left = self.fallbacks.get(self.passed..).unwrap_or_default();
        let skipped = left.iter().position(|other| could(other.as_ref()))?;
        self.passed += skipped + 1;
        Some(Arc::clone(self.now()))
    }
}

fn provider(model: &dyn Model) -> &str {
    model.name().split_once('/').map_or(model.name(), |(provider, _)| provider)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use lodger_model::scripted::{Script, ScriptedModel};

    use super::*;

    fn model(name: &str) -> Arc<dyn Model> {
        Arc::new(ScriptedModel::new(name, Script::parse(r#"{ "steps": [{}] }"#).unwrap()))
    }

    fn models(names: &[&str]) -> Models {
        let mut all = names.iter().map(|name| model(name));
        Models::new(all.next().unwrap(), all.collect())
    }

    /// The names of the models that are asked when each fails in that way.
    fn asked(models: &mut Models, cure: Cure) -> Vec<String> {
        let mut names = vec![models.now().name().to_owned()];
        while let Some(next) = models.carry_on(&Arc::clone(models.now()), cure) {
            assert_eq!(next.name(), models.now().name());
            names.push(next.name().to_owned());
        }
        names
    }

    #[test]
    fn each_is_asked_once_in_the_order_of_the_list() {
        let mut models = models(&["a/1", "a/2", "a/1", "b/1"]);
        assert_eq!(asked(&mut models, Cure::OtherModel), ["a/1", "a/2", "b/1"]);
        models.start_anew();
        assert_eq!(models.now().name(), "a/1");
    }

    #[test]
    fn what_is_wrong_with_an_account_is_mended_by_another_providers_model_alone() {
        let mut models = models(&["a/1", "a/2", "b/1", "b/2", "a/3", "c/1"]);
        assert_eq!(asked(&mut models, Cure::OtherProvider), ["a/1", "b/1", "a/3", "c/1"]);
    }

    #[test]
    fn a_model_that_is_chosen_takes_the_head_of_the_list() {
        let mut models = models(&["a/1", "a/2"]);
        let failed = Arc::clone(models.now());
        models.carry_on(&failed, Cure::OtherModel).unwrap();
        assert!(models.choose(model("b/1")));
        assert_eq!(models.chosen().name(), models.now().name());
        // It was chosen while another was asked, and comes next whatever became of that one.
        assert_eq!(models.carry_on(&failed, Cure::OtherModel).unwrap().name(), "b/1");
        assert_eq!(asked(&mut models, Cure::OtherModel), ["b/1", "a/2"]);
    }

    #[test]
    fn only_what_another_model_could_mend_is_carried_on() {
        for (code, cure) in [
            (ErrorCode::ProviderOverloaded, Some(Cure::OtherModel)),
            (ErrorCode::Timeout, Some(Cure::OtherModel)),
            (ErrorCode::ModelNotFound, Some(Cure::OtherModel)),
            (ErrorCode::ProviderAuth, Some(Cure::OtherProvider)),
            (ErrorCode::ProviderQuota, Some(Cure::OtherProvider)),
            (ErrorCode::ContextOverflow, None),
            (ErrorCode::ProviderRejected, None),
            (ErrorCode::ConsumerStalled, None),
            (ErrorCode::Internal, None),
        ] {
            assert_eq!(Cure::of(&Error::new(code, "x")), cure, "{code}");
        }
    }
}
