#include "flash/nand_array.h"

#include <algorithm>
#include <stdexcept>

namespace asterism {

void NandArray::program(Picoseconds now, FlashAddress at, std::vector<std::byte> data, Tag tag) {
  if (data.size() != part_.page.count()) throw std::logic_error("a flash page is programmed whole");
  enqueue(now, {Kind::program, at, std::move(data), tag, order_++});
}
void NandArray::read(Picoseconds now, FlashAddress at, Tag tag) {
  enqueue(now, {Kind::read, at, {}, tag, order_++});
}
void NandArray::erase(Picoseconds now, std::uint32_t package, std::uint32_t block, Tag tag) {
  enqueue(now, {Kind::erase, {package, block, 0}, {}, tag, order_++});
}

void NandArray::enqueue(Picoseconds now, Operation operation) {
  packages_.at(operation.at.package).queue.push_back(std::move(operation));
  start_what_can_start(now);
}

// Operations start as far as stages are free. Starting one never frees another stage at the same instant,
// except that a program leaving the page register for the array frees the register: hence array before
// channel.
void NandArray::start_what_can_start(Picoseconds now) {
  for (Package& package : packages_) start_array(package, now);
  start_channel(now);
}

void NandArray::start_array(Package& package, Picoseconds now) {
  if (package.array.operation) return;
  Stage& reg = package.page_register;
  if (reg.operation && reg.operation->kind == Kind::program) {
    if (reg.done || package.at_channel) return;  // still arriving
    package.array = {std::move(reg.operation), now + part_.program};
    reg = {};
    return;
  }
  if (package.queue.empty()) return;
  Operation& next = package.queue.front();
  if (next.kind == Kind::program || (next.kind == Kind::read && reg.operation)) return;
  const Picoseconds time = next.kind == Kind::read ? part_.read : part_.erase;
  package.array = {std::move(next), now + time};
  package.queue.pop_front();
}

bool NandArray::wants_channel(const Package& package) const {
  const Stage& reg = package.page_register;
  if (reg.operation) return reg.operation->kind == Kind::read && !reg.done;
  if (package.queue.empty() || package.queue.front().kind != Kind::program) return false;
  if (!package.array.operation) return true;
  return part_.cache_register && package.array.operation->kind == Kind::program;
}

std::uint64_t NandArray::channel_age(const Package& package) const {
  return package.page_register.operation ? package.page_register.operation->order
                                         : package.queue.front().order;
}

void NandArray::start_channel(Picoseconds now) {
  if (channel_busy_) return;
  Package* oldest = nullptr;
  for (Package& package : packages_)
    if (wants_channel(package) && (!oldest || channel_age(package) < channel_age(*oldest))) oldest = &package;
  if (!oldest) return;
  Stage& reg = oldest->page_register;
  if (!reg.operation) {
    reg.operation = std::move(oldest->queue.front());
    oldest->queue.pop_front();
  }
  const Picoseconds time = transfer_time(part_.page, part_.bus);
  reg.done = now + time;
  channel_time_ += time;
  oldest->at_channel = channel_busy_ = true;
}

std::optional<Picoseconds> NandArray::next_event() const {
  std::optional<Picoseconds> next;
  for (const Package& package : packages_)
    next = earlier(next, earlier(package.array.done, package.page_register.done));
  return next;
}

void NandArray::advance_to(Picoseconds now, Sink& sink) {
  for (auto t = next_event(); t && *t <= now; t = next_event()) {
    for (Package& package : packages_) {
      if (package.array.done == t) finish_array(package, *t, sink);
      if (package.page_register.done == t) finish_channel(package, *t, sink);
    }
    start_what_can_start(*t);
  }
}

void NandArray::finish_array(Package& package, Picoseconds now, Sink& sink) {
  package.array.done.reset();
  Operation operation = *std::exchange(package.array.operation, std::nullopt);
  const FlashAddress at = operation.at;
  switch (operation.kind) {
    case Kind::program:
      if (image_.state(at) != FlashImage::PageState::erased ||
          image_.next_page(at.package, at.block) != at.page)
        throw std::logic_error("a flash page was programmed out of order or twice");
      image_.program(at, operation.data);
      ++programs_;
      sink.programmed(now, operation.tag);
      break;
    case Kind::erase:
      image_.erase(at.package, at.block);
      ++erases_;
      sink.erased(now, operation.tag);
      break;
    case Kind::read:
      ++reads_;
      package.page_register = {std::move(operation), std::nullopt};
      break;
  }
}

void NandArray::finish_channel(Package& package, Picoseconds now, Sink& sink) {
  Stage& reg = package.page_register;
  reg.done.reset();
  package.at_channel = channel_busy_ = false;
  if (reg.operation->kind == Kind::program) return sink.transferred(now, reg.operation->tag);
  const Operation operation = *std::exchange(reg.operation, std::nullopt);
  const bool readable = image_.state(operation.at) != FlashImage::PageState::torn;
  sink.read_done(now, operation.tag, readable ? image_.page(operation.at) : std::span<const std::byte>{});
}

void NandArray::reset(Reset) {
  for (Package& package : packages_) {
    if (package.array.operation) {
      const Operation& cut = *package.array.operation;
      if (cut.kind == Kind::program) image_.tear_program(cut.at, cut.data), ++torn_;
      if (cut.kind == Kind::erase) image_.tear_erase(cut.at.package, cut.at.block), ++torn_;
    }
    package = {};
  }
  channel_busy_ = false;
}

void NandArray::report(Statistics& statistics) const {
  statistics.add("page_reads", reads_);
  statistics.add("page_programs", programs_);
  statistics.add("block_erases", erases_);
  statistics.add("operations_torn", torn_);
  statistics.add("channel_busy", channel_time_);
  std::uint32_t most = 0;
  for (std::uint32_t p = 0; p < geometry().packages; ++p)
    for (std::uint32_t b = 0; b < geometry().blocks; ++b) most = std::max(most, image_.erase_count(p, b));
  statistics.add("erase_count_max", std::uint64_t{most});
}

}  // namespace asterism
