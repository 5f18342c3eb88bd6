#include "gpu/workload/kernel_profile.h"

#include <algorithm>
#include <numeric>

#include "base/fields.h"
#include "base/file_kind.h"

namespace asterism {

namespace {

constexpr Bytes row_zone = 64_KiB, piece_zone = 4_KiB, longest_access{512};
constexpr std::uint64_t pieces_per_row = row_zone / piece_zone;

// The number of whole items in a share of `count`.
std::uint64_t share_of(std::uint64_t count, double share) {
  // NOLINTNEXTLINE(bugprone-incorrect-roundings): engines use no libm, and counts are far below 2^53
  return static_cast<std::uint64_t>(static_cast<double>(count) * share + 0.5);
}
// Whether this item belongs to a share that is spread evenly.
bool takes_part(std::uint64_t index, double share) {
  return share_of(index + 1, share) > share_of(index, share);
}

}  // namespace

static_assert(member_count<KernelProfile>() == 9);
void describe(Fields& f, KernelProfile& p) {
  f.sourced();
  f("footprint", p.footprint, "The memory in use, which a full snapshot saves.", within(1_MiB, 1_TiB),
    required());
  f("dirty_zones", p.dirty_zones, "The share of the zones of 64 KiB that kernels write at all.",
    within(0.0, 1.0), required());
  f("dirty_pieces", p.dirty_pieces, "The share of the zones of 4 KiB in these that kernels write.",
    within(0.0, 1.0), required());
  f("kernels", p.kernels,
    "The number of kernels of an iteration. After that many kernels all dirty zones are dirty.",
    within(1, 10'000));
  f("order", p.order, "The order of accesses in a block.", one_of<AccessOrder>());
  f("block", p.block, "The memory that a kernel works on before it continues. The L2 holds a small block.",
    within(4_KiB, 1_TiB));
  f("sweeps", p.sweeps, "The number of passes over each block before the next one.", within(1, 10'000));
  f("reads", p.reads, "The bandwidth that pipelines request while memory keeps up.", at_most(100'000_GBps));
  f("writes", p.writes, "The same for writes. Divided by sweeps, it determines how fast zones become dirty.",
    within(1_MBps, 100'000_GBps), required());
}
const RegisteredFileKind<KernelProfile> profile_files{
    "kernel_profile", "kernel_profiles", "Asterism kernel profile", {"dirty_zones"}};

KernelProfile KernelProfile::scaled(double factor) const {
  KernelProfile p = *this;
  p.footprint = Bytes(std::max<std::uint64_t>(share_of(footprint.count(), factor), 1));
  p.block = Bytes(std::max<std::uint64_t>(share_of(block.count(), factor), 1));
  return p;
}

KernelProfile KernelProfile::faster(double factor) const {
  KernelProfile p = *this;
  p.reads = Bandwidth(share_of(reads.count(), factor));
  p.writes = Bandwidth(std::max<std::uint64_t>(share_of(writes.count(), factor), 1));
  return p;
}

ProfileKernels::ProfileKernels(const KernelProfile& profile, const GpuConfig& gpu)
    : profile_(profile),
      pipelines_(gpu.pipelines),
      access_(std::min(longest_access, gpu.interleave).count()),
      per_piece_((piece_zone * gpu.channels).count() / access_),
      walks_(gpu.pipelines) {
  const Bytes row = row_zone * gpu.channels;
  const std::uint64_t rows = (profile.footprint + row - Bytes(1)) / row;
  slots_ = rows * pieces_per_row * per_piece_;
  for (std::uint64_t i = 0; i < rows; ++i) {
    if (!takes_part(i, profile.dirty_zones)) continue;
    ++written_rows_;
    for (std::uint64_t piece = 0; piece < pieces_per_row; ++piece)
      if (takes_part(piece, profile.dirty_pieces))
        pieces_.push_back(static_cast<std::uint32_t>(i * pieces_per_row + piece));
  }
  gap_ = transfer_time(Bytes(access_ * pipelines_), profile.reads + profile.writes);
}

void ProfileKernels::Run::scatter() {
  // Approximately the golden section of it.
  stride = std::max<std::uint64_t>(size * 618 / 1000, 1);
  while (std::gcd(stride, size) != 1) ++stride;
}

void ProfileKernels::begin_kernel(std::uint64_t number) {
  const std::uint64_t index = number % profile_.kernels;
  reads_ = Run{0, slots_}.part(index, profile_.kernels);
  // The positions in the same part of the memory, to a piece.
  const auto at = [&](std::uint64_t slot) {
    const auto found = std::ranges::lower_bound(pieces_, slot / per_piece_);
    return static_cast<std::uint64_t>(found - pieces_.begin()) * per_piece_;
  };
  const std::uint64_t first = at(reads_.first), end = at(reads_.first + reads_.size);
  writes_ = {first, end - first};
  blocks_ = std::max<std::uint64_t>(reads_.size * access_ / profile_.block.count(), 1);
  for (std::uint32_t pipeline = 0; pipeline < pipelines_; ++pipeline) {
    walks_[pipeline] = {};
    begin_block(walks_[pipeline], pipeline);
  }
}

void ProfileKernels::begin_block(Walk& walk, std::uint32_t pipeline) const {
  walk.block_reads = reads_.part(walk.block, blocks_);
  walk.block_writes = writes_.part(walk.block, blocks_);
  walk.own_reads = walk.block_reads.part(pipeline, pipelines_);
  walk.own_writes = walk.block_writes.part(pipeline, pipelines_);
  if (profile_.order == AccessOrder::strided)
    walk.own_writes.size = (walk.block_writes.size + pipelines_ - 1 - pipeline) / pipelines_;
  if (profile_.order != AccessOrder::random) return;
  walk.block_reads.scatter();
  walk.block_writes.scatter();
}

std::uint64_t ProfileKernels::read_slot(const Walk& walk, std::uint32_t pipeline) const {
  const Run& block = walk.block_reads;
  const Run& own = walk.own_reads;
  if (profile_.order == AccessOrder::strided)
    return block.first + (walk.reads * pipelines_ + pipeline) % block.size;
  if (profile_.order == AccessOrder::random) return block.scattered(own.first - block.first + walk.reads);
  return own.first + (own.size == 0 ? 0 : walk.reads % own.size);
}

std::uint64_t ProfileKernels::write_slot(const Walk& walk, std::uint32_t pipeline) const {
  const Run& block = walk.block_writes;
  std::uint64_t written = walk.own_writes.first + walk.writes;
  if (profile_.order == AccessOrder::strided) written = block.first + walk.writes * pipelines_ + pipeline;
  if (profile_.order == AccessOrder::random) written = block.scattered(written - block.first);
  return pieces_[written / per_piece_] * per_piece_ + written % per_piece_;
}

std::size_t ProfileKernels::next(std::uint32_t pipeline, std::span<DeviceAccess> accesses) {
  Walk& walk = walks_[pipeline];
  const auto size = static_cast<std::uint32_t>(access_);
  const std::uint64_t reads = profile_.reads.count(), writes = profile_.writes.count();
  std::size_t made = 0;
  while (made < accesses.size() && walk.block < blocks_) {
    if (walk.credit >= writes && walk.block_reads.size != 0) {
      accesses[made++] = {gap_, access_ * read_slot(walk, pipeline), size, false};
      walk.credit -= writes;
      ++walk.reads;
    } else if (walk.writes < walk.own_writes.size) {
      accesses[made++] = {gap_, access_ * write_slot(walk, pipeline), size, true};
      walk.credit += reads;
      ++walk.writes;
    } else {
      walk.reads = walk.writes = 0;
      if (++walk.sweep == profile_.sweeps) {
        walk.sweep = 0;
        if (++walk.block < blocks_) begin_block(walk, pipeline);
      }
    }
  }
  return made;
}

}  // namespace asterism
