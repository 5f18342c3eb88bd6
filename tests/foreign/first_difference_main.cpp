// first_difference uboot|edk2 [--stride N] [--limit N]
//
// Boots firmware on Unicorn and on the project's engine and prints the first block of instructions after
// which their registers differ.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "engines.h"
#include "first_difference.h"

int main(int argc, char** argv) {
  using namespace asterism::foreign;
  CLI::App app{"Where two engines part"};
  std::string name;
  std::uint64_t stride = 1'000'000, limit = Machine::never;
  app.add_option("firmware", name, "uboot or edk2")->required()->check(CLI::IsMember({"uboot", "edk2"}));
  app.add_option("--stride", stride, "Instructions between two comparisons of the first search")
      ->check(CLI::Range(std::uint64_t{1}, ~std::uint64_t{0}));
  app.add_option("--limit", limit, "Instructions")->check(CLI::Range(std::uint64_t{1}, ~std::uint64_t{0}));
  try {
    app.parse(argc, argv);
    if (!has(Engine::unicorn)) throw CLI::ValidationError("first_difference", "this build has no Unicorn");
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 64;  // usage
  }
  try {
    const Firmware& firmware = firmware_named(name);
    const auto with = [&](Engine engine) {
      return [&firmware, engine] {
        return std::make_unique<Machine>(firmware.file,
                                         [engine](auto& host) { return make_iss(engine, host); });
      };
    };
    const auto difference =
        first_difference(with(Engine::unicorn), with(Engine::native), firmware.script, stride, limit);
    if (!difference) return fmt::print("no difference\n"), 0;
    fmt::print("agreed after {} instructions at {:#x}, not after {}: Unicorn, native\n{}", difference->agreed,
               difference->pc, difference->found, difference->text);
    for (std::size_t i = 0; i < difference->code.size(); ++i)
      fmt::print("{:#10x}: .inst {:#010x}\n", difference->pc + 4 * i, difference->code[i]);
    return 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "first_difference: {}\n", error.what());
    return 2;
  }
}
