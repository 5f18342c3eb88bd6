#include "nic/nic_engine.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace asterism {
namespace {

std::uint64_t little_endian(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return value;
}

void put_little_endian(std::span<std::byte> bytes, std::uint64_t value) {
  for (std::byte& byte : bytes) {
    byte = static_cast<std::byte>(value);
    value >>= 8;
  }
}

// The number of bytes from an address to the end of its page.
std::uint64_t left_of_page(Address from) { return NicEngine::page - from.value() % NicEngine::page; }

}  // namespace

// ---- operations of software ----

void NicEngine::open(Picoseconds now, Ring ring, Address base, std::uint32_t entries) {
  State& state = at(ring);
  if (state.stopped) return;
  const std::uint64_t alignment = ring == Ring::receive ? page : descriptor_size;
  if (state.entries != 0 || !std::has_single_bit(entries) || entries < min_entries || entries > max_entries ||
      base.value() % alignment != 0)
    return fail(ring, Error::bad_ring);
  state.base = base;
  state.entries = entries;
  wake(now);
}

// Frames that the ring has passed to the network are sent; an access to memory in progress is abandoned. A
// received frame that was being written remains the first waiting frame.
void NicEngine::clear(Picoseconds now, Ring ring) {
  State& state = at(ring);
  const std::uint64_t foreign = state.foreign + state.in_queue;
  state = State{.base = {}, .foreign = foreign};
  if (fetch_ && ring_of(fetch_->queue) == ring) {
    reads_.abandon();
    fetch_.reset();
  }
  if (ring == Ring::receive && store_) {
    writes_.abandon();
    store_.reset();
  }
  if (std::ranges::none_of(rings_, &State::stopped)) error_ = Error::none;
  wake(now);
}

void NicEngine::set_head(Picoseconds now, SendQueue queue, std::uint32_t head) {
  State& state = at(ring_of(queue));
  if (state.stopped) return;
  if (head >= state.entries) return fail(ring_of(queue), Error::bad_ring);
  state.head = head;
  wake(now);
}

void NicEngine::set_tail(Picoseconds now, std::uint32_t tail) {
  State& state = at(Ring::receive);
  if (state.stopped) return;
  if (tail >= state.entries) return fail(Ring::receive, Error::bad_ring);
  state.tail = tail;
  wake(now);
}

void NicEngine::fail(Ring ring, Error error) {
  at(ring).stopped = true;
  error_ = error;
  ++errors_;
  sink_.ring_stopped();
}

// ---- events of the network ----

void NicEngine::receive(Picoseconds now, Frame frame) {
  if (!powered_ || waiting_.size() >= max_waiting) {
    ++dropped_;
    if (powered_ && !std::exchange(overflowed_, true)) sink_.overflowed();
    return;
  }
  waiting_.push_back(std::move(frame));
  max_waiting_ = std::max(max_waiting_, waiting_.size());
  wake(now);
}

void NicEngine::update(Picoseconds now) {
  bool moved = false;
  for (const SendQueue queue : {SendQueue::application, SendQueue::checkpoint}) {
    State& state = at(ring_of(queue));
    const std::uint64_t waiting = sink_.waiting(queue), outstanding = state.foreign + state.in_queue;
    if (waiting >= outstanding) continue;
    std::uint64_t gone = outstanding - waiting;
    const std::uint64_t foreign = std::min(gone, state.foreign);
    state.foreign -= foreign;
    gone -= foreign;
    state.in_queue -= gone;
    if (gone != 0) state.tail = static_cast<std::uint32_t>((state.tail + gone) % state.entries);
    moved |= gone != 0;
  }
  if (moved) sink_.send_tail_moved();
  wake(now);
}

// ---- sending ----

bool NicEngine::is_ready(SendQueue queue) const {
  const State& state = at(ring_of(queue));
  return state.entries != 0 && !state.stopped && state.next != state.head &&
         state.foreign + state.in_queue < frames_ahead;
}

void NicEngine::begin(Picoseconds now) {
  if (!fetch_) {
    const SendQueue other = last_ == SendQueue::application ? SendQueue::checkpoint : SendQueue::application;
    if (is_ready(other))
      begin_fetch(now, other);
    else if (is_ready(last_))
      begin_fetch(now, last_);
  }
  if (!store_) begin_store(now);
}

void NicEngine::begin_fetch(Picoseconds now, SendQueue queue) {
  const State& state = at(ring_of(queue));
  last_ = queue;
  fetch_.emplace(Fetch{.queue = queue, .access = {}, .data = {}, .descriptor = {}, .payload = {}});
  read(now, state.base + Bytes(state.next * descriptor_size), fetch_->descriptor);
}

void NicEngine::read(Picoseconds now, Address from, std::span<std::byte> to) {
  fetch_->access = {};
  reads_.read(now, from, Bytes(to.size()), [this, to](const AccessEnd& end) {
    if (end.ok) std::ranges::copy(end.data, to.begin());
    fetch_->access = {end.at, end.ok};
  });
}

