// A profile of how the kernels of a program use a GPU's memory, in a few numbers. The files are in
// configs/kernel_profiles.
//
// The memory consists of rows: a row is the zone of 64 KiB of every channel with the same number; a piece of
// a row consists of zones of 4 KiB, and a row has sixteen pieces. The swizzle makes both runs of addresses,
// of 2 MiB and of 128 KiB with 32 channels. A share `dirty_zones` of the rows is written, and of each of
// these rows a share `dirty_pieces` of the pieces; both are spread evenly. These are the dirty shares of
// zones of 64 KiB and of 4 KiB once kernels have worked on all of the memory; they do not grow after that.
//
// An iteration has `kernels` kernels, each of which works on its part of the memory: dirty zones grow by even
// steps through the first iteration. A kernel walks through its part block after block, with `sweeps` sweeps
// over each before it continues: it reads from all of the block and writes to a proportional part of the
// written pieces in its part of the memory. A block that fits the L2 is written to memory once for all its
// sweeps.
//
// `reads` and `writes` are the bandwidths that the pipelines request together while memory keeps up; together
// with `sweeps` they determine how fast zones become dirty. An access is a run of the swizzle, at most 512
// bytes.
//
// Sources: lee2019 section 4.2.1 (saturation; figures 6 to 8 only have plots), 6.1. That shares are spread
// evenly, and that accesses are whole runs, is this project's.
#pragma once

#include <cstdint>
#include <vector>

#include "base/enum_names.h"
#include "base/units.h"
#include "gpu/gpu_config.h"
#include "gpu/workload/kernel_program.h"

namespace asterism {

class Fields;

enum class AccessOrder { stream, strided, random };
constexpr auto enum_names(AccessOrder) {
  return std::to_array<EnumName<AccessOrder>>(
      {{AccessOrder::stream, "stream", "a pipeline walks through its own part of a block"},
       {AccessOrder::strided, "strided", "pipelines walk through a block together, interleaved by accesses"},
       {AccessOrder::random, "random", "all over the block, each place once per sweep"}});
}

struct KernelProfile {
  Bytes footprint = 1_GiB;
  double dirty_zones = 1;
  double dirty_pieces = 1;
  std::uint32_t kernels = 1;
  AccessOrder order = AccessOrder::stream;
  Bytes block = 1_GiB;
  std::uint32_t sweeps = 1;
  Bandwidth reads{}, writes = 1_GBps;

  // Scales footprint and block by this factor, which is above 0 and at most 1.
  KernelProfile scaled(double factor) const;
  // Reads and writes this many times the bytes a second.
  KernelProfile faster(double factor) const;
};
void describe(Fields& f, KernelProfile& p);

// The footprint is in whole rows, at least one. Every pipeline of the GPU takes its share of a kernel.
class ProfileKernels final : public KernelProgram {
 public:
  ProfileKernels(const KernelProfile& profile, const GpuConfig& gpu);

  std::uint32_t pipelines() const override { return pipelines_; }
  Bytes footprint() const override { return Bytes(slots_ * access_); }
  std::uint32_t kernels() const override { return profile_.kernels; }
  void begin_kernel(std::uint64_t number) override;
  std::size_t next(std::uint32_t pipeline, std::span<DeviceAccess> accesses) override;

  std::uint64_t written_rows() const { return written_rows_; }
  std::uint64_t written_pieces() const { return pieces_.size(); }  // a row has sixteen pieces

 private:
  // Consecutive positions of accesses: of memory, or of the written pieces.
  struct Run {
    std::uint64_t first = 0, size = 0;
    std::uint64_t stride = 1;  // visits every position once, out of order

    // Part number `index` of `parts` parts.
    Run part(std::uint64_t index, std::uint64_t parts) const {
      const std::uint64_t before = size * index / parts;
      return {first + before, size * (index + 1) / parts - before};
    }
    std::uint64_t scattered(std::uint64_t index) const { return first + index % size * stride % size; }
    void scatter();
  };
  // The state of a pipeline in its kernel.
  struct Walk {
    std::uint64_t block = 0;
    std::uint32_t sweep = 0;
    std::uint64_t reads = 0, writes = 0;  // of the present sweep
    std::uint64_t credit = 0;             // for reads, in bytes per second
    Run block_reads, block_writes, own_reads, own_writes;
  };

  void begin_block(Walk& walk, std::uint32_t pipeline) const;
  std::uint64_t read_slot(const Walk& walk, std::uint32_t pipeline) const;
  std::uint64_t write_slot(const Walk& walk, std::uint32_t pipeline) const;

  KernelProfile profile_;
  std::uint32_t pipelines_;
  std::uint64_t access_;                 // bytes
  std::uint64_t slots_ = 0, per_piece_;  // accesses
  Picoseconds gap_;
  std::uint64_t written_rows_ = 0;
  std::vector<std::uint32_t> pieces_;  // written ones, in order
  Run reads_, writes_;                 // of the kernel
  std::uint64_t blocks_ = 0;           // of the kernel
  std::vector<Walk> walks_;
};

}  // namespace asterism
