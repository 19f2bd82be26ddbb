//! A second reading of lines that are one plain command: by characters alone, giving up at anything that is more.

/// The words of the line, if it is one command of literal words and nothing else.
pub(crate) fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    // Behind its end only blanks and comments may follow.
    let mut ended = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' if characters.peek() == Some(&'\n') => drop(characters.next()),
            '\n' if words.is_empty() && word.is_none() => {}
            ';' | '\n' => {
                words.extend(word.take());
                if words.is_empty() || (character == ';' && ended) {
                    return None;
                }
                ended = true;
            }
            ' ' | '\t' => words.extend(word.take()),
            '#' if word.is_none() => while characters.next_if(|rest| *rest != '\n').is_some() {},
            _ if ended => return None,
            '\\' => word.get_or_insert_default().push(characters.next()?),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        '\'' => break,
                        inner => word.push(inner),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        '"' => break,
                        '`' => return None,
                        '$' if characters
                            .peek()
                            .is_some_and(|next| next.is_ascii_alphanumeric() || "_?!#@*$({[-".contains(*next)) =>
                        {
                            return None;
                        }
                        '\\' => match characters.next()? {
                            '\n' => {}
                            next @ ('$' | '`' | '"' | '\\') => word.push(next),
                            next => word.extend(['\\', next]),
                        },
                        inner => word.push(inner),
                    }
                }
            }
            '$' if characters.peek() == Some(&'\'') => {
                characters.next();
                let word = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        '\'' => break,
                        '\\' => word.push(match characters.next()? {
                            'n' => '\n',
                            't' => '\t',
                            'r' => '\r',
                            'a' => '\x07',
                            'b' => '\x08',
                            'f' => '\x0c',
                            'v' => '\x0b',
                            'e' | 'E' => '\x1b',
                            same @ ('\\' | '\'' | '"' | '?') => same,
                            _ => return None,
                        }),
                        inner => word.push(inner),
                    }
                }
            }
            '|' | '&' | '(' | ')' | '<' | '>' | '$' | '`' | '*' | '?' | '[' => {
                // `[` is a command of its own, and no glob, where it is the first word.
                let is_test = character == '[' && words.is_empty() && word.is_none() && characters.peek() == Some(&' ');
                if !is_test {
                    return None;
                }
                word = Some("[".to_owned());
            }
            '~' if word.as_ref().is_none_or(|word| word.is_empty() || word.ends_with(['=', ':'])) => return None,
            character => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    if words.first().is_some_and(|first| first == "[" || first == "[[")
        && words.last().is_some_and(|last| last.starts_with(']'))
    {
        words.pop();
    }
    (!words.is_empty()).then_some(words)
}
