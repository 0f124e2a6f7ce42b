//! Truncation: how many ids each text keeps, and the windows over what it does not.
//!
//! Ids are cut, not characters: where a token ends inside a character, so may a row, and decoding it
//! shows the replacement character while the spans stay those of the whole text.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Side;
use crate::error::{Error, Result};

/// Which text of a pair gives way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// The longer one, until both are of one length, then both. Of an odd room the text that was
    /// longer keeps one id more, of two equally long ones the second.
    #[default]
    LongestFirst,
    /// The first.
    OnlyFirst,
    /// The second.
    OnlySecond,
}

impl Strategy {
    /// All strategies.
    pub const ALL: [Self; 3] = [Self::LongestFirst, Self::OnlyFirst, Self::OnlySecond];

    /// The name that users type.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::LongestFirst => "longest-first",
            Self::OnlyFirst => "only-first",
            Self::OnlySecond => "only-second",
        }
    }

    /// The strategy of a name.
    ///
    /// # Errors
    /// [`Error::UnknownSetting`].
    pub fn from_name(name: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|strategy| strategy.name() == name)
            .ok_or_else(|| Error::UnknownSetting {
                setting: "truncation",
                value: name.to_owned(),
                known: Self::ALL.map(Self::name).join(", "),
            })
    }
}

/// How long a row may be, and what is cut from longer ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TruncationSettings {
    /// Ids a row, special tokens counted in.
    pub max_length: usize,
    /// Ids that a window shares with the one before it.
    #[serde(default)]
    pub stride: usize,
    /// Where ids are taken away.
    #[serde(default)]
    pub side: Side,
    /// Which text of a pair gives way.
    #[serde(default)]
    pub strategy: Strategy,
}

impl TruncationSettings {
    /// Says what makes no sense beside the other settings.
    pub(super) fn check(&self, paired: bool, return_overflow: bool) -> Result<()> {
        if self.strategy == Strategy::OnlySecond && !paired {
            return Err(Error::Incompatible {
                what: "truncation is \"only-second\", but there are no pairs".to_owned(),
            });
        }
        if self.stride > 0 && !return_overflow {
            return Err(Error::Incompatible {
                what: format!(
                    "stride is {}, but there is one window a text unless return_overflow is set",
                    self.stride
                ),
            });
        }
        Ok(())
    }

    /// How many ids each of two texts keeps, so that together they are at most `room`.
    ///
    /// # Errors
    /// [`Error::CannotTruncate`] when one text alone may give way and nothing of it would be left.
    pub(super) fn kept(
        &self,
        lens: [usize; 2],
        room: usize,
        sample: usize,
        num_special: usize,
    ) -> Result<[usize; 2]> {
        if lens[0] <= room && lens[1] <= room - lens[0] {
            return Ok(lens);
        }
        let (text, other) = match self.strategy {
            Strategy::LongestFirst => return Ok(longest_first(lens, room)),
            Strategy::OnlyFirst => (0, 1),
            Strategy::OnlySecond => (1, 0),
        };
        let mut kept = lens;
        kept[text] = match room.checked_sub(lens[other]) {
            // A text without a pair may be cut to nothing, as by the other strategy.
            Some(0) if lens[other] == 0 => 0,
            Some(left) if left > 0 => left,
            _ => {
                let names = ["texts", "pairs"];
                return Err(Error::CannotTruncate {
                    strategy: self.strategy.name(),
                    text: format!("{}[{sample}]", names[text]),
                    other: format!("{}[{sample}]", names[other]),
                    other_len: lens[other],
                    num_special,
                    max_length: self.max_length,
                });
            }
        };
        Ok(kept)
    }
}

/// Two texts that are together longer than `room`.
fn longest_first(lens: [usize; 2], room: usize) -> [usize; 2] {
    let longer = usize::from(lens[0] <= lens[1]);
    let shorter_kept = lens[1 - longer].min(room / 2);
    let mut kept = [room - shorter_kept; 2];
    kept[1 - longer] = shorter_kept;
    kept
}

/// The windows over one text: all of `kept` ids but the last, which may be shorter, each after the
/// first `stride` ids back into the one before it. Together they hold every id, and none lies whole
/// within another. From the left they run to the right end; cut on the left, the other way.
#[derive(Clone, Copy, Debug)]
pub struct Windows {
    len: usize,
    kept: usize,
    step: usize,
    num_windows: usize,
    side: Side,
}

impl Windows {
    /// Windows of `kept` ids over `len`; where `stride` leaves them no step, the first alone.
    #[must_use]
    pub fn new(len: usize, kept: usize, stride: usize, side: Side) -> Self {
        let (kept, step) = (kept.min(len), kept.saturating_sub(stride));
        Self {
            len,
            kept,
            step,
            num_windows: match step {
                0 => 1,
                _ => 1 + (len - kept).div_ceil(step),
            },
            side,
        }
    }

    /// The first of them alone.
    #[must_use]
    pub fn first_only(self) -> Self {
        Self {
            num_windows: 1,
            ..self
        }
    }

    /// Number of windows, at least 1.
    #[must_use]
    pub fn num_windows(&self) -> usize {
        self.num_windows
    }

    /// The ids in window `at`, which is below [`num_windows`](Self::num_windows).
    #[must_use]
    pub fn range(&self, at: usize) -> Range<usize> {
        let skipped = at.saturating_mul(self.step).min(self.len);
        match self.side {
            Side::Right => skipped..(skipped + self.kept).min(self.len),
            Side::Left => {
                let end = self.len - skipped;
                end.saturating_sub(self.kept)..end
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn windows_cover_every_id_and_move_on(
            len in 0_usize..60, kept in 1_usize..12, stride in 0_usize..11, left in any::<bool>()
        ) {
            prop_assume!(stride < kept);
            let side = if left { Side::Left } else { Side::Right };
            let windows = Windows::new(len, kept, stride, side);
            let mut times = vec![0; len];
            let mut previous: Option<Range<usize>> = None;
            for at in 0..windows.num_windows() {
                let range = windows.range(at);
                prop_assert!(range.len() <= kept);
                prop_assert!(at + 1 == windows.num_windows() || range.len() == kept);
                if let Some(previous) = previous {
                    let shared = match side {
                        Side::Right => previous.end - range.start,
                        Side::Left => range.end - previous.start,
                    };
                    prop_assert_eq!(shared, stride);
                    prop_assert!(range.len() > stride);
                }
                range.clone().for_each(|id| times[id] += 1);
                previous = Some(range);
            }
            prop_assert!(times.iter().all(|&times| times > 0));
        }

        #[test]
        fn longest_first_is_taking_one_id_at_a_time_from_the_longer_text(
            first in 0_usize..40, second in 0_usize..40, room in 0_usize..90
        ) {
            prop_assume!(first + second > room);
            let (mut a, mut b) = (first, second);
            while a + b > room {
                if a > b || a == b && first <= second {
                    a -= 1;
                } else {
                    b -= 1;
                }
            }
            prop_assert_eq!(longest_first([first, second], room), [a, b]);
        }
    }
}
