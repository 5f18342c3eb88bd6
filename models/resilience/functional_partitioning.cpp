#include "resilience/functional_partitioning.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace asterism {
namespace {

std::uint64_t whole(double nodes) {
  if (!(nodes < 0x1p63)) throw std::invalid_argument("more nodes than can be counted share the SSD");
  return static_cast<std::uint64_t>(nodes);
}

void check_shared(const SharedSsd& s, Bytes checkpoint) {
  for (const double number : {s.erase_cycles, s.life_days, s.checkpoints_a_day})
    if (!std::isfinite(number) || number <= 0)
      throw std::invalid_argument("erase cycles, life and checkpoints a day are above 0");
  if (s.capacity == Bytes() || checkpoint == Bytes())
    throw std::invalid_argument("an SSD and a node's checkpoint have a size");
}

double bytes(Bytes size) { return static_cast<double>(size.count()); }

// Seconds for a byte, hashed and written.
std::pair<double, double> of_a_byte(Bandwidth hash, Bandwidth store, double duplicates) {
  if (hash == Bandwidth() || store == Bandwidth())
    throw std::invalid_argument("hashing and storing have a bandwidth");
  if (!(duplicates >= 0 && duplicates <= 1))
    throw std::invalid_argument("a share of duplicates is within 0 and 1");
  return {1 / static_cast<double>(hash.count()), (1 - duplicates) / static_cast<double>(store.count())};
}

}  // namespace

std::uint64_t nodes_by_lifetime(const SharedSsd& s, Bytes checkpoint) {
  check_shared(s, checkpoint);
  return whole(bytes(s.capacity) * s.erase_cycles / (s.life_days * s.checkpoints_a_day * bytes(checkpoint)));
}

std::uint64_t nodes_by_capacity(const SharedSsd& s, Bytes checkpoint) {
  check_shared(s, checkpoint);
  return s.capacity / checkpoint;
}

Seconds run_time(const PartitionedRun& run, Bandwidth store) {
  if (store == Bandwidth()) throw std::invalid_argument("hashing and storing have a bandwidth");
  if (!std::isfinite(run.compute.count()) || run.compute < Seconds())
    throw std::invalid_argument("a run computes for no time or more");
  return run.compute + Seconds(bytes(run.data) / static_cast<double>(store.count()));
}

double rate_of_one_core(Bandwidth hash, Bandwidth store, double duplicates) {
  const auto [hashed, stored] = of_a_byte(hash, store, duplicates);
  return 1 / (hashed + stored);
}

double rate_of_two_cores(Bandwidth hash, Bandwidth store, double duplicates) {
  const auto [hashed, stored] = of_a_byte(hash, store, duplicates);
  return 1 / std::max(hashed, stored);
}

}  // namespace asterism
