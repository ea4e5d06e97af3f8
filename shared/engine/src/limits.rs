//! Limits of AWS that the engine does not have.
//!
//! A plan that AWS would refuse must not pass here. The engine itself refuses expressions longer
//! than 4 KB, items above 400 KB and transactions above 100 items or 4 MB; what it lets through is
//! an expression with more than 300 operators.

use serde::Deserialize;
use std::borrow::Cow;

/// AWS refuses the 301st operator of one expression.
const MAX_OPERATORS: usize = 300;

/// The words that join conditions. They count as operators and, before a bracket, are no functions.
const CONDITION_WORDS: [&str; 5] = ["AND", "OR", "NOT", "BETWEEN", "IN"];

/// The expressions of a request; every other field is skipped unread.
#[derive(Deserialize)]
struct Expressions<'a> {
    #[serde(borrow, rename = "ConditionExpression")]
    condition: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "KeyConditionExpression")]
    key_condition: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "FilterExpression")]
    filter: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "UpdateExpression")]
    update: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "TransactItems", default)]
    transaction: Vec<TransactionItem<'a>>,
}

/// One write of a transaction, of which exactly one field is present.
#[derive(Deserialize)]
struct TransactionItem<'a> {
    #[serde(borrow, rename = "Put")]
    put: Option<Box<Expressions<'a>>>,
    #[serde(borrow, rename = "Update")]
    update: Option<Box<Expressions<'a>>>,
    #[serde(borrow, rename = "Delete")]
    delete: Option<Box<Expressions<'a>>>,
    #[serde(borrow, rename = "ConditionCheck")]
    check: Option<Box<Expressions<'a>>>,
}

/// The message with which AWS refuses this request for an expression of too many operators.
///
/// A body that cannot be read is nobody's limit: the engine says what is wrong with it.
pub(crate) fn refusal_for(body: &[u8]) -> Option<String> {
    let request: Expressions<'_> = serde_json::from_slice(body).ok()?;
    refusal_in(&request)
}

fn refusal_in(request: &Expressions<'_>) -> Option<String> {
    let conditions = [
        ("ConditionExpression", &request.condition),
        ("KeyConditionExpression", &request.key_condition),
        ("FilterExpression", &request.filter),
    ];
    for (name, expression) in conditions {
        let operators = expression.as_deref().map_or(0, condition_operators);
        if operators > MAX_OPERATORS {
            return Some(too_many(name));
        }
    }
    if request.update.as_deref().map_or(0, update_operators) > MAX_OPERATORS {
        return Some(too_many("UpdateExpression"));
    }
    request.transaction.iter().find_map(|item| {
        let writes = [&item.put, &item.update, &item.delete, &item.check];
        writes.into_iter().flatten().find_map(|write| refusal_in(write))
    })
}

/// AWS stops counting at the first operator too many, so its message always says 301.
fn too_many(expression: &str) -> String {
    format!(
        "Invalid {expression}: The expression contains too many operators; operator count: {}",
        MAX_OPERATORS + 1
    )
}

/// Comparisons, `AND`, `OR`, `NOT`, `BETWEEN`, `IN` and function calls count one each; the `AND`
/// that belongs to a `BETWEEN` does not.
fn condition_operators(expression: &str) -> usize {
    let (mut operators, mut open_betweens) = (0_usize, 0_usize);
    for token in tokens(expression) {
        operators += match token {
            Token::Sign("=" | "<>" | "<" | "<=" | ">" | ">=") | Token::Call => 1,
            Token::Word(word) if word.eq_ignore_ascii_case("BETWEEN") => {
                open_betweens += 1;
                1
            }
            Token::Word(word) if word.eq_ignore_ascii_case("AND") && open_betweens > 0 => {
                open_betweens -= 1;
                0
            }
            Token::Word(word) if is_condition_word(word) => 1,
            Token::Word(_) | Token::Reference | Token::Sign(_) => 0,
        };
    }
    operators
}

/// Additions, subtractions and function calls count one each; the `=` of a `SET` does not.
fn update_operators(expression: &str) -> usize {
    let counts = |token: &Token<'_>| matches!(token, Token::Sign("+" | "-") | Token::Call);
    tokens(expression).filter(counts).count()
}

fn is_condition_word(word: &str) -> bool {
    CONDITION_WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// What an expression's text is made of, as far as counting needs to know.
enum Token<'a> {
    /// A keyword or an attribute's name.
    Word(&'a str),
    /// A word before an opening bracket that is no keyword: a function.
    Call,
    /// A placeholder (`#name`, `:value`), whatever word it is made of.
    Reference,
    /// A comparison, a bracket, a comma, a dot.
    Sign(&'a str),
}

struct Tokens<'a> {
    rest: &'a str,
}

fn tokens(expression: &str) -> Tokens<'_> {
    Tokens { rest: expression }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        self.rest = self.rest.trim_start();
        let first = self.rest.chars().next()?;
        let token = match first {
            '#' | ':' => {
                self.take(1);
                self.take_word();
                Token::Reference
            }
            '<' | '>' => Token::Sign(self.take(comparison_len(self.rest))),
            letter if is_word(letter) => {
                let word = self.take_word();
                let opens = self.rest.trim_start().starts_with('(');
                if opens && !is_condition_word(word) { Token::Call } else { Token::Word(word) }
            }
            other => Token::Sign(self.take(other.len_utf8())),
        };
        Some(token)
    }
}

impl<'a> Tokens<'a> {
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    fn take_word(&mut self) -> &'a str {
        self.take(self.rest.find(|letter| !is_word(letter)).unwrap_or(self.rest.len()))
    }
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// `<=`, `>=` and `<>` are one sign, not two.
fn comparison_len(text: &str) -> usize {
    if ["<=", ">=", "<>"].iter().any(|sign| text.starts_with(sign)) { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::{condition_operators, refusal_for, update_operators};

    #[test]
    fn a_condition_counts_each_comparison_word_and_function_once() {
        let table = [
            ("a = :a", 1),
            ("a<=:a", 1),
            ("a <> :a", 1),
            ("free >= :q AND attribute_not_exists(holds.#id)", 3),
            ("NOT #closed = :true", 2),
            ("NOT (a = :a) OR(b = :b)", 4),
            ("size(holds) < :limit", 2),
            ("size (holds) < :limit and begins_with(a, :b)", 4),
            ("a BETWEEN :low AND :high", 1),
            ("a between :low and :high and b = :b", 3),
            ("a IN (:x, :y, :z)", 1),
            ("#and = :or", 1),
        ];
        for (expression, operators) in table {
            assert_eq!(condition_operators(expression), operators, "{expression}");
        }
    }

    #[test]
    fn an_update_counts_arithmetic_and_functions_but_not_assignments() {
        let table = [
            ("SET a = :a, b = :b REMOVE c", 0),
            ("SET free = free - :q, sold = sold + :q", 2),
            ("SET n = if_not_exists(n, :zero) + :one", 2),
            ("ADD n :one DELETE tags :tag", 0),
        ];
        for (expression, operators) in table {
            assert_eq!(update_operators(expression), operators, "{expression}");
        }
    }

    #[test]
    fn a_body_that_cannot_be_read_is_left_to_the_engine() {
        for body in ["", "[]", "{\"UpdateExpression\":1}", "{\"TransactItems\":[7]}"] {
            assert_eq!(refusal_for(body.as_bytes()), None, "{body}");
        }
    }
}
