#include "gpu/workload/kernel_ranks.h"

#include <stdexcept>
#include <utility>

namespace asterism {

KernelRanks::KernelRanks(std::vector<std::unique_ptr<KernelProgram>> ranks, Bytes unit)
    : ranks_(std::move(ranks)) {
  if (ranks_.empty()) throw std::invalid_argument("a GPU without a rank");
  Bytes base{};
  for (const auto& rank : ranks_) {
    if (rank->kernels() != ranks_.front()->kernels() || rank->pipelines() != ranks_.front()->pipelines())
      throw std::invalid_argument("ranks of different programs");
    bases_.push_back(base);
    base += unit * ((rank->footprint() + unit - Bytes(1)) / unit);
  }
}

std::uint32_t KernelRanks::kernels() const {
  return ranks_.front()->kernels() * static_cast<std::uint32_t>(ranks_.size());
}

void KernelRanks::begin_kernel(std::uint64_t number) {
  running_ = number % ranks_.size();
  ranks_[running_]->begin_kernel(number / ranks_.size());
}

std::size_t KernelRanks::next(std::uint32_t pipeline, std::span<DeviceAccess> accesses) {
  const std::size_t made = ranks_[running_]->next(pipeline, accesses);
  for (DeviceAccess& access : accesses.first(made)) access.address += bases_[running_].count();
  return made;
}

}  // namespace asterism
