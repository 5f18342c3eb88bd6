// How the kernels of a program use a GPU's memory, told by a few numbers. Files in configs/kernel_profiles.
//
// The memory is in rows: a row is the zone of 64 KiB of every channel with the same number; a piece of a row
// the zones of 4 KiB, sixteen of them. The swizzle makes both runs of addresses, of 2 MiB and of 128 KiB with
// 32 channels. A share `dirty_zones` of the rows is written to, of each of these rows a share `dirty_pieces`
// of the pieces; both are spread evenly. So that is what is dirty of zones of 64 KiB, and of 4 KiB, once
// kernels have been everywhere; it does not grow after that.
//
// An iteration has so many `kernels`, each of which works on its part of the memory: dirty zones grow by even
// steps through the first iteration. A kernel walks through its part block after block, `sweeps` times over
// each before it goes on: it reads from all of the block and writes to a like part of what its part of the
// memory has of written pieces. A block that the L2 holds is written to memory once for all its sweeps.
//
// `reads` and `writes` are what the pipelines ask for together while memory keeps up; so they and `sweeps`
// say how fast zones become dirty. An access is a run of the swizzle, at most 512 bytes.
//
// Sources: lee2019 section 4.2.1 (saturation; figures 6 to 8 are pictures), 6.1. That shares are spread
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
      {{AccessOrder::stream, "stream", "a pipeline goes through its own part of a block"},
       {AccessOrder::strided, "strided", "pipelines go through a block together, each as many accesses on"},
       {AccessOrder::random, "random", "all over the block, each place once a sweep"}});
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

  // Footprint and block by this factor, which is above 0 and at most 1.
  KernelProfile scaled(double factor) const;
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
  std::uint64_t written_pieces() const { return pieces_.size(); }  // of which a row has sixteen

 private:
  // Places of accesses, one after the other: of memory, or of the written pieces.
  struct Run {
    std::uint64_t first = 0, size = 0;
    std::uint64_t stride = 1;  // by which all of it is met once, out of order

    // The part of number `index` of so many.
    Run part(std::uint64_t index, std::uint64_t parts) const {
      const std::uint64_t before = size * index / parts;
      return {first + before, size * (index + 1) / parts - before};
    }
    std::uint64_t scattered(std::uint64_t index) const { return first + index % size * stride % size; }
    void scatter();
  };
  // Of a pipeline, in its kernel.
  struct Walk {
    std::uint64_t block = 0;
    std::uint32_t sweep = 0;
    std::uint64_t reads = 0, writes = 0;  // of this sweep
    std::uint64_t credit = 0;             // for reads, in bytes a second
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
