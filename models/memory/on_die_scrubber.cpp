#include "memory/on_die_scrubber.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace asterism {

OnDieWords::OnDieWords(EccMemory& memory) : memory_(memory), ranks_(memory.geometry().ranks) { clear(); }

void OnDieWords::clear() {
  const std::size_t chips = std::size_t{memory_.geometry().channels} * ranks_ * ddr5_chips;
  for (Pass* pass : {&current_, &last_}) *pass = {0, std::vector<Chip>(chips)};
}

void OnDieWords::scrub(Picoseconds, std::uint64_t number) {
  const std::uint64_t pass = number / blocks(), word = number % blocks();
  if (pass != current_.number) {
    std::swap(current_, last_);
    current_.number = pass;
    std::ranges::fill(current_.chips, Chip{});
  }
  const std::uint64_t row = word / memory_.die_words().of_row;
  for (const DieWordErrors& found : memory_.scrub_die_word(word))
    for (std::uint32_t chips = found.corrected | found.left; chips != 0; chips &= chips - 1) {
      const auto chip = static_cast<std::uint32_t>(std::countr_zero(chips));
      Chip& counts = current_.chips[place(found.channel, found.rank, chip)];
      counts.row_errors = counts.row == row ? counts.row_errors + 1 : 1;
      counts.row = row;
      ++counts.result.errors;
      if (counts.row_errors <= counts.result.row_errors) continue;
      const BlockLocation at = memory_.die_words().first_block(word);
      counts.result.row_errors = counts.row_errors;
      counts.result.bank = at.bank;
      counts.result.row = at.row;
    }
}

OnDieScrubResult OnDieWords::result(std::uint64_t pass, const BlockLocation& of_rank,
                                    std::uint32_t chip) const {
  for (const Pass* known : {&current_, &last_})
    if (known->number == pass) return known->chips[place(of_rank.channel, of_rank.rank, chip)].result;
  return {};  // there was no error in it
}

OnDieScrubber::OnDieScrubber(EccMemory& memory, Picoseconds time)
    : time_(time), words_(memory), scrubber_(words_, time, words_.blocks()) {}

OnDieScrubResult OnDieScrubber::result(Picoseconds now, const BlockLocation& of_rank,
                                       std::uint32_t chip) const {
  const std::uint64_t passes = scrubber_.passes(now);
  return passes == 0 ? OnDieScrubResult{} : words_.result(passes - 1, of_rank, chip);
}

void OnDieScrubber::start(Picoseconds now) { scrubber_.set_interval(now, time_); }

void OnDieScrubber::reset(Reset kind) {
  if (kind == Reset::warm) return;
  scrubber_.reset(kind);
  words_.clear();
}

}  // namespace asterism
