#include "cluster/copy_sender.h"

#include <algorithm>

namespace asterism {

namespace {

SendQueue queue_of(MessageKind kind) {
  return kind == MessageKind::state ? SendQueue::application : SendQueue::checkpoint;
}

}  // namespace

void CopySender::start(MessageKind kind, Rank to, Rank owner, std::uint64_t version, CopyPlace from) {
  const SendQueue queue = queue_of(kind);
  auto& streams = streams_[static_cast<std::size_t>(queue)];
  const Stream stream{.kind = kind, .to = to, .owner = owner, .version = version, .from = from};
  // Global copies are sent last.
  const auto first_global =
      std::ranges::find_if(streams, [](const Stream& s) { return s.kind == MessageKind::global; });
  streams.insert(kind == MessageKind::global ? streams.end() : first_global, stream);
  pump(queue);
}

void CopySender::pump(SendQueue queue) {
  auto& streams = streams_[static_cast<std::size_t>(queue)];
  while (!streams.empty()) {
    const std::size_t max_queued = streams.front().kind == MessageKind::global ? global_window : window;
    if (services_.waiting(queue) + reading_[static_cast<std::size_t>(queue)] >= max_queued) return;
    if (!send_part(streams.front(), queue)) streams.erase(streams.begin());
  }
}

// Returns false after the last part.
bool CopySender::send_part(Stream& stream, SendQueue queue) {
  const StateCopy* copy = copies_.find_valid(stream.owner, stream.version);
  if (!copy) return false;
  const std::uint64_t offset = stream.next,
                      size = std::min<std::uint64_t>(Message::max_data, copy->bytes.size() - offset);
  stream.next += size;
  if (stream.from == CopyPlace::ssd) {
    std::size_t& reading = reading_[static_cast<std::size_t>(queue)];
    ++reading;
    services_.at(services_.occupy(stream.from, CopyAccess::read, Bytes(size)),
                 [this, sent = stream, offset, queue, &reading] {
                   --reading;
                   send(sent, offset, queue);
                 });
  } else {
    send(stream, offset, queue);
  }
  return stream.next < copy->bytes.size();
}

void CopySender::send(const Stream& stream, std::uint64_t offset, SendQueue queue) {
  const StateCopy* copy = copies_.find_valid(stream.owner, stream.version);
  if (!copy) return;
  const std::span<const std::byte> bytes(copy->bytes);
  const std::uint64_t size = std::min<std::uint64_t>(Message::max_data, bytes.size() - offset);
  services_.send({.kind = stream.kind,
                  .to = stream.to,
                  .number = stream.version,
                  .offset = offset,
                  .total = bytes.size(),
                  .owner = stream.owner},
                 bytes.subspan(offset, size), queue);
}

void CopySender::clear() {
  for (auto& streams : streams_) streams.clear();
  reading_ = {};
}

}  // namespace asterism