// A read access has ended.
void NicEngine::fetched(Picoseconds now) {
  Fetch& fetch = *fetch_;
  if (!fetch.access.ok || (fetch.payload.empty() && !decode(fetch))) {
    fail(ring_of(fetch.queue), fetch.access.ok ? Error::bad_descriptor : Error::no_memory);
    fetch_.reset();
    return;
  }
  if (fetch.done < fetch.payload.size()) return fetch_more(now);
  State& state = at(ring_of(fetch.queue));
  state.next = (state.next + 1) % state.entries;
  ++state.in_queue;
  const auto queue = static_cast<std::size_t>(fetch.queue);
  ++sent_[queue];
  bytes_sent_[queue] += fetch.payload.size();
  Fetch whole = std::move(fetch);
  fetch_.reset();
  sink_.transmit(whole.queue, whole.destination, std::move(whole.payload));
  update(now);
}

bool NicEngine::decode(Fetch& fetch) {
  const std::span<const std::byte> bytes = fetch.descriptor;
  const std::uint64_t length = little_endian(bytes.subspan(8, 4));
  fetch.data = Address(little_endian(bytes.first(8)));
  fetch.destination = static_cast<NodeNumber>(little_endian(bytes.subspan(12, 4)));
  if (length == 0 || length > Frame::max_payload || fetch.destination >= nodes_) return false;
  fetch.payload.resize(length);
  return true;
}

void NicEngine::fetch_more(Picoseconds now) {
  Fetch& fetch = *fetch_;
  const Address from = fetch.data + Bytes(fetch.done);
  const std::uint64_t size = std::min(fetch.payload.size() - fetch.done, left_of_page(from));
  const std::span<std::byte> part = std::span(fetch.payload).subspan(fetch.done, size);
  fetch.done += size;
  read(now, from, part);
}

// ---- receiving ----

void NicEngine::begin_store(Picoseconds now) {
  const State& state = at(Ring::receive);
  if (waiting_.empty() || state.entries == 0 || state.stopped ||
      (state.head + 1) % state.entries == state.tail)
    return;
  const Frame& frame = waiting_.front();
  Store store{.access = {}, .slot = std::vector<std::byte>(slot_header)};
  const std::span<std::byte> header = store.slot;
  put_little_endian(header.first(4), frame.source);
  put_little_endian(header.subspan(4, 4), frame.payload.size());
  store.slot.insert(store.slot.end(), frame.payload.begin(), frame.payload.end());
  store_ = std::move(store);
  store_more(now);
}

void NicEngine::store_more(Picoseconds now) {
  const State& state = at(Ring::receive);
  Store& store = *store_;
  const std::uint64_t size = std::min(store.slot.size() - store.done, page);
  const Address to = state.base + Bytes(state.head * slot_size + store.done);
  const auto data = std::span(store.slot).subspan(store.done, size);
  store.access = {};
  store.done += size;
  writes_.write(now, to, data, [this](const AccessEnd& end) { store_->access = {end.at, end.ok}; });
}

void NicEngine::stored(Picoseconds now) {
  if (!store_->access.ok) {
    fail(Ring::receive, Error::no_memory);
    store_.reset();
    return;
  }
  if (store_->done < store_->slot.size()) return store_more(now);
  State& state = at(Ring::receive);
  state.head = (state.head + 1) % state.entries;
  ++received_;
  bytes_received_ += waiting_.front().payload.size();
  waiting_.pop_front();
  store_.reset();
  sink_.receive_head_moved();
}

// ---- time ----

void NicEngine::wake(Picoseconds now) {
  if (powered_ && (!wake_at_ || now < *wake_at_)) wake_at_ = now;
}

std::optional<Picoseconds> NicEngine::next_event() const {
  std::optional<Picoseconds> next = wake_at_;
  if (fetch_) next = earlier(next, fetch_->access.ended_at);
  if (store_) next = earlier(next, store_->access.ended_at);
  return next;
}

void NicEngine::advance_to(Picoseconds now) {
  for (auto next = next_event(); next && *next <= now; next = next_event()) {
    if (wake_at_ && *wake_at_ <= *next) wake_at_.reset();
    if (fetch_ && fetch_->access.is_over(*next)) fetched(*next);
    if (store_ && store_->access.is_over(*next)) stored(*next);
    begin(*next);
  }
}

void NicEngine::reset(Reset kind) {
  rings_ = {};
  error_ = Error::none;
  dropped_ += waiting_.size();
  waiting_.clear();
  overflowed_ = false;
  reads_.abandon();
  writes_.abandon();
  fetch_.reset();
  store_.reset();
  wake_at_.reset();
  last_ = SendQueue::checkpoint;
  if (kind == Reset::power_loss) powered_ = false;
}

void NicEngine::report(Statistics& statistics) const {
  for (const std::size_t queue : {0u, 1u}) {
    Statistics& group = statistics.group(queue == 0 ? "application" : "checkpoint");
    group.add("frames_sent", sent_[queue]);
    group.add("sent", Bytes(bytes_sent_[queue]));
  }
  statistics.add("frames_received", received_);
  statistics.add("received", Bytes(bytes_received_));
  statistics.add("frames_dropped", dropped_);
  statistics.add("max_frames_waiting", std::uint64_t{max_waiting_});
  statistics.add("ring_errors", errors_);
}

}  // namespace asterism
