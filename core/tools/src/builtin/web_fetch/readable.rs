//! From HTML to text that a model reads well: headings, lists, links, tables and code in the way of Markdown.
//!
//! The page is read tag by tag and never made a tree: hostile nesting costs no more than its length, and what comes out
//! is bounded.

use html5gum::{DefaultEmitter, EndTag, StartTag, Token, Tokenizer};
use url::Url;

/// The text of a page, at most about `max_bytes` of it. Links are whole URLs.
pub(super) fn text_of(html: &str, base: &Url, max_bytes: usize) -> String {
    let mut emitter = DefaultEmitter::default();
    // What is within a script is no tag.
    emitter.naively_switch_states(true);
    let mut page =
        Page { base, out: String::new(), gap: Gap::None, kept: 0, hidden: None, link: None, is_row_begun: false };
    for token in Tokenizer::new_with_emitter(html, emitter) {
        if page.out.len() >= max_bytes {
            break;
        }
        match token {
            Ok(Token::StartTag(tag)) => page.start(&tag),
            Ok(Token::EndTag(tag)) => page.end(&tag),
            Ok(Token::String(text)) => page.text(&String::from_utf8_lossy(&text)),
            Ok(Token::Comment(_) | Token::Doctype(_) | Token::Error(_)) => {}
            Err(never) => match never {},
        }
    }
    page.out
}

/// What stands between what was written and what comes next; the larger of two counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Space,
    Line,
    Paragraph,
}

struct Page<'a> {
    base: &'a Url,
    out: String,
    gap: Gap,
    /// So many elements are open in which blanks count.
    kept: usize,
    /// The element that is not shown, and how many of its name are open.
    hidden: Option<(Vec<u8>, usize)>,
    /// Where the open link leads, and where its text begins.
    link: Option<(Url, usize)>,
    /// A cell of the table's row was shown.
    is_row_begun: bool,
}

impl Page<'_> {
    fn start(&mut self, tag: &StartTag<()>) {
        let name = tag.name.as_slice();
        if let Some((hidden, count)) = &mut self.hidden {
            *count += usize::from(hidden == name && !tag.self_closing);
            return;
        }
        match name {
            b"script" | b"style" | b"template" | b"svg" | b"noscript" if !tag.self_closing => {
                self.hidden = Some((name.to_vec(), 1));
            }
            b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" => {
                self.gap(Gap::Paragraph);
                self.raw(&format!("{} ", "#".repeat(usize::from(name[1] - b'0'))));
            }
            b"title" => {
                self.gap(Gap::Paragraph);
                self.raw("# ");
            }
            b"li" => {
                self.gap(Gap::Line);
                self.raw("- ");
            }
            b"pre" => {
                self.gap(Gap::Paragraph);
                self.raw("```\n");
                self.kept += 1;
            }
            b"tr" => {
                self.gap(Gap::Line);
                self.is_row_begun = false;
            }
            b"td" | b"th" => {
                if self.is_row_begun {
                    self.raw(" | ");
                }
                self.is_row_begun = true;
            }
            b"img" => {
                if let Some(text) = attribute(tag, b"alt").filter(|text| !text.trim().is_empty()) {
                    self.text(&format!("[image: {}]", text.trim()));
                }
            }
            b"a" => self.link = self.target_of(tag).map(|target| (target, self.out.len())),
            name => self.gap(gap_around(name)),
        }
    }

    fn end(&mut self, tag: &EndTag<()>) {
        let name = tag.name.as_slice();
        if let Some((hidden, count)) = &mut self.hidden {
            *count -= usize::from(hidden == name);
            if *count == 0 {
                self.hidden = None;
            }
            return;
        }
        match name {
            b"pre" if self.kept > 0 => {
                self.kept -= 1;
                self.raw("\n```");
                self.gap(Gap::Paragraph);
            }
            b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" | b"title" => self.gap(Gap::Paragraph),
            b"a" => self.end_link(),
            b"td" | b"th" | b"br" | b"pre" => {}
            name => self.gap(gap_around(name)),
        }
    }

    fn end_link(&mut self) {
        let Some((target, begin)) = self.link.take() else { return };
        let text = self.out.get(begin..).unwrap_or_default().trim();
        if !text.is_empty() {
            let shown = format!("[{text}]({target})");
            let begin = begin + self.out[begin..].len() - self.out[begin..].trim_start().len();
            self.out.truncate(begin);
            self.out.push_str(&shown);
        }
    }

    /// Where a link leads, if it leads to another page.
    fn target_of(&self, tag: &StartTag<()>) -> Option<Url> {
        let href = attribute(tag, b"href").filter(|href| !href.starts_with('#'))?;
        self.base.join(&href).ok().filter(|url| matches!(url.scheme(), "http" | "https"))
    }

    fn gap(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }

    /// Writes the gap before something.
    fn close_gap(&mut self) {
        let gap = std::mem::replace(&mut self.gap, Gap::None);
        if !self.out.is_empty() {
            let has_blank = self.out.ends_with([' ', '\n']);
            self.out.push_str(match gap {
                Gap::None => "",
                Gap::Space if has_blank => "",
                Gap::Space => " ",
                Gap::Line => "\n",
                Gap::Paragraph => "\n\n",
            });
        }
    }

    /// Writes what is ours.
    fn raw(&mut self, text: &str) {
        self.close_gap();
        self.out.push_str(text);
    }

    /// Writes what is the page's.
    fn text(&mut self, text: &str) {
        if self.hidden.is_some() {
            return;
        }
        if self.kept > 0 {
            self.raw(text);
            return;
        }
        if text.starts_with(char::is_whitespace) {
            self.gap(Gap::Space);
        }
        for word in text.split_whitespace() {
            self.raw(word);
            self.gap(Gap::Space);
        }
        // Words in several tags may be one: only a blank parts them.
        if !text.ends_with(char::is_whitespace) && self.gap == Gap::Space {
            self.gap = Gap::None;
        }
    }
}

