//! Keys that appear twice in one object of a body (decision record 0120).
//!
//! What is read of such an object depends on who reads it: some take the first value, some the last. So it is refused,
//! wherever it stands.

use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Characters of a key that a pointer shows.
const SHOWN_CHARS: usize = 64;

/// What the walk is inside of.
enum Inside<'a> {
    Object { seen: BTreeSet<Cow<'a, str>>, key: Cow<'a, str>, wants_key: bool },
    Array { at: usize },
}

/// The pointer of the first key that appears twice in its object; none in what is no JSON, of which others say so.
#[must_use]
pub fn repeated_key(body: &[u8]) -> Option<String> {
    let text = serde_json::from_slice::<&RawValue>(body).ok()?.get();
    let mut outer: Vec<Inside<'_>> = Vec::new();
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        let mut next = at.saturating_add(1);
        match byte {
            b'"' => {
                next = end_of_string(text, at);
                let quoted = text.get(at..next).unwrap_or_default();
                if !note_key(outer.last_mut(), quoted) {
                    return Some(pointer(&outer));
                }
            }
            b'{' => {
                outer.push(Inside::Object { seen: BTreeSet::new(), key: Cow::Borrowed(""), wants_key: true })
            }
            b'[' => outer.push(Inside::Array { at: 0 }),
            b'}' | b']' => _ = outer.pop(),
            b',' => match outer.last_mut() {
                Some(Inside::Object { wants_key, .. }) => *wants_key = true,
                Some(Inside::Array { at }) => *at = at.saturating_add(1),
                None => {}
            },
            _ => {}
        }
        at = next;
    }
    None
}

/// Where the string ends that begins here.
fn end_of_string(text: &str, from: usize) -> usize {
    let mut is_escaped = false;
    for (offset, byte) in text.bytes().enumerate().skip(from.saturating_add(1)) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return offset.saturating_add(1),
            _ => {}
        }
    }
    text.len()
}

/// Notes a string where an object wants a key; false when it had that one before.
fn note_key<'a>(inside: Option<&mut Inside<'a>>, quoted: &'a str) -> bool {
    let Some(Inside::Object { seen, key, wants_key: wants_key @ true }) = inside else { return true };
    let plain = quoted.trim_matches('"');
    *key = match quoted.contains('\\') {
        true => Cow::Owned(serde_json::from_str(quoted).unwrap_or_default()),
        false => Cow::Borrowed(plain),
    };
    *wants_key = false;
    seen.insert(key.clone())
}

fn pointer(outer: &[Inside<'_>]) -> String {
    let step = |inside: &Inside<'_>| match inside {
        Inside::Object { key, .. } => {
            let shown: String = key.chars().take(SHOWN_CHARS).collect();
            format!("/{}", shown.replace('~', "~0").replace('/', "~1"))
        }
        Inside::Array { at } => format!("/{at}"),
    };
    outer.iter().map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_appears_twice_is_found_wherever_it_stands() {
        for (body, pointer) in [
            (r#"{"quantity":1,"quantity":-1}"#, "/quantity"),
            (r#"{"items":[{"a":1},{"quantity":1,"b":[],"quantity":-1}]}"#, "/items/1/quantity"),
            (r#"{"a":{"b":{}, "c":"\"b\"", "b":1}}"#, "/a/b"),
            (r#"{"a":1,"\u0061":2}"#, "/a"),
            (r#"{"a/b~":1, "a/b~" : 2}"#, "/a~1b~0"),
            (r#"{"":1,"":2}"#, "/"),
            (r#"{"\"":1,"\"":2}"#, "/\""),
        ] {
            assert_eq!(repeated_key(body.as_bytes()).as_deref(), Some(pointer), "{body}");
        }
        for body in [
            r#"{"a":1,"A":2}"#,
            r#"{"a":{"a":{"a":1}},"b":["a","a"]}"#,
            r#"[{"a":1},{"a":1}]"#,
            r#"{"a":"a\",\"a\":1"}"#,
            r#"{"a":1,"a":"#,
            "{}",
            "1",
        ] {
            assert_eq!(repeated_key(body.as_bytes()), None, "{body}");
        }
    }

    #[test]
    fn deep_and_wide_bodies_are_walked() {
        let deep = format!("{}{{\"a\":1,\"a\":2}}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(repeated_key(deep.as_bytes()).is_some_and(|found| found.ends_with("/a")));
        let keys: Vec<String> = (0..50_000).map(|key| format!("\"{key}\":0")).collect();
        assert_eq!(repeated_key(format!("{{{}}}", keys.join(",")).as_bytes()), None);
    }
}
