//! Random numbers from a seed: SplitMix64 (Steele, Lea and Flood 2014). The numbers of a seed are part of
//! the interface: they are the same on every machine and in every version, so what was drawn can be
//! drawn again.

/// A stream of random numbers; equal seeds give equal streams.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The stream of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// The next number from 0 up to 1: a multiple of 2⁻⁵³ below 1.
    pub fn next_unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * ULP
    }

    /// The next number of the standard Gumbel distribution.
    pub fn next_gumbel(&mut self) -> f64 {
        // Half a step up, and not to 1: both ends have no logarithm of a logarithm.
        let unit = (self.next_unit() + 0.5 * ULP).min(1.0 - ULP);
        -libm::log(-libm::log(unit))
    }
}

const ULP: f64 = 1.0 / (1_u64 << 53) as f64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_published_numbers() {
        // The first outputs for the seed 1234567 in the reference implementation.
        let mut random = Random::new(1_234_567);
        assert_eq!(random.next_u64(), 6_457_827_717_110_365_317);
        assert_eq!(random.next_u64(), 3_203_168_211_198_807_973);
        assert_eq!(random.next_u64(), 9_817_491_932_198_370_423);
    }

    #[test]
    fn numbers_lie_from_0_to_below_1_and_average_one_half() {
        let mut random = Random::new(0);
        let numbers: Vec<f64> = (0..100_000).map(|_| random.next_unit()).collect();
        assert!(numbers.iter().all(|&number| (0.0..1.0).contains(&number)));
        let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
        assert!((mean - 0.5).abs() < 0.005, "{mean}");
    }
}
