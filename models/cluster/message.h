// The messages between the nodes of a cluster: a header of 48 bytes, little-endian, followed by data. The
// firmware's implementation is sw/cluster/message.h; both use the same format.
//
//   offset  0  u32 kind      12  u32 from (rank)   24  u64 offset   40  u32 owner (rank)
//           4  u32 epoch     16  u64 number        32  u64 total    44  u32 zero
//           8  u32 to (rank)
//
// `to` and `from` are ranks, or storage_rank for the global store. Frames are addressed to nodes
// (membership.h).
//
// The application is a ring of ranks that computes in steps. Each rank holds `words` u64. A step computes
// word i from words i - 1, i and i + 1 of the previous step, along the whole ring: the neighbours of a rank's
// first and last words arrive as halos (ring_program.h).
//
// In this table the queue of a message is a (application) or c (checkpoint):
//
//   kind           queue  number    contents
//   halo           a      step      8 bytes: the sender's edge word after `step` steps. Offset 0: its last
//                                   word, to the right neighbour; offset 1: its first word, to the left one
//   chunk          c      version   part of the owner's state, to its buddy; offset and total in bytes. A
//                                   version is the number of the step after which it was taken
//   stored         a      version   to the owner: its buddy holds the whole copy
//   complete       a      version   to rank 0: the sender's state is held twice
//   commit         a      version   from rank 0 to all: every rank's state is held twice; older versions may
//                                   be dropped
//   offer          a      count     to rank 0 at the beginning of an epoch, also from storage: `count` pairs
//                                   of u64 {owner, version}, the valid copies that the sender holds of its
//                                   own state and of that of its protected rank
//   restore        a      version   from rank 0 to all: restore this version. The data have a byte for each
//                                   rank; bit 0: the rank lacks its state, bit 1: its buddy lacks the copy,
//                                   bit 2: its state comes from storage. Version 0 is the beginning: all
//                                   ranks make their initial state again
//   fetch          a      version   to the buddy or to storage: a request for the owner's state
//   state          a      version   the response to fetch, in parts like chunk
//   ready          a      version   to rank 0: the sender's state is restored and held twice
//   resume         a      version   from rank 0 to all: run the program from this version
//   global         c      version   part of the owner's state, to storage, like chunk
//   global_stored  a      version   from storage to the owner: storage holds the whole copy
//   inventory      a      0         from rank 0 to storage: a request for an offer
//   traffic        a      step      further application data, without meaning; firmware drops it. Offset
//                                   0: to the right neighbour, 1: to the left one
//
// Rules that both implementations follow:
//   - A frame is dropped if its epoch is not the receiver's, if it is addressed to another rank, or if its
//     kind is unknown.
//   - In epoch 1 the ranks make their initial state and start their first step without offers. In a later
//     epoch no rank computes before `resume`; halos, chunks and fetches that arrive before `restore` or
//     `resume` are handled.
//   - The parts of a copy are sent in order; a part at offset 0 restarts the copy. A rank that already holds
//     a copy and receives its last part again repeats the confirmation.
//   - A rank starts a new copy for its buddy only when it knows that its previous one is committed. So when
//     the first part of version v arrives, the buddy may drop all older versions except the newest, which is
//     committed, and all newer ones.
//   - In recovery a rank drops versions newer than that of `restore` when `restore` arrives, and older ones
//     when `resume` does.
//   - No checkpoint is taken after the last step.
//   - Global copies are those of versions v with v / interval % global_every == 0. Storage keeps the newest
//     version that it holds of every rank, and newer ones.
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
  std::vector<std::byte> encode(
      std::span<const std::byte> other_data) const;  // with these data instead of `data`
  // nullopt if the payload is shorter than a header or its kind is unknown.
  static std::optional<Message> decode(std::span<const std::byte> payload);
  // As decode(), but leaves `data` empty; the data are everything after the header.
  static std::optional<Message> decode_header(std::span<const std::byte> payload);
};

}  // namespace asterism
