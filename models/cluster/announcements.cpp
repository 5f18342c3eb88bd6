#include "cluster/announcements.h"

#include <string>

#include "cluster/message.h"

namespace asterism {

namespace {

constexpr std::string_view source = "cluster";

}  // namespace

bool Announcements::Kind::is_new(std::uint32_t of_epoch, std::uint64_t number) {
  if (count > 0 && epoch == of_epoch && version == number) return false;
  *this = {of_epoch, number, count + 1};
  return true;
}

void Announcements::observe(const Frame& frame) {
  const auto message = Message::decode_header(frame.payload);
  if (!message || (message->kind != MessageKind::commit && message->kind != MessageKind::restore &&
                   message->kind != MessageKind::resume))
    return;
  const Membership& membership = management_.membership();
  if (message->epoch != membership.epoch || membership.rank_of(frame.source) != 0) return;
  const std::uint64_t version = message->number;
  const Picoseconds now = event_queue_.now();
  if (message->kind == MessageKind::commit) {
    if (commits_.is_new(message->epoch, version))
      events_.record(now, source, "checkpoint_commit", {{"version", version}});
  } else if (message->kind == MessageKind::restore) {
    if (rollbacks_.is_new(message->epoch, version))
      events_.record(now, source, "rollback",
                     {{"version", version}, {"epoch", std::uint64_t{message->epoch}}});
  } else if (recoveries_.is_new(message->epoch, version)) {
    events_.record(now, source, "recovery", {{"version", version}, {"from", std::string("cluster")}});
  }
}

void Announcements::mark(NodeNumber node, Rank rank, RankMark mark, std::uint64_t number) {
  const bool is_own = mark == RankMark::dumped || (mark == RankMark::restored && number != 0);
  if (rank == no_rank || (!is_own && mark != RankMark::held_twice)) return;
  const Membership& membership = management_.membership();
  const NodeNumber holder = is_own ? node : membership.node_of_rank[membership.buddy_of(rank)];
  events_.record(event_queue_.now(), source, "copy_held",
                 {{"rank", std::uint64_t{rank}}, {"version", number}, {"node", std::uint64_t{holder}}});
}

}  // namespace asterism
