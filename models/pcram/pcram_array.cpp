#include "pcram/pcram_array.h"

#include <algorithm>
#include <stdexcept>

#include "base/random.h"

namespace asterism {
namespace {

constexpr std::uint64_t spread = 10;  // a tenth of the rating, either way

}  // namespace

PcramArray::PcramArray(const PcramPart& part, std::unique_ptr<PcramTiming> timing, bool suppress_redundant)
    : part_(part), timing_(std::move(timing)), suppress_(suppress_redundant) {}

// ---- requests ----

void PcramArray::check(std::uint64_t first, std::uint64_t lines) const {
  if (first > timing_->lines() || lines > timing_->lines() - first)
    throw std::out_of_range("no such line in the PCRAM");
}

std::uint64_t PcramArray::endurance_of(std::uint64_t number) const {
  if (part_.endurance == 0) return ~std::uint64_t{0};
  const std::uint64_t width = part_.endurance / spread;
  return part_.endurance - width + Random(number).at(0) % (2 * width + 1);
}

void PcramArray::occupied(Picoseconds now, Picoseconds until) {
  const Picoseconds from = std::max(now, busy_until_);
  if (until <= from) return;
  busy_ += until - from;
  busy_until_ = until;
}

void PcramArray::write(Picoseconds now, std::uint64_t first, std::span<const std::byte> data, Tag tag) {
  const std::uint64_t lines = data.size() / line.count();
  if (data.size() % line.count() != 0) throw std::invalid_argument("PCRAM is written in whole lines");
  check(first, lines);
  Picoseconds end = now;
  End request{.tag = tag, .worn = 0, .read = {}, .data = {}};
  for (std::uint64_t i = 0; i < lines; ++i) {
    const LineWrite written = write_line(now, first + i, data.subspan(i * 64).first<64>());
    request.worn += written.is_lost;
    end = std::max(end, written.times.end);
  }
  ends_.emplace(end, std::move(request));
}

PcramArray::LineWrite PcramArray::write_line(Picoseconds now, std::uint64_t number,
                                             std::span<const std::byte, 64> data) {
  check(number, 1);
  PcramCells::Line& cells = cells_.line(number);
  const PcramWord word = PcramWord::encode(data);
  const auto cells_to = [&](auto f) { return asterism::count(combine(word, cells.word, f)); };
  std::uint32_t set = 0, reset = 0;
  if (suppress_) {
    set = cells_to([](std::uint64_t next, std::uint64_t old) { return next & ~old; });
    reset = cells_to([](std::uint64_t next, std::uint64_t old) { return ~next & old; });
  } else {
    set = asterism::count(word);
    reset = static_cast<std::uint32_t>(PcramPart::word_cells) - set;
  }
  const bool is_worn = set + reset != 0 && cells.wear >= endurance_of(number);
  if (is_worn) ++counts_.lines_worn;
  const PcramTiming::Write times = timing_->write(now, number, {set != 0, reset != 0}, suppress_);
  occupied(now, times.end);
  ++counts_.lines_written;
  if (set + reset == 0) ++counts_.lines_redundant;
  if (set + reset == 0 || is_worn) return {times, is_worn && word != cells.word};
  pulsed_.push_back({number, times.pulses, times.end, cells.word, static_cast<std::uint16_t>(set),
                     static_cast<std::uint16_t>(reset)});
  cells.word = word;
  ++cells.wear;
  return {times, false};
}

void PcramArray::read(Picoseconds now, std::uint64_t first, std::uint64_t lines, Tag tag) {
  check(first, lines);
  Picoseconds end = now;
  End request{.tag = tag, .worn = 0, .read = Read{}, .data = {}};
  request.data.reserve(lines * line.count());
  for (std::uint64_t i = 0; i < lines; ++i) {
    const LineRead read = read_line(now, first + i);
    end = std::max(end, read.end);
    request.data.insert(request.data.end(), read.line.bytes.begin(), read.line.bytes.end());
    request.read->corrected += read.line.corrected;
    request.read->uncorrectable += read.line.uncorrectable;
  }
  ends_.emplace(end, std::move(request));
}

PcramArray::LineRead PcramArray::read_line(Picoseconds now, std::uint64_t number) {
  check(number, 1);
  const LineRead read{timing_->read(now, number), cells().line(number).word.decode()};
  ++counts_.lines_read;
  counts_.corrected += read.line.corrected;
  counts_.uncorrectable += read.line.uncorrectable;
  occupied(now, read.end);
  return read;
}

// ---- time ----

std::optional<Picoseconds> PcramArray::next_event() const {
  if (ends_.empty()) return std::nullopt;
  return ends_.begin()->first;
}

void PcramArray::advance_to(Picoseconds now, Sink& sink) {
  now_ = std::max(now_, now);
  retire(now);
  while (!ends_.empty() && ends_.begin()->first <= now) {
    auto ended = ends_.extract(ends_.begin());
    End& request = ended.mapped();
    if (!request.read) {
      sink.written(ended.key(), request.tag, request.worn);
      continue;
    }
    request.read->data = request.data;
    sink.read_done(ended.key(), request.tag, *request.read);
  }
}

void PcramArray::retire(Picoseconds now) {
  while (!pulsed_.empty() && pulsed_.front().end <= now) {
    count(pulsed_.front());
    pulsed_.pop_front();
  }
}

void PcramArray::count(const Pulsed& pulsed) {
  counts_.set_cells += pulsed.set;
  counts_.reset_cells += pulsed.reset;
}

// ---- reset ----

// The requests given last are undone first.
void PcramArray::reset(Reset) {
  retire(now_);
  for (; !pulsed_.empty(); pulsed_.pop_back()) interrupt(pulsed_.back());
  ends_.clear();
  if (busy_until_ > now_) busy_ -= busy_until_ - now_;
  busy_until_ = now_;
  timing_->reset();
}

void PcramArray::finish() {
  for (; !pulsed_.empty(); pulsed_.pop_front()) count(pulsed_.front());
}

void PcramArray::interrupt(const Pulsed& pulsed) {
  if (pulsed.end <= now_) return count(pulsed);
  PcramCells::Line& cells = cells_.line(pulsed.number);
  if (pulsed.begin >= now_) {
    cells.word = pulsed.before;
    --cells.wear;
    return;
  }
  const Picoseconds elapsed = now_ - pulsed.begin;
  const PcramWord after = cells.word;
  Random coins(pulsed.number ^ now_.count() * 0x9E3779B97F4A7C15u);
  const bool is_reset = elapsed >= timing_->reset_pulse(), is_set = elapsed >= timing_->set();
  cells.word = combine(pulsed.before, after, [&](std::uint64_t old, std::uint64_t next) {
    const std::uint64_t done = ((~next & old) & (is_reset ? ~std::uint64_t{0} : 0)) |
                               ((next & ~old) & (is_set ? ~std::uint64_t{0} : 0)) |
                               ((next ^ old) & coins.next());
    return (old & ~done) | (next & done);
  });
  ++counts_.lines_torn;
  count(pulsed);
}

void PcramArray::report(Statistics& statistics) const {
  statistics.add("lines_read", counts_.lines_read);
  statistics.add("lines_written", counts_.lines_written);
  statistics.add("lines_redundant", counts_.lines_redundant);
  statistics.add("lines_torn", counts_.lines_torn);
  statistics.add("lines_worn", counts_.lines_worn);
  statistics.add("set_cells", counts_.set_cells);
  statistics.add("reset_cells", counts_.reset_cells);
  statistics.add("corrected_parts", counts_.corrected);
  statistics.add("uncorrectable_parts", counts_.uncorrectable);
  statistics.add("max_wear", cells_.max_wear());
  statistics.add("busy", busy_);
  statistics.add("write_energy_pj", write_energy().count());
  statistics.add("leakage_energy_pj", scale(timing_->leakage().count(), busy_.count(), 1'000'000));
  timing_->report(statistics);
}

}  // namespace asterism
