//! `docs/limits.md`: every bound and time limit, with the values that the code has.
//!
//! `limits.toml` says what each constant bounds; the number itself is read off the code, so that the page cannot be
//! wrong about it. A bound that nobody described is a fault.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use lodger_protocol::{AgentOptions, Limits, WebFetchOptions};
use serde::Deserialize;

use crate::Result;
use crate::constants::{Constant, Value, constants};
use crate::vocabulary::{Field, Shape, Vocabulary};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    group: Vec<Group>,
    inside: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    title: String,
    limit: Vec<Limit>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Limit {
    what: String,
    constant: String,
    /// What is counted; a duration needs none.
    unit: Option<String>,
    beyond: String,
}

const HEAD: &str = "\
<!-- Generated from the constants in the code and tests/tools/limits.toml by `make gen`. Do not edit. -->

# Limits

Everything is bounded: queues, sizes, times, counts. Nothing here is silent: what reaches a bound waits, is refused with an
[error](errors.md), or says that it was cut.

## That you can set

In option `limits`, but for those that are named otherwise. A bound of 0 is an error unless it says what 0 means.

| option | default | |
|---|---|---|
";

const STANDING: &str = "
## That stand

KiB and MiB are 1024 and 1024 x 1024 bytes. Texts count as UTF-8.
";

/// The page.
pub(crate) fn emit(root: &Path, types: &Vocabulary) -> Result<String> {
    let table = table(root)?;
    let found = constants(root)?;
    let mut out = HEAD.to_owned();
    options(&mut out, types)?;
    out += STANDING;
    for group in &table.group {
        let _ = write!(out, "\n### {}\n\n| what | bound | beyond it |\n|---|---|---|\n", group.title);
        for limit in &group.limit {
            let constant = found
                .get(&limit.constant)
                .ok_or_else(|| format!("limits.toml: there is no constant {}", limit.constant))?;
            let shown = shown(constant, limit.unit.as_deref())
                .ok_or_else(|| format!("limits.toml: the value of {} is not understood", limit.constant))?;
            let _ = writeln!(out, "| {} | {shown} | {} |", limit.what, limit.beyond);
        }
    }
    Ok(out)
}

/// Bounds in the code that `limits.toml` says nothing about, and lines of it that stand for none.
pub fn faults(root: &Path) -> Result<Vec<String>> {
    let table = table(root)?;
    let found = constants(root)?;
    let described: BTreeSet<&str> = table
        .group
        .iter()
        .flat_map(|group| &group.limit)
        .map(|limit| limit.constant.as_str())
        .chain(table.inside.keys().map(String::as_str))
        .collect();
    let bounds = found.iter().filter(|(_, constant)| is_bound(constant)).map(|(path, _)| path.as_str());
    let undescribed = bounds.filter(|path| !described.contains(path));
    let gone = described.iter().filter(|path| !found.contains_key(**path));
    Ok(undescribed
        .map(|path| {
            format!("{path}: say in tests/tools/limits.toml what it bounds, or under [inside] why no host meets it")
        })
        .chain(gone.map(|path| format!("tests/tools/limits.toml: there is no constant {path}")))
        .collect())
}

/// By name a bound, or a time.
fn is_bound(constant: &Constant) -> bool {
    constant.name.starts_with("MAX_") || matches!(constant.value, Some(Value::Milliseconds(_)))
}

fn table(root: &Path) -> Result<Table> {
    let path = root.join("tests/tools/limits.toml");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    toml::from_str(&text).map_err(|error| format!("limits.toml: {error}"))
}

/// The options that are bounds, with the defaults that the Rust types have.
fn options(out: &mut String, types: &Vocabulary) -> Result<()> {
    let defaults = serde_json::to_value(Limits::default()).map_err(|error| error.to_string())?;
    for field in fields(types, "Limits")? {
        let Some(default) = defaults.get(&field.name) else {
            option_row(out, field, "none");
            continue;
        };
        let default =
            default.as_u64().ok_or_else(|| format!("limits.{} has no whole number as its default", field.name))?;
        option_row(out, field, &of_unit(field, default));
    }
    let defaults = serde_json::to_value(WebFetchOptions::default()).map_err(|error| error.to_string())?;
    for field in fields(types, "WebFetchOptions")? {
        if let Some(default) = defaults.get(&field.name).and_then(serde_json::Value::as_u64) {
            let name = format!("webFetch.{}", field.name);
            option_row(out, &Field { name, ..field.clone() }, &of_unit(field, default));
        }
    }
    let ms = AgentOptions::default().permission_timeout_ms().ok_or("requests wait for ever by default")?;
    for (name, default) in [("AgentOptions", Value::Milliseconds(ms)), ("ToolOptions", Value::Count(0))] {
        let timeouts = fields(types, name)?.iter().filter(|field| field.name.to_lowercase().ends_with("timeoutms"));
        for field in timeouts {
            let of_a_tool = if name == "ToolOptions" { " of a tool" } else { "" };
            let mut field = field.clone();
            field.name += of_a_tool;
            option_row(out, &field, &readable(default, None));
        }
    }
    Ok(())
}

