// RTL in the seat of a model: what the tests of the classes that sit there, RtlMatt and the like, begin with.
#pragma once

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/temporary_folder.h"
#include "base/thrown.h"
#include "cosim/lockstep.h"
#include "cosim/rtl_options.h"
#include "cosim/swap_config.h"
#include "testbenches/testbench.h"

namespace asterism {

template <class Rtl>
struct SeatTest : testing::Test {
  const std::string block;  // a folder of rtl/
  const std::vector<std::string> overrides;
  TemporaryFolder folder;
  RtlOptions options{.traces = folder.path()};
  typename Rtl::Settings settings;
  std::unique_ptr<Rtl> seat;
  std::vector<Lockstep::Mismatch> mismatches;

  SeatTest(std::string block_name, std::vector<std::string> block_overrides,
           typename Rtl::Settings rtl_settings)
      : block(std::move(block_name)),
        overrides(std::move(block_overrides)),
        settings(std::move(rtl_settings)) {}

  void take_seat(Impl impl) { take_seat(impl, "rtl/" + block + "/block.json"); }
  void take_seat(Impl impl, const PlantedBug& bug) { take_seat(impl, planted(block, bug)); }
  // Gives the seat to the model, which begins anew.
  virtual void seated() {}

  // Why a block is not taken.
  std::string refusal() const { return refusal("rtl/" + block + "/block.json", overrides); }
  std::string refusal(const std::string& file, const std::vector<std::string>& of_block) const {
    return thrown<RtlError>([&] { Rtl(library_of(file, of_block), settings, options); });
  }

 private:
  void take_seat(Impl impl, const std::string& file) {
    settings.impl = impl;
    auto next = std::make_unique<Rtl>(library_of(file, overrides), settings, options);
    next->on_mismatch = [this](const Lockstep::Mismatch& mismatch) { mismatches.push_back(mismatch); };
    next.swap(seat);
    seated();
  }
};

}  // namespace asterism
