// The fixture of tests: the folder of a run, with the files that a test writes.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/temporary_folder.h"

namespace asterism {

class WrittenRun {
 public:
  WrittenRun() {
    write("scenario.json", "{}");
    write("stats.json", "{}");
    write("events.jsonl", "");
  }
  std::filesystem::path path() const { return folder_ / "run"; }
  void write(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories((path() / name).parent_path());
    std::ofstream(path() / name, std::ios::binary) << text;
  }

 private:
  const TemporaryFolder folder_;
};

}  // namespace asterism
