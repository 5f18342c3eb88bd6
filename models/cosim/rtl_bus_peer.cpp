#include "cosim/rtl_bus_peer.h"

namespace asterism {
namespace {

std::uint32_t lanes_of(unsigned strobes) {
  std::uint32_t lanes = 0;
  for (unsigned byte = 0; byte < 4; ++byte)
    if (strobes >> byte & 1) lanes |= 0xFFu << 8 * byte;
  return lanes;
}

}  // namespace

RtlBusPeer::RtlBusPeer(std::shared_ptr<const RtlLibrary> library, std::string instance,
                       const RtlBus::Settings& settings, const RtlOptions& options)
    : bus_(std::move(library), std::move(instance), settings, options) {
  if (bus_.has_master())
    throw RtlError(bus_.name() +
                   ": has a master port, which lockstep does not support: its impl can be model or rtl");
  bus_.on_interrupts = [this](Picoseconds at, std::uint32_t levels) { notify(at, levels); };
}

void RtlBusPeer::notify(Picoseconds at, std::uint32_t levels) {
  if (levels == reported_ || !on_interrupts) return;
  reported_ = levels;
  on_interrupts(at, levels);
}

// A line that is still high is reported as an edge after it.
void RtlBusPeer::reset(Reset kind, Picoseconds at) {
  peeked_.reset();
  bus_.reset(kind, at);
  reported_ = 0;
}

void RtlBusPeer::catch_up(Picoseconds now) {
  bus_.catch_up(now);
  notify(bus_.timeline().time(), bus_.interrupts());
}

Answer RtlBusPeer::answer(const Transaction& transaction) {
  catch_up(transaction.at);
  const unsigned first = transaction.address & 3, all = (1u << transaction.bytes) - 1;
  const unsigned strobes = (transaction.strobes != 0 ? transaction.strobes : all) << first;
  BusAccess access;
  access.write = transaction.kind == Transaction::Kind::write;
  access.address = transaction.address & ~std::uint64_t{3};
  access.data = static_cast<std::uint32_t>(transaction.data[0] << 8 * first);
  access.strobes = strobes;

  const std::uint64_t before = bus_.timeline().cycles();
  const RtlBus::Answer said = bus_.access_or_peek(access, transaction.at);
  peeked_.reset();
  if (bus_.timeline().cycles() == before) peeked_ = access;

  Answer answer;
  answer.data[0] = (said.data & lanes_of(strobes)) >> 8 * first;
  answer.status = said.error ? AnswerStatus::error : AnswerStatus::ok;
  answer.latency = said.end - transaction.at;
  return answer;
}

// A read that was not made is made now, so that it appears in the trace.
void RtlBusPeer::write_window(Picoseconds window, TraceNotes notes) {
  if (peeked_) bus_.access(*peeked_, bus_.timeline().time());
  bus_.write_window(window, notes);
}

}  // namespace asterism
