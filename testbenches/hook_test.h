// The common base of the tests of classes that attach RTL to the hook of a model, such as RtlMatt.
#pragma once

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/swap_config.h"
#include "base/temporary_folder.h"
#include "base/thrown.h"
#include "cosim/lockstep.h"
#include "cosim/rtl_options.h"
#include "testbenches/testbench.h"

namespace asterism {

template <class Rtl>
struct HookTest : testing::Test {
  const std::string block;  // a folder of rtl/
  const std::vector<std::string> overrides;
  TemporaryFolder folder;
  RtlOptions options{.traces = folder.path()};
  typename Rtl::Settings settings;
  std::unique_ptr<Rtl> hook;
  std::vector<Lockstep::Mismatch> mismatches;

  HookTest(std::string block_name, std::vector<std::string> block_overrides,
           typename Rtl::Settings rtl_settings)
      : block(std::move(block_name)),
        overrides(std::move(block_overrides)),
        settings(std::move(rtl_settings)) {}

  void attach_hook(Impl impl) { attach_hook(impl, "rtl/" + block + "/block.json"); }
  void attach_hook(Impl impl, const Mutant& mutant) { attach_hook(impl, mutant_of(block, mutant)); }
  // Attaches the hook to a new model.
  virtual void on_attached() {}

  // Returns the reason for which a block is refused.
  std::string refusal() const { return refusal("rtl/" + block + "/block.json", overrides); }
  std::string refusal(const std::string& file, const std::vector<std::string>& of_block) const {
    return thrown<RtlError>([&] { Rtl(library_of(file, of_block), settings, options); });
  }

 private:
  void attach_hook(Impl impl, const std::string& file) {
    settings.impl = impl;
    auto next = std::make_unique<Rtl>(library_of(file, overrides), settings, options);
    next->on_mismatch = [this](const Lockstep::Mismatch& mismatch) { mismatches.push_back(mismatch); };
    next.swap(hook);
    on_attached();
  }
};

}  // namespace asterism