/// The default of a bound, in the unit that its name says.
fn of_unit(field: &Field, default: u64) -> String {
    match unit_of(&field.name) {
        Some("ms") => readable(Value::Milliseconds(default), None),
        unit => readable(Value::Count(default), unit.filter(|unit| *unit == "bytes")),
    }
}

fn option_row(out: &mut String, field: &Field, default: &str) {
    let (name, of) = field.name.split_once(' ').unwrap_or((&field.name, ""));
    let space = if of.is_empty() { "" } else { " " };
    let about: Vec<_> = field.doc.split_whitespace().collect();
    let about: String = about.join(" ").split_inclusive(". ").filter_map(without_default).collect();
    let _ = writeln!(out, "| `{name}`{space}{of} | {default} | {} |", about.trim());
}

/// A sentence without the default, which has a column of its own. What 0 means stays.
fn without_default(sentence: &str) -> Option<String> {
    let Some(default) = sentence.strip_prefix("Default ") else { return Some(sentence.to_owned()) };
    default
        .find("0: ")
        .and_then(|at| default.get(at..))
        .or(default.split_once("; ").map(|(_, rest)| rest))
        .map(str::to_owned)
}

fn fields<'a>(types: &'a Vocabulary, name: &str) -> Result<&'a [Field]> {
    match types.get(name).map(|ty| &ty.shape) {
        Some(Shape::Record(fields)) => Ok(fields),
        _ => Err(format!("{name} is no record")),
    }
}

fn unit_of(option: &str) -> Option<&'static str> {
    ["Ms", "Bytes"].into_iter().find(|end| option.ends_with(end)).map(|end| if end == "Ms" { "ms" } else { "bytes" })
}

fn shown(constant: &Constant, unit: Option<&str>) -> Option<String> {
    Some(match (constant.value?, unit) {
        (Value::Count(ms), Some("ms")) => readable(Value::Milliseconds(ms), None),
        (value, unit) => readable(value, unit),
    })
}

/// A value as people read it: `256 events`, `1 MiB`, `2 s`, `100 ms`.
fn readable(value: Value, unit: Option<&str>) -> String {
    const KIB: u64 = 1024;
    const MIB: u64 = KIB * KIB;
    match (value, unit) {
        (Value::Count(bytes), Some("bytes")) if bytes >= MIB && bytes % MIB == 0 => format!("{} MiB", bytes / MIB),
        (Value::Count(bytes), Some("bytes")) if bytes >= KIB && bytes % KIB == 0 => format!("{} KiB", bytes / KIB),
        (Value::Count(count), Some(unit)) => format!("{} {unit}", grouped(count)),
        (Value::Count(count), None) => grouped(count),
        (Value::Milliseconds(ms), _) if ms >= 60_000 && ms % 60_000 == 0 => format!("{} min", ms / 60_000),
        (Value::Milliseconds(ms), _) if ms >= 1000 && ms % 1000 == 0 => format!("{} s", ms / 1000),
        (Value::Milliseconds(ms), _) => format!("{ms} ms"),
    }
}

/// `16384` -> `16,384`.
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_0_means_stays_where_the_default_is_left_out() {
        let left = |sentence| without_default(sentence);
        assert_eq!(left("Milliseconds. ").as_deref(), Some("Milliseconds. "));
        assert_eq!(left("Default 100."), None);
        assert_eq!(left("Default 300,000; 0 waits for ever.").as_deref(), Some("0 waits for ever."));
        assert_eq!(left("Default 0: it takes its time.").as_deref(), Some("0: it takes its time."));
    }

    #[test]
    fn values_are_shown_as_people_read_them() {
        assert_eq!(readable(Value::Count(16_384), None), "16,384");
        assert_eq!(readable(Value::Count(256), Some("events")), "256 events");
        assert_eq!(readable(Value::Count(2000), Some("bytes")), "2,000 bytes");
        assert_eq!(readable(Value::Count(64 * 1024), Some("bytes")), "64 KiB");
        assert_eq!(readable(Value::Count(25 << 20), Some("bytes")), "25 MiB");
        assert_eq!(readable(Value::Milliseconds(300_000), None), "5 min");
        assert_eq!(readable(Value::Milliseconds(90_000), None), "90 s");
        assert_eq!(readable(Value::Milliseconds(100), None), "100 ms");
    }
}
