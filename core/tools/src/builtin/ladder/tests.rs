#![allow(clippy::unwrap_used)]

use super::*;

fn edit(text: &str, old: &str, new: &str, all: bool) -> Result<Edited, Misfit> {
    apply(text, &Edit { old, new, all })
}

/// What the text becomes, and what was forgiven.
fn once(text: &str, old: &str, new: &str) -> (String, Option<&'static str>) {
    let edited = edit(text, old, new, false).unwrap();
    assert_eq!(edited.places, 1);
    (edited.text, edited.forgiven)
}

const ENDS: Option<&str> = LADDER[1].0;
const BLANKS: Option<&str> = LADDER[2].0;
const INDENT: Option<&str> = LADDER[3].0;
const MARKS: Option<&str> = LADDER[4].0;

#[test]
fn each_rung_forgives_one_thing_and_changes_nothing_else() {
    for (text, old, new, expected, forgiven) in [
        // As it stands.
        ("a\nb\nc\n", "b", "x", "a\nx\nc\n", None),
        ("a b  \n", "a b", "x", "x  \n", None),
        ("a\nb", "b", "x\ny", "a\nx\ny", None),
        // CRLF is kept, also where the model does not know of it.
        ("a\r\nb\r\n", "b", "c", "a\r\nc\r\n", None),
        ("a\r\nb\r\n", "b", "c\nd", "a\r\nc\r\nd\r\n", None),
        ("a\r\nb\r\nc\r\n", "a\nb\n", "a\nx\ny\n", "a\r\nx\r\ny\r\nc\r\n", ENDS),
        ("a\nb\nc\n", "a\r\nb", "a\r\nx", "a\nx\nc\n", ENDS),
        ("a\r\nb\nc\n", "a\nb", "a\nx", "a\r\nx\nc\n", ENDS),
        // Blanks at the ends of lines, of the file or of the old text.
        ("a \t\nb\nc\n", "a\nb", "a\nx", "a \t\nx\nc\n", BLANKS),
        ("a\nb\nc\n", "a  \nb\n", "x\nb\n", "x\nb\nc\n", BLANKS),
        ("a\n \nb\n", "a\n\nb", "a\n\nx", "a\n \nx\n", BLANKS),
        ("a \r\nb\r\nc\r\n", "a\nb\nc", "a\nx\ny\nc", "a \r\nx\r\ny\r\nc\r\n", BLANKS),
        ("a \nb\nc\n", "a\nb\n", "", "c\n", BLANKS),
        ("a \nb\nc\n", "a\nb\n", "x", "xc\n", BLANKS),
        ("a \nb", "a\nb\n", "a\nx\n", "a \nx", BLANKS),
        // All lines further in, or further out, by the same.
        ("  if a:\n      b\n", "if a:\n    b\n", "if a:\n    c\n    d\n", "  if a:\n      c\n      d\n", INDENT),
        ("if a:\n  b\n", "  if a:\n    b", "  if x:\n    b", "if x:\n  b\n", INDENT),
        ("\ta\n\n\t\tb\n", "a\n\n\tb\n", "a\n\n\tx\n", "\ta\n\n\t\tx\n", INDENT),
        // Marks that look alike; what stays the same keeps its own.
        (
            "say \u{201C}hi\u{201D} \u{2014} now\n",
            "say \"hi\" - now",
            "say \"hi\" - then",
            "say \u{201C}hi\u{201D} \u{2014} then\n",
            MARKS,
        ),
        ("it\u{2019}s\u{A0}a\r\nb\r\n", "it's a\nb", "it's a\nc", "it\u{2019}s\u{A0}a\r\nc\r\n", MARKS),
        ("a\u{2019}b", "a'b", "a\u{2019}c", "a\u{2019}c", MARKS),
    ] {
        assert_eq!(once(text, old, new), (expected.to_owned(), forgiven), "{old:?} in {text:?}");
    }
}

#[test]
fn what_differs_in_more_than_one_thing_is_not_found() {
    for (text, old) in [
        // Not all by the same.
        ("  a\n b\n", "a\nb"),
        // Tabs are no spaces.
        ("\ta\n\t\tb\n", "    a\n        b\n"),
        // A part of a line is no line.
        ("ax \nb\n", "a\nb"),
        // Nor is another text.
        ("a\nb\nc\n", "a\nx\nc"),
        ("a\n", "A"),
        ("a\n\n\n", "\n \n"),
    ] {
        assert!(matches!(edit(text, old, "new", false), Err(Misfit::Nowhere { .. })), "{old:?} in {text:?}");
    }
}

#[test]
fn new_lines_that_are_not_indented_far_enough_to_be_shifted_out_refuse() {
    assert!(edit("a\n  b\n", "  a\n    b\n", "a\n", false).is_err());
}

#[test]
fn several_places_are_refused_with_their_lines_on_every_rung() {
    for (text, old) in [
        ("x\ny\nx\n", "x"),
        ("a\r\nb\r\na\r\nb\r\n", "a\nb"),
        ("a \nb\na \nb\n", "a\nb"),
        (" a\n  b\n a\n  b\n", "a\n b"),
        ("\u{2019}\nb\n\u{2019}\n", "'"),
    ] {
        assert_eq!(edit(text, old, "new", false), Err(Misfit::Several { lines: vec![1, 3] }), "{old:?} in {text:?}");
    }
}

#[test]
fn several_places_are_all_changed_where_all_are_meant() {
    let all = |text, old, new| edit(text, old, new, true).map(|edited| (edited.text, edited.places)).unwrap();
    assert_eq!(all("x x", "x", "y"), ("y y".to_owned(), 2));
    assert_eq!(all("a\r\nb\r\na\r\nb\r\n", "a\nb", "a"), ("a\r\na\r\n".to_owned(), 2));
    assert_eq!(all("\u{2019}\u{2019}", "'", "''"), ("\u{2019}'\u{2019}'".to_owned(), 2));
}

#[test]
fn a_higher_rung_decides_alone() {
    assert_eq!(once("a\nb\na \nb\n", "a\nb", "x\nb"), ("x\nb\na \nb\n".to_owned(), None));
}

#[test]
fn an_edit_that_would_grow_the_file_without_bound_is_refused_before_it_is_made() {
    let new = "b".repeat(1 << 20);
    for (text, old) in
        [("a".repeat(1 << 20), "a"), ("\u{2019}".repeat(1 << 20), "'"), ("a \nb\n".repeat(1 << 20), "a\nb")]
    {
        assert_eq!(edit(&text, old, &new, true), Err(Misfit::TooLarge));
    }
}

#[test]
fn text_that_is_not_there_is_refused_with_the_lines_most_like_it() {
    let text = "one\nfn f() {\n    old();\n    more();\n}\nlast\n";
    let Err(Misfit::Nowhere { nearest: Some(shown) }) = edit(text, "fn f() {\n  gone();\n    more();\n}", "", false)
    else {
        panic!("found");
    };
    assert_eq!(shown, "1\tone\n2\tfn f() {\n3\t    old();\n4\t    more();\n5\t}\n6\tlast\n");
}