fn attribute(tag: &StartTag<()>, name: &[u8]) -> Option<String> {
    tag.attributes.get(name).map(|value| String::from_utf8_lossy(value).into_owned())
}

/// The gap before and after an element.
fn gap_around(name: &[u8]) -> Gap {
    match name {
        b"br" | b"div" | b"dt" | b"dd" | b"option" | b"summary" | b"figcaption" | b"caption" | b"li" | b"tr"
        | b"button" | b"label" => Gap::Line,
        b"p" | b"section" | b"article" | b"header" | b"footer" | b"main" | b"nav" | b"aside" | b"ul" | b"ol"
        | b"dl" | b"table" | b"blockquote" | b"figure" | b"form" | b"fieldset" | b"details" | b"address" | b"hr"
        | b"body" | b"head" => Gap::Paragraph,
        _ => Gap::None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn text(html: &str) -> String {
        text_of(html, &Url::parse("https://example.com/a/b").unwrap(), 1 << 20)
    }

    #[test]
    fn a_page_is_told_in_the_way_of_markdown() {
        let html = "<!doctype html><html><head><title>The  page</title><style>p { x: y }</style></head><body>\
                    <script>var x = '<p>no</p>';</script><h2>One\n two</h2><p>Some <b>bold</b>&amp; plain<br>text.</p>\
                    <ul><li>a<li>b</ul><pre>  x\n    y</pre><p>end</p></body>";
        assert_eq!(
            text(html),
            "# The page\n\n## One two\n\nSome bold& plain\ntext.\n\n- a\n- b\n\n```\n  x\n    y\n```\n\nend"
        );
    }

    #[test]
    fn links_are_whole_urls_and_lead_to_pages() {
        assert_eq!(text("see <a href='../c'> the page </a>!"), "see [the page](https://example.com/c) !");
        assert_eq!(text("<a href='#top'>up</a> <a href='javascript:x'>do</a> <a href='/x'></a>"), "up do");
        assert_eq!(text("<a href='/x'>never closed"), "never closed");
    }

    #[test]
    fn tables_are_rows() {
        assert_eq!(text("<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>"), "a | b\n1 | 2");
    }

    #[test]
    fn what_is_not_shown_is_not_told() {
        let html = "a<svg><svg></svg><text>no</text></svg><template>no</template><noscript>no</noscript><!-- no -->b";
        assert_eq!(text(html), "ab");
        assert_eq!(text("<img src='x'><img alt=' a cat '>"), "[image: a cat]");
    }

    #[test]
    fn hostile_nesting_costs_no_more_than_its_length() {
        for open in ["<div>", "<table><tr><td>", "<b a=1>", "<a href=x>", "<pre>", "<svg>", "</a>", "<", "&"] {
            let _ = text(&open.repeat(100_000));
        }
    }

    #[test]
    fn what_comes_out_is_bounded() {
        let base = Url::parse(&format!("https://example.com/{}/", "x".repeat(1000))).unwrap();
        let told = text_of(&"<a href=y>z</a>".repeat(10_000), &base, 5_000);
        assert!(told.len() < 10_000, "{}", told.len());
    }
}
