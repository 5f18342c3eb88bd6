// Checks the ports and parameters of a block against its contract.
//
//   constexpr ExpectedPort ports[] = {{"in.valid", ASTERISM_RTL_INPUT, 1},
//                                     {"out.valid", ASTERISM_RTL_OUTPUT, 1}};
//   check_contract(instance, "matt", ports);
//
// Each function throws an RtlError that begins with instance, block and library:
//
//   node.dimm_ssd.matt: matt (build/rtl/matt-3f2a.../block.so) has 16 bits of in.page, expected 32
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "cosim/rtl_library.h"

namespace asterism {

struct ExpectedPort {
  const char* role;
  std::uint32_t direction, width;
};

// Returns the instance, so that its ports can be read in the same expression.
const RtlInstance& check_contract(const RtlInstance& instance, std::string_view contract,
                                  std::span<const ExpectedPort> ports);

// Checks the parameters that the block has: a model beside RTL of another shape would sooner or later differ.
void check_parameters(const RtlInstance& instance, const std::map<std::string, std::uint64_t>& of_model);

[[noreturn]] void refuse_block(const RtlInstance& instance, std::string_view why);

}  // namespace asterism
