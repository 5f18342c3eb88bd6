// What the nodes of a cluster say to each other: a header of 48 bytes, little-endian, and data behind it. The firmware's side
// is sw/cluster/message.h; both read and write the same bytes.
//
//   offset  0  u32 kind      12  u32 from (rank)   24  u64 offset   40  u32 owner (rank)
//           4  u32 epoch     16  u64 number        32  u64 total    44  u32 zero
//           8  u32 to (rank)
//
// `to` and `from` are ranks, storage_rank for the global store. Frames are sent to nodes (membership.h).
//
// The application is a ring of ranks, in steps: all hold `words` u64; a step makes word i of rank r from the words i - 1, i and
// i + 1 before it, over the ring's whole length: the first and last words' neighbours come by halo (ring_program.h).
//
//   kind           number    what it carries; whose queue it waits in (a: application, c: checkpoint)
//   halo        a  step      8 bytes: the sender's edge word after `step` steps; offset 0: its last word, to the right neighbour;
//                            1: its first, to the left one
//   chunk       c  version   part of the owner's state, to its buddy: offset and total in bytes. A version is the step after
//                            which it was taken
//   stored      a  version   to the owner: its buddy holds all of it
//   complete    a  version   to rank 0: the sender's state is held twice
//   commit      a  version   from rank 0 to all: every rank's is; older versions may go
//   offer       a  count     to rank 0, at the beginning of an epoch: count of pairs u64 {owner, version} which the sender holds
//                            whole, of its own and of its ward's; from storage too
//   restore     a  version   from rank 0 to all: go back to it. Data: a byte a rank: bit 0: the rank lacks its state, bit 1: its
//                            buddy lacks the copy, bit 2: its state comes from storage. Version 0 is the beginning: all make
//                            their first state anew
//   fetch       a  version   to the buddy or to storage: send me the owner's state
//   state       a  version   the answer, in parts as chunk
//   ready       a  version   to rank 0: restored, and held twice
//   resume      a  version   from rank 0 to all: go on
//   global      c  version   part of the owner's state, to storage, as chunk
//   global_stored  a  version   storage's answer when it holds all of it
//   inventory   a  0         from rank 0 to storage: offer what you hold
//   traffic     a  step      bytes without meaning that the application sends besides; dropped
//
// What else both sides keep to:
//   - A frame whose epoch is not the receiver's is dropped, one that is for another rank, and a kind that there is not.
//   - Epoch 1 is the beginning: ranks make their first state and their first step, without offers. In a later one nobody steps
//     before `resume`; halos, chunks and fetches may come before `restore` and `resume` and are served.
//   - The parts of a copy come in order, from offset 0, which begins it anew. A rank that has a copy whole and gets its last
//     part says so again.
//   - A rank begins a new copy for its buddy only when it knows of its last one's commit. So the first part of version v tells
//     the buddy that of the older ones the newest is committed and the others may go; of newer ones, that all may.
//   - In recovery, a rank drops versions newer than that of `restore` when it gets it, older ones when it gets `resume`.
//   - There is no checkpoint after the last step.
//   - Global copies are those of versions v with v / interval % global_every == 0. Storage keeps the newest version that it
//     holds of every rank, and what is newer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cluster/membership.h"

namespace asterism {

constexpr Rank storage_rank = 0xffff'fffe;

enum class MessageKind : std::uint32_t {
  halo = 1,
  chunk,
  stored,
  complete,
  commit,
  offer,
  restore,
  fetch,
  state,
  ready,
  resume,
  global,
  global_stored,
  inventory,
  traffic
};
constexpr MessageKind last_message_kind = MessageKind::traffic;

struct Message {
  static constexpr std::size_t header_size = 48;
  static constexpr std::size_t max_data = 4096;

  MessageKind kind = MessageKind::halo;
  std::uint32_t epoch = 0;
  Rank to = 0, from = 0;
  std::uint64_t number = 0, offset = 0, total = 0;
  Rank owner = 0;
  std::vector<std::byte> data = {};

  std::vector<std::byte> encode() const { return encode(data); }
  std::vector<std::byte> encode(std::span<const std::byte> other_data) const;  // in the place of its own
  // nullopt: too short, or no kind of message.
  static std::optional<Message> decode(std::span<const std::byte> payload);
  // Without the data, which are all that follows the header.
  static std::optional<Message> decode_header(std::span<const std::byte> payload);
};

}  // namespace asterism
