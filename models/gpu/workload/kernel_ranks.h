// Several ranks of a program on one GPU, each with a context of its own: its own memory, one rank after the
// other, and its own kernels. The GPU runs one kernel at a time, of each rank in turn.
//
// Source: lee2019 section 5.1, which has one rank a GPU and leaves several to future work. That contexts take
// turns kernel by kernel, and that no kernels of two contexts run together, is this project's assumption.
#pragma once

#include <memory>
#include <vector>

#include "gpu/workload/kernel_program.h"

namespace asterism {

class KernelRanks final : public KernelProgram {
 public:
  // One or more ranks with equal numbers of kernels. The memory of each begins at a multiple of `unit`.
  KernelRanks(std::vector<std::unique_ptr<KernelProgram>> ranks, Bytes unit);

  std::uint32_t pipelines() const override { return ranks_.front()->pipelines(); }
  Bytes footprint() const override { return bases_.back() + ranks_.back()->footprint(); }
  std::uint32_t kernels() const override;
  void begin_kernel(std::uint64_t number) override;
  std::size_t next(std::uint32_t pipeline, std::span<DeviceAccess> accesses) override;

 private:
  std::vector<std::unique_ptr<KernelProgram>> ranks_;
  std::vector<Bytes> bases_;  // of the memory of each
  std::size_t running_ = 0;
};

}  // namespace asterism
