#include "dimm_ssd/checkpoint_log_pages.h"

namespace asterism {

void LogPages::clear() {
  pages_.assign(layer_.pages(), Page{});
  free_.clear();
  for (std::uint32_t page = layer_.pages(); page-- > roots;) free_.push_back(page);
  dying_ = 0;
}

std::uint32_t LogPages::take() {
  const std::uint32_t page = free_.back();
  free_.pop_back();
  pages_[page] = {.references = 1, .holders = 0, .in_flight = true};
  return page;
}

void LogPages::written(std::uint32_t page) {
  pages_[page].in_flight = false;
  if (pages_[page].references != 0) return;
  --dying_;
  give_back_unused(page);
}

void LogPages::release(std::uint32_t page) {
  if (--pages_[page].references != 0) return;
  if (pages_[page].in_flight) ++dying_;
  give_back_unused(page);
}

void LogPages::release_hold(std::uint32_t page) {
  --pages_[page].holders;
  give_back_unused(page);
}

void LogPages::refer(const CheckpointBody& body) {
  for (const LogEntry& entry : body.entries) refer(entry.data_page);
  for (const std::uint32_t page : body.metadata) refer(page);
}

void LogPages::release(const CheckpointBody& body) {
  for (const LogEntry& entry : body.entries) release(entry.data_page);
  for (const std::uint32_t page : body.metadata) release(page);
}

void LogPages::give_back_unused(std::uint32_t page) {
  const Page& use = pages_[page];
  if (use.references != 0 || use.holders != 0 || use.in_flight) return;
  layer_.trim(page);
  free_.push_back(page);
}

void LogPages::complete_recovery() {
  std::erase_if(free_, [this](std::uint32_t page) { return pages_[page].references != 0; });
}

void LogPages::trim_free() {
  for (const std::uint32_t page : free_)
    if (layer_.is_mapped(page)) layer_.trim(page);
}

}  // namespace asterism
