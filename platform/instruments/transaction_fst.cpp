#include "platform/instruments/transaction_fst.h"

#include <fmt/format.h>
#include <gtkwave/fstapi.h>

#include <algorithm>
#include <memory>
#include <tuple>

namespace asterism {
namespace {

// The signals on which transactions are drawn that do not overlap.
struct Lane {
  Picoseconds free_from;
  fstHandle busy = 0, command = 0, address = 0, bytes = 0, response = 0;
};

struct Change {
  Picoseconds at;
  bool is_start;  // a start comes after the ends at the same time
  const TracedTransaction* transaction;
  const Lane* lane;
};

struct CloseWriter {
  void operator()(void* writer) const { fstWriterClose(writer); }
};
using Writer = std::unique_ptr<void, CloseWriter>;

void emit(void* writer, fstHandle handle, std::uint64_t value, unsigned bits) {
  std::string text;
  for (unsigned bit = bits; bit-- > 0;) text += (value >> bit & 1) != 0 ? '1' : '0';
  fstWriterEmitValueChange(writer, handle, text.c_str());
}
void emit(void* writer, fstHandle handle, std::string_view text) {
  fstWriterEmitVariableLengthValueChange(writer, handle, text.data(),
                                         static_cast<std::uint32_t>(text.size()));
}

Lane make_lane(void* writer, std::size_t index) {
  const auto wire = [writer](unsigned bits, const char* name) {
    return fstWriterCreateVar(writer, FST_VT_VCD_WIRE, FST_VD_IMPLICIT, bits, name, 0);
  };
  const auto words = [writer](const char* name) {
    return fstWriterCreateVar(writer, FST_VT_GEN_STRING, FST_VD_IMPLICIT, 0, name, 0);
  };
  fstWriterSetScope(writer, FST_ST_VCD_SCOPE, std::to_string(index).c_str(), nullptr);
  const Lane lane{.free_from = {},
                  .busy = wire(1, "busy"),
                  .command = words("command"),
                  .address = wire(64, "address"),
                  .bytes = wire(32, "bytes"),
                  .response = words("response")};
  fstWriterSetUpscope(writer);
  return lane;
}

// Assigns each transaction to the first lane of its master that is free at its start; sets how many lanes
// each master needs.
std::vector<std::size_t> distribute(const std::vector<const TracedTransaction*>& in_order,
                                    std::vector<std::size_t>& needed) {
  std::vector<std::vector<Picoseconds>> free_from(needed.size());
  std::vector<std::size_t> lanes;
  for (const TracedTransaction* t : in_order) {
    auto& of_master = free_from[t->master];
    auto free = std::ranges::find_if(of_master, [t](Picoseconds at) { return at <= t->start; });
    if (free == of_master.end()) free = of_master.insert(free, Picoseconds());
    *free = t->end;
    lanes.push_back(static_cast<std::size_t>(free - of_master.begin()));
    needed[t->master] = of_master.size();
  }
  return lanes;
}

}  // namespace

void write_fst(const TransactionTrace& trace, const std::filesystem::path& file) {
  std::vector<const TracedTransaction*> in_order;
  for (const TracedTransaction& t : trace.transactions) in_order.push_back(&t);
  std::ranges::stable_sort(in_order, {},
                           [](const TracedTransaction* t) { return std::tie(t->start, t->end); });
  std::vector<std::size_t> needed(trace.masters.size());
  const std::vector<std::size_t> lane_of = distribute(in_order, needed);

  const Writer writer(fstWriterCreate(file.c_str(), 1));
  if (!writer) throw TransactionTraceError(fmt::format("{} cannot be written", file.string()));
  fstWriterSetDate(writer.get(), "simulated");
  fstWriterSetVersion(writer.get(), "asterism");
  fstWriterSetTimescale(writer.get(), -12);
  fstWriterSetPackType(writer.get(), FST_WR_PT_LZ4);
  std::vector<std::vector<Lane>> lanes(trace.masters.size());
  for (std::size_t master = 0; master < lanes.size(); ++master) {
    fstWriterSetScope(writer.get(), FST_ST_VCD_SCOPE, trace.masters[master].c_str(), nullptr);
    for (std::size_t i = 0; i < needed[master]; ++i) lanes[master].push_back(make_lane(writer.get(), i));
    fstWriterSetUpscope(writer.get());
  }
  std::vector<Change> changes;
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    const TracedTransaction* t = in_order[i];
    const Lane* lane = &lanes[t->master][lane_of[i]];
    changes.push_back({t->start, true, t, lane});
    changes.push_back({t->end, false, t, lane});
  }
  // A transaction that takes no time starts and ends at the same time, so that only its values are visible.
  std::ranges::stable_sort(changes, {}, [](const Change& c) {
    return std::tuple(c.at, c.is_start && c.transaction->start != c.transaction->end);
  });
  fstWriterEmitTimeChange(writer.get(), 0);
  for (const auto& of_master : lanes)
    for (const Lane& lane : of_master) emit(writer.get(), lane.busy, 0, 1);
  std::uint64_t now = 0;
  for (const auto& [at, is_start, t, lane] : changes) {
    if (at.count() != now) fstWriterEmitTimeChange(writer.get(), now = at.count());
    emit(writer.get(), lane->busy, is_start ? 1 : 0, 1);
    if (is_start) {
      emit(writer.get(), lane->command, name_of(t->command));
      emit(writer.get(), lane->address, t->address.value(), 64);
      emit(writer.get(), lane->bytes, t->length, 32);
    } else {
      emit(writer.get(), lane->response, name_of(t->response));
    }
  }
}

}  // namespace asterism
