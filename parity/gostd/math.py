"""Go's ``math``, as far as the tools need it, on amd64 (contract: go-semantics.md, 2.9)."""

from __future__ import annotations

import math
import struct
from functools import lru_cache
from typing import Final

_LEAST_NORMAL: Final = 2.0**-1022
_LEAST_EXPONENT: Final = -1022
_HALF_SQRT_2: Final = float.fromhex("0x1.6a09e667f3bcdp-1")
(_NAN,) = struct.unpack(">d", bytes.fromhex("7ff8000000000001"))

_LN2_HIGH: Final = 6.93147180369123816490e-01
_LN2_LOW: Final = 1.90821492927058770002e-10
_L1: Final = 6.666666666666735130e-01
_L2: Final = 3.999999999940941908e-01
_L3: Final = 2.857142874366239149e-01
_L4: Final = 2.222219843214978396e-01
_L5: Final = 1.818357216161805012e-01
_L6: Final = 1.531383769920937332e-01
_L7: Final = 1.479819860511658591e-01


@lru_cache(maxsize=4096)
def log(x: float) -> float:
    """The natural logarithm as ``math.Log`` of Go on amd64 gives it, bit for bit; Go's constants and order stand.

    ``-Inf`` for zero, ``NaN`` for a negative number, and for a subnormal the wrong number that Go gives: its assembly
    (``log_amd64.s``) takes the mantissa from the bits as if the hidden one were there.
    """
    if x == 0:
        return -math.inf
    if math.copysign(1, x) < 0:  # a NaN can be negative too
        return float(_NAN)
    if not math.isfinite(x):
        return x
    f1, k = math.frexp(x) if x >= _LEAST_NORMAL else (_subnormal_mantissa(x), _LEAST_EXPONENT)
    if f1 <= _HALF_SQRT_2:
        k -= 1
        f1 *= 2
    f = f1 - 1
    s = f / (2 + f)
    s2 = s * s
    s4 = s2 * s2
    t1 = s2 * (_L1 + s4 * (_L3 + s4 * (_L5 + s4 * _L7)))
    t2 = s4 * (_L2 + s4 * (_L4 + s4 * _L6))
    hfsq = 0.5 * f * f
    return k * _LN2_HIGH - ((hfsq - (s * (hfsq + (t1 + t2)) + k * _LN2_LOW)) - f)


def _subnormal_mantissa(x: float) -> float:
    """The bits of the mantissa, set below those of 0.5."""
    return 0.5 + math.ldexp(x, 1074 - 53)
