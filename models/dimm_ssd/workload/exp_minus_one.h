// exp(-x) - 1 by operations that each host rounds alike, which libm is not.
#pragma once

namespace asterism {

// For x of 0 or more; within 4 units in the last place. For x above 64 the result rounds to -1.
inline double exp_minus_one_of_negative(double x) {
  if (x > 64) return -1;
  unsigned halvings = 0;
  for (; x > 1.0 / 16; ++halvings) x /= 2;
  double sum = 0;
  for (int term = 10; term > 0; --term) sum = -x / term * (1 + sum);
  for (; halvings > 0; --halvings) sum *= 2 + sum;
  return sum;
}

}  // namespace asterism
