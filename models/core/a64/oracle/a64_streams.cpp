// Random instruction streams on the A64 engine and on Unicorn:
//   a64_streams [--class NAME] [--row SUBSTRING] [--instructions N] [--seed S]
#include <fmt/format.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "core/a64/oracle/program.h"
#include "core/a64/oracle/streams.h"

int main(int argc, char** argv) {
  using namespace asterism::a64::oracle;
  StreamOptions options;
  bool by_class = true;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name == "--class") {
      options.of_class = value, by_class = false;
    } else if (name == "--row") {
      options.row = value;
    } else if (name == "--instructions") {
      options.instructions = std::strtoull(value.c_str(), nullptr, 0);
    } else if (name == "--seed") {
      options.seed = std::strtoull(value.c_str(), nullptr, 0);
    } else {
      std::cerr << "unknown option " << name << "\n";
      return 2;
    }
  }
  std::vector<std::string> classes = {options.of_class};
  if (by_class) classes = Generator::classes(), classes.emplace_back("all");
  bool failed = false;
  for (const std::string& name : classes) {
    options.of_class = name;
    const StreamResult result = run_stream(options);
    std::cout << fmt::format("{}: seed {}, {} instructions, {} programs, {} runs left the data{}\n", name,
                             options.seed, result.instructions, result.programs, result.left_memory,
                             result.programs == 0 ? ": no such row" : "");
    if (!result.mismatch.empty()) std::cout << "MISMATCH " << result.mismatch, failed = true;
  }
  return failed ? 1 : 0;
}
