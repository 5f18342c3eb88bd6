#include "cxl/cxl_link.h"

#include <algorithm>
#include <stdexcept>

namespace asterism {
namespace {

// In sixths of a slot.
constexpr std::uint64_t slot = 6, data = 4 * slot;
constexpr std::uint64_t req = slot, rwd = slot + data, ndr = slot / 2, drs = slot / 3 + data;

constexpr std::uint64_t second = 1'000'000'000'000;

}  // namespace

CxlLink::CxlLink(const CxlPart& part)
    : part_(part),
      rate_(part.lane.count() * part.lanes),
      flit_bytes_(part.flit == CxlFlit::bytes_68 ? 68 : 256),
      flit_slots_(part.flit == CxlFlit::bytes_68 ? 4 : 15),
      queue_(part.queue) {}

Picoseconds CxlLink::slots(std::uint64_t sixths) const {
  return Picoseconds(scale(sixths * flit_bytes_, second, slot * flit_slots_ * rate_, true));
}

// The rest of the flit in which a message ends.
Picoseconds CxlLink::filling(std::uint64_t sixths) const {
  const std::uint64_t flit = slot * flit_slots_;
  return slots((flit - sixths % flit) % flit);
}

// A message alone waits for its last flit to be complete. That overlaps with the messages behind it.
Picoseconds CxlLink::transfer(Direction& direction, Picoseconds at, std::uint64_t sixths) const {
  const Picoseconds length = slots(sixths);
  direction.busy += length;
  return direction.line.reserve(at, length) + filling(sixths) + part_.port_latency;
}

Picoseconds CxlLink::to_device(Picoseconds issued, bool is_write) {
  ++(is_write ? writes_ : reads_);
  return transfer(m2s_, issued, is_write ? rwd : req);
}

Picoseconds CxlLink::to_host(Picoseconds leaves, bool is_write) {
  return transfer(s2m_, leaves, is_write ? ndr : drs);
}

CxlLink::Sent CxlLink::request(Picoseconds now, Picoseconds issued, bool is_write) {
  m2s_.line.forget(now);
  s2m_.line.forget(now);
  queue_.forget(now);
  const Picoseconds arrived = to_device(issued, is_write);
  return enter(arrived, arrived);
}

CxlLink::Sent CxlLink::enter(Picoseconds at, Picoseconds arrived) const {
  const Picoseconds entered = queue_.first_free(at);
  if (entered == PlaceLine::never) return {entered, entered, arrived};
  return {entered, entered + part_.controller_latency, arrived};
}

void CxlLink::try_again(Sent& sent, Picoseconds now) {
  const Picoseconds at = std::max(sent.arrived, now);
  sent = enter(at, has_place(sent) ? at : sent.arrived);
}

Picoseconds CxlLink::place_of(const Sent& sent) const {
  const Picoseconds entered = queue_.first_free(sent.entered);
  if (entered == PlaceLine::never)
    throw std::logic_error("a request to a CXL device has no place in its queue, and has to be tried again");
  return entered;
}

void CxlLink::hold(Sent& sent) {
  if (sent.is_held) return;
  const Picoseconds entered = place_of(sent);
  sent.at_memory += entered - sent.entered;
  sent.entered = entered;
  queue_.begin(entered);
  sent.is_held = true;
}

void CxlLink::drop(Sent& sent, Picoseconds at) {
  if (sent.is_held) queue_.end(sent.entered, at);
  sent.is_held = false;
  sent.entered = sent.at_memory = PlaceLine::never;
}

void CxlLink::count_wait(Picoseconds length) {
  if (length > Picoseconds(0)) ++waits_;
  waited_ += length;
}

Picoseconds CxlLink::response(const Sent& sent, Picoseconds ended, bool is_write) {
  if (sent.is_held) {
    count_wait(sent.entered - sent.arrived);
    const Picoseconds leaves = std::max(ended, sent.at_memory) + part_.controller_latency;
    queue_.end(sent.entered, leaves);
    return to_host(leaves, is_write);
  }
  const Picoseconds entered = place_of(sent);
  count_wait(entered - sent.arrived);
  const Picoseconds leaves =
      std::max(ended, sent.at_memory) + (entered - sent.entered) + part_.controller_latency;
  queue_.occupy(entered, leaves);
  return to_host(leaves, is_write);
}

void CxlLink::block(Picoseconds from, Picoseconds length) {
  m2s_.line.reserve(from, length);
  s2m_.line.reserve(from, length);
}

Picoseconds CxlLink::unloaded() const {
  return slots(req) + filling(req) + slots(drs) + filling(drs) +
         2 * (part_.port_latency + part_.controller_latency);
}

Bandwidth CxlLink::read_bandwidth() const {
  return Bandwidth(scale(rate_ * 64, slot * flit_slots_, drs * flit_bytes_));
}

Bandwidth CxlLink::write_bandwidth() const {
  return Bandwidth(scale(rate_ * 64, slot * flit_slots_, rwd * flit_bytes_));
}

void CxlLink::reset(Reset kind) {
  m2s_.line.clear();
  s2m_.line.clear();
  queue_.clear();
  if (kind != Reset::cold) return;
  reads_ = writes_ = waits_ = 0;
  waited_ = m2s_.busy = s2m_.busy = Picoseconds(0);
}

void CxlLink::report(Statistics& statistics) const {
  statistics.add("reads", reads_);
  statistics.add("writes", writes_);
  statistics.add("m2s_busy", m2s_.busy);
  statistics.add("s2m_busy", s2m_.busy);
  statistics.add("waits_for_credit", waits_);
  statistics.add("waited_for_credit", waited_);
}

}  // namespace asterism
