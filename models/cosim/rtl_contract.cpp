#include "cosim/rtl_contract.h"

#include <fmt/format.h>

namespace asterism {

const RtlInstance& check_contract(const RtlInstance& instance, std::string_view contract,
                                  std::span<const ExpectedPort> ports) {
  const RtlLibrary& library = instance.library();
  if (library.contract() != contract)
    refuse_block(instance,
                 fmt::format("is a block of the contract {}, expected {}", library.contract(), contract));
  for (const ExpectedPort& port : ports) {
    library.index_of(port.role, port.direction);
    if (const std::uint32_t width = library.width(port.role); width != port.width)
      refuse_block(instance, fmt::format("has {} bits of {}, expected {}", width, port.role, port.width));
  }
  return instance;
}

void check_parameters(const RtlInstance& instance, const std::map<std::string, std::uint64_t>& of_model) {
  for (const auto& [name, wanted] : of_model)
    if (const auto has = instance.library().parameter(name); has && *has != wanted)
      refuse_block(instance, fmt::format("was built with {}={}, the model has {}", name, *has, wanted));
}

void refuse_block(const RtlInstance& instance, std::string_view why) {
  const RtlLibrary& library = instance.library();
  throw RtlError(
      fmt::format("{}: {} ({}) {}", instance.name(), library.name(), library.file().string(), why));
}

}  // namespace asterism
