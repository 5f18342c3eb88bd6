#include "cosim/rtl_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cosim/rtl_trace.h"

namespace asterism {

namespace fs = std::filesystem;

RtlRecorder::RtlRecorder(const RtlInstance& instance, const Settings& settings)
    : instance_(instance), settings_(settings) {
  const auto ports = instance.library().ports();
  for (std::uint32_t index = 0; index < ports.size(); ++index) {
    if (ports[index].direction != ASTERISM_RTL_INPUT || *ports[index].role == '\0') continue;
    const RtlPort port = instance.port_at(index);
    for (std::uint32_t word = 0; word < port.words(); ++word) inputs_.push_back({index, port, word});
  }
  const std::size_t row = row_size() * sizeof(std::uint64_t);
  most_ = std::max<std::size_t>(1, settings.memory.count() / 2 / row);
  fewest_ = std::min(settings.fewest, most_);
  restart();
}

void RtlRecorder::begin(Generation& generation) {
  instance_.save(generation.snapshot);
  generation.log.clear();
  generation.rows = 0;
}

void RtlRecorder::restart() {
  has_older_ = false;
  begin(newer_);
}

void RtlRecorder::begin_another() {
  std::swap(older_, newer_);
  has_older_ = true;
  begin(newer_);
}

void RtlRecorder::play(RtlInstance& instance, const Generation& generation, Picoseconds from) const {
  std::vector<RtlPort> ports;
  for (const Input& input : inputs_) ports.push_back(instance.port_at(input.index));
  for (std::size_t row = 0; row < generation.rows; ++row) {
    const std::uint64_t* values = &generation.log[row * row_size()];
    const Picoseconds at(values[0]);
    const std::uint64_t cycles = values[1];
    for (std::size_t i = 0; i < inputs_.size(); ++i) ports[i].set(values[2 + i], inputs_[i].word);
    const Picoseconds end = at + settings_.period * (cycles == 0 ? 0 : cycles - 1);
    if (end < from) {
      instance.run(cycles);
    } else if (cycles == 0) {
      instance.settle();
      instance.trace(at.count());
    } else {  // of a long run only the first and the last cycle
      traced_cycle(instance, at, settings_.period);
      if (cycles > 2) instance.run(cycles - 2);
      if (cycles > 1) traced_cycle(instance, end, settings_.period);
    }
  }
}

std::vector<std::pair<Picoseconds, RtlRecorder::Remark>> RtlRecorder::remarks() const {
  std::vector<std::pair<Picoseconds, Remark>> all;
  if (!settings_.has_remarks) return all;
  for (const Generation* generation : {&older_, &newer_}) {
    if (generation == &older_ && !has_older_) continue;
    for (std::size_t row = 0; row < generation->rows; ++row) {
      const std::uint64_t* values = &generation->log[row * row_size()];
      const Picoseconds half(values[1] == 0 ? 0 : std::min(values[0], settings_.period.count() / 2));
      const std::uint64_t* remark = values + 2 + inputs_.size();
      all.emplace_back(Picoseconds(values[0]) - half, Remark{remark[0], remark[1]});
    }
  }
  return all;
}

void RtlRecorder::write(const fs::path& file, Picoseconds window) const {
  const Generation& last = newer_.rows == 0 && has_older_ ? older_ : newer_;
  if (last.rows == 0) throw RtlError(fmt::format("{}: nothing has happened yet", instance_.name()));
  const std::uint64_t* row = &last.log[(last.rows - 1) * row_size()];
  const std::uint64_t end = row[0] + (row[1] == 0 ? 0 : row[1] - 1) * settings_.period.count();
  const Picoseconds from(end - std::min(end, window.count()));

  const fs::path unfinished = file.string() + ".part";
  {
    RtlInstance again(instance_.shared_library(), instance_.name());
    again.restore(has_older_ ? older_.snapshot : newer_.snapshot);
    again.trace_open(unfinished);
    try {
      if (has_older_) play(again, older_, from);
      play(again, newer_, from);
    } catch (const RtlError&) {  // it ends itself as it did before
    }
  }
  std::error_code error;
  fs::rename(unfinished, file, error);
  if (!error) return;
  const std::string reason = error.message();
  fs::remove(unfinished, error);
  throw RtlError(
      fmt::format("{}: the trace {} cannot be written: {}", instance_.name(), file.string(), reason));
}

}  // namespace asterism
