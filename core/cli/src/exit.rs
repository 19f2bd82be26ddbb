//! What the exit code says.

use std::process::ExitCode;

use lodger::protocol::{DoneReason, Error, ErrorCode, TurnResult};

/// How the command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    EndTurn = 0,
    Failed = 1,
    Usage = 2,
    Auth = 3,
    Retryable = 4,
    Refused = 5,
    MaxSteps = 6,
    MaxOutputTokens = 7,
    MaxBudget = 8,
    Cancelled = 130,
    StdoutClosed = 141,
    Terminated = 143,
}

/// Every exit code and what it says.
pub(crate) const TABLE: &[(Exit, &str)] = &[
    (Exit::EndTurn, "the model finished its answer"),
    (Exit::Failed, "something failed"),
    (Exit::Usage, "an argument, an option or the prompt cannot be used"),
    (Exit::Auth, "the provider refused the credentials, or there are none"),
    (Exit::Retryable, "something failed, and the same command may succeed later"),
    (Exit::Refused, "the model, or its provider, declined to answer"),
    (Exit::MaxSteps, "--max-steps model calls were made"),
    (Exit::MaxOutputTokens, "the model reached its output limit"),
    (Exit::MaxBudget, "the budget was used up"),
    (Exit::Cancelled, "cancelled, by Ctrl-C (SIGINT)"),
    (Exit::StdoutClosed, "standard output was closed before the end"),
    (Exit::Terminated, "cancelled, by SIGTERM"),
];

impl Exit {
    /// What a turn's end comes to.
    pub(crate) fn of_result(result: &TurnResult, terminated: bool) -> Self {
        match (result.reason, &result.error) {
            (DoneReason::EndTurn, _) => Self::EndTurn,
            (DoneReason::Refused, _) => Self::Refused,
            (DoneReason::MaxSteps, _) => Self::MaxSteps,
            (DoneReason::MaxOutputTokens, _) => Self::MaxOutputTokens,
            (DoneReason::MaxBudget, _) => Self::MaxBudget,
            (DoneReason::Cancelled, _) if terminated => Self::Terminated,
            (DoneReason::Cancelled, _) => Self::Cancelled,
            (DoneReason::Error, Some(error)) => Self::of_error(error),
            (DoneReason::Error, None) => Self::Failed,
        }
    }

    /// What an error comes to.
    pub(crate) fn of_error(error: &Error) -> Self {
        match error.code {
            ErrorCode::InvalidOptions | ErrorCode::InvalidInput | ErrorCode::Unsupported => Self::Usage,
            ErrorCode::ProviderAuth => Self::Auth,
            _ if error.retryable => Self::Retryable,
            _ => Self::Failed,
        }
    }

    pub(crate) const fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// The table as it stands at the end of `--help`.
pub(crate) fn help() -> String {
    let rows = TABLE.iter().map(|(exit, meaning)| format!("  {:>3}  {meaning}\n", exit.code()));
    format!("Exit codes:\n{}", rows.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manual_has_the_same_table() {
        let manual = include_str!("../../../docs/cli.md");
        let is_row =
            |line: &&str| line.strip_prefix("| ").is_some_and(|row| row.starts_with(|c: char| c.is_ascii_digit()));
        let rows: Vec<_> = manual.lines().filter(is_row).collect();
        let table: Vec<_> = TABLE.iter().map(|(exit, meaning)| format!("| {} | {meaning} |", exit.code())).collect();
        assert_eq!(rows, table);
    }
}
