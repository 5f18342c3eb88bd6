#include "resilience/buddy_storage.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "base/quantity_text.h"

namespace asterism {
namespace {

Seconds takes(Bytes bytes, Bandwidth bandwidth) {
  return Seconds(static_cast<double>(bytes.count()) / static_cast<double>(bandwidth.count()));
}

}  // namespace

BuddySpace buddy_space(BuddyStorage storage, Bytes used) {
  switch (storage) {
    case BuddyStorage::in_memory:
      return {.peak = used * 5, .afterwards = used * 3, .ssd = {}, .ssd_writes = {}};
    case BuddyStorage::half_ssd:
      return {.peak = used * 3, .afterwards = used * 2, .ssd = used * 2, .ssd_writes = used};
    case BuddyStorage::full_ssd:
      break;
  }
  return {.peak = used, .afterwards = used, .ssd = used * 4, .ssd_writes = used * 2};
}

BuddyStorage storage_by_memory(const BuddyNode& node) {
  return node.used <= Bytes(node.memory.count() / 3) ? BuddyStorage::half_ssd : BuddyStorage::full_ssd;
}

BuddyCheckpoint stored(const BuddyCheckpoint& in_memory, BuddyStorage storage, const BuddyNode& node) {
  if (node.used == Bytes()) throw std::invalid_argument("a checkpoint of a node is larger than 0");
  const BuddySpace room = buddy_space(storage, node.used);
  const auto fits = [&](Bytes needed, Bytes there, const char* place) {
    if (needed > there)
      throw std::invalid_argument("checkpoints of " + to_text(node.used) + " take " + to_text(needed) +
                                  " of " + place + ", and a node has " + to_text(there));
  };
  fits(room.peak, node.memory, "memory");
  fits(room.ssd, node.ssd, "an SSD");
  if (storage == BuddyStorage::in_memory) return in_memory;
  if (node.ssd_read == Bandwidth() || node.ssd_write == Bandwidth())
    throw std::invalid_argument("an SSD has a bandwidth");
  const Seconds read = takes(node.used, node.ssd_read), write = takes(node.used, node.ssd_write);
  BuddyCheckpoint b = in_memory;
  b.overlap = std::max(b.overlap, write);
  b.blocking = std::max(b.blocking, write);
  b.restart = std::max(b.restart, read);
  if (storage == BuddyStorage::half_ssd) return b;
  b.local = std::max(b.local, write);
  b.blocking += b.local - in_memory.local;
  b.restart += read;
  return b;
}

Seconds overhead_of_overlap(Seconds overlap, Seconds opportunistic, Seconds overhead, Seconds dump) {
  if (overlap < dump || opportunistic <= dump)
    throw std::invalid_argument(
        "checkpoints are no faster beside the program than alone, and in its idle times slower");
  if (overlap >= opportunistic) return overhead;
  const double idle = dump / opportunistic;
  return std::min(overlap, overhead + (dump - overlap * idle) * (1 / (1 - idle)));
}

Seconds overlap_of_thread(Seconds dump, Seconds overhead, double share) {
  if (!(share >= 0 && share < 1))
    throw std::invalid_argument("the share of a thread that a program uses is 0 or more and below 1");
  const Seconds overlap = (dump - share * overhead) * (1 / (1 - share));
  if (overhead > overlap)
    throw std::invalid_argument("a global checkpoint's overhead is no longer than its overlap");
  return overlap;
}

double thread_share(double ratio, double pause) {
  if (!(pause >= 0 && pause <= ratio))
    throw std::invalid_argument("a pause is a part of the time of communication");
  return (ratio - pause) / (1 + ratio);
}

}  // namespace asterism
