"""The random numbers of everything that draws: the same from a seed in any language.

Source: Steele, Lea and Flood 2014, SplitMix64.
"""

MASK = 2**64 - 1


class SplitMix:
    """A stream of numbers from a seed.

    Args:
        seed: taken modulo 2^64.

    >>> random = SplitMix(0)
    >>> hex(random.next()), random.uniform() < 1
    ('0xe220a8397b1dcdaf', True)
    """

    def __init__(self, seed: int) -> None:
        self._state = seed & MASK

    def next(self) -> int:
        """Return the next 64 bits."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & MASK
        z = self._state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def uniform(self) -> float:
        """Return a number from 0 up to, but not, 1: the upper 53 bits.

        >>> SplitMix(0).uniform()
        0.8833108082136426
        """
        return (self.next() >> 11) * 2.0**-53
