#include "dimm_ssd/kept_memory.h"

#include <utility>

namespace asterism {

KeptMemory::KeptMemory(DimmSsd& ssd, AddressRange pages) : ssd_(ssd) {
  request_.name = "memory";
  for (Address page = pages.first; page != pages.first + pages.size; page += DimmSsd::memory_page)
    request_.pages.push_back(page);
  request_.page_count = static_cast<std::uint32_t>(request_.pages.size());
}

void KeptMemory::restore(Picoseconds now, MemoryKeeper::Ended ended) {
  tasks_.push_back({true, std::move(ended)});
  if (tasks_.size() == 1) start(now);
}

void KeptMemory::save(Picoseconds now, MemoryKeeper::Ended ended) {
  tasks_.push_back({false, std::move(ended)});
  if (tasks_.size() == 1) start(now);
}

void KeptMemory::start(Picoseconds now) {
  Task& task = tasks_.front();
  is_found_ = false;
  if (task.restores) return command(now, DimmSsd::Operation::find, ~std::uint64_t{0});
  task.version = ++newest_;
  command(now, DimmSsd::Operation::checkpoint, task.version);
}

void KeptMemory::command(Picoseconds now, DimmSsd::Operation operation, std::uint64_t version) {
  RequestDescriptor request = request_;
  request.version = version;
  if (operation == DimmSsd::Operation::find) request.pages.clear();
  ssd_.command(now, operation, std::move(request));
}

void KeptMemory::completed(Picoseconds now) {
  if (tasks_.empty()) return;
  const Task& task = tasks_.front();
  const bool ok = ssd_.error() == DimmSsd::Error::none;
  if (!task.restores) {
    // With some methods the command ends before the version is durable.
    if (!ok || ssd_.durable_version() >= task.version) end(now, ok);
  } else if (is_found_) {
    end(now, ok);
  } else if (ssd_.error() == DimmSsd::Error::not_found) {
    end(now, true);
  } else if (!ok) {
    end(now, false);
  } else {
    is_found_ = true;
    newest_ = ssd_.result_version();
    command(now, DimmSsd::Operation::restore, newest_);
  }
}

void KeptMemory::durable(Picoseconds now, std::uint64_t version) {
  if (!tasks_.empty() && !tasks_.front().restores && version == tasks_.front().version && !ssd_.busy())
    end(now, true);
}

void KeptMemory::failed(Picoseconds now, std::uint64_t version) {
  if (!tasks_.empty() && !tasks_.front().restores && version <= tasks_.front().version) end(now, false);
}

void KeptMemory::end(Picoseconds now, bool ok) {
  const MemoryKeeper::Ended ended = std::move(tasks_.front().ended);
  tasks_.pop_front();
  if (!tasks_.empty()) start(now);
  ended(ok);
}

void KeptMemory::reset() { tasks_.clear(); }

}  // namespace asterism
