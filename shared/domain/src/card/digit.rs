//! Decimal digits, whatever script they are written in.

/// The zero of every set of decimal digits that Unicode has (general category Nd). The nine others follow it.
const ZEROS: [u32; 68] = [
    0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50,
    0xed0, 0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40,
    0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10, 0x104a0, 0x10d30, 0x11066,
    0x110f0, 0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650, 0x116c0, 0x11730, 0x118e0, 0x11950,
    0x11c50, 0x11d50, 0x11da0, 0x11f50, 0x16a60, 0x16ac0, 0x16b50, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec,
    0x1d7f6, 0x1e140, 0x1e2f0, 0x1e4f0, 0x1e950, 0x1fbf0,
];

/// A decimal digit, as ASCII.
pub(super) fn ascii_digit(char: char) -> Option<char> {
    if char.is_ascii() {
        return char.is_ascii_digit().then_some(char);
    }
    let code = u32::from(char);
    let nearest = ZEROS.partition_point(|zero| *zero <= code).checked_sub(1)?;
    char::from_digit(code.checked_sub(*ZEROS.get(nearest)?)?, 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_every_script_are_digits() {
        for (written, expected) in [
            ("0123456789", "0123456789"),
            ("\u{660}\u{669}\u{6f4}\u{966}\u{e59}", "09409"),
            ("\u{ff10}\u{ff19}\u{1d7ce}\u{1d7ff}\u{1fbf9}", "09099"),
        ] {
            assert_eq!(
                written.chars().map(ascii_digit).collect::<Option<String>>().as_deref(),
                Some(expected)
            );
        }
        for other in ['a', '\u{2f}', '\u{3a}', '\u{b2}', '\u{2460}', '\u{4e00}', '\u{ff1a}'] {
            assert_eq!(ascii_digit(other), None, "{other:?}");
        }
        assert!(ZEROS.is_sorted());
    }
}
