// The results of a study or a sweep: the files of --csv, --json, --svg, --pdf and --report, the folder of
// --out, and the summary.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/host/output_file.h"
#include "platform/host/run_directory.h"
#include "platform/study/point_runner.h"
#include "platform/study/study.h"

namespace asterism {

// The files that a user asks for. They are opened before the study runs, so that an error in a path is found
// early. "-" is standard output, which then contains nothing else.
struct ResultFiles {
  std::optional<std::string> csv, json, svg, pdf, report;
};

// What a user asks of `asterism study`.
struct StudyArguments {
  std::string file;  // a path, or a name in configs/studies
  std::vector<std::string> overrides;
  ResultFiles files;
  std::optional<std::string> out;
  unsigned threads = 0;  // 0 uses all cores of the host, and one on each rank
};

class StudyOutputs {
 public:
  // Throws ConfigError if two are on standard output, or a file cannot be written.
  explicit StudyOutputs(const ResultFiles& files);
  // The table and a summary on standard output, unless a result is there, and the files. `counted` names what
  // was done: "point". Writes all that can be written, and then throws the first OutputFailure.
  void write(const Study& study, const PointRun& run, std::string_view counted) const;
  bool is_verbose() const;  // no result is on standard output

 private:
  class Output;
  std::array<std::shared_ptr<const Output>, 5> outputs_;
};

// The results in the folder of --out, which keeps the name of a partial one if the study was interrupted, a
// point crashed or a file cannot be written. Prints the name of the folder if `is_verbose`. Writes all files
// that can be written, and then throws the first OutputFailure.
void write_directory(RunDirectory& directory, const Study& study, const PointRun& run, bool is_verbose);

}  // namespace asterism
