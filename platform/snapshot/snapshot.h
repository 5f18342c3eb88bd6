// A run saved in a file, from which other runs continue: `run --snapshot-at 5ms --snapshot FILE`, `run
// --restore FILE`.
//
// The file consists of a magic number and a version; the lengths of the parts that follow; a header in JSON
// (the scenario, the version of the program, the simulated time, mappings and descriptors as in
// process_image.h); and the contents of the run's folder and of the image. Both parts are zstd frames with a
// checksum, so a truncated or changed file is refused before it has any effect.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "platform/host/output_file.h"
#include "platform/host/run_directory.h"
#include "platform/scenario/scenario.h"
#include "platform/snapshot/process_image.h"

namespace asterism {

struct SnapshotNotes {
  std::string name;      // the name of the scenario
  std::string scenario;  // fully expanded, JSON
  Picoseconds at;        // simulated time
  std::string version;   // of Asterism
  bool is_live = false;  // of a run with --live
};

// Why a run of the scenario cannot be saved (a part of its state is outside of the process), for a message;
// "" if it can.
std::string why_no_snapshot(const Scenario& scenario);

// Writes `file`, including the contents of the run's folder. Returns nullopt; returns again in each process
// that continues from the snapshot, with the message given there. Throws ImageError.
std::optional<std::string> save_snapshot(OutputFile& file, const SnapshotNotes& notes,
                                         const std::filesystem::path& folder);

class Snapshot {
 public:
  // Throws ConfigError that names the file if it is not a snapshot, is damaged, or belongs to another
  // version; InputMissing if it does not exist.
  Snapshot(const std::filesystem::path& file, std::string_view version);

  const SnapshotNotes& notes() const { return notes_; }

  // Throws ConfigError with the keys in which another configuration (JSON) differs.
  void compare(const std::string& config) const;

  // Writes the files that the saved run had written. Throws ConfigError.
  void unpack(const RunDirectory& directory) const;
  // Becomes the process of the snapshot, with the files open that unpack() has written. If it throws
  // ConfigError, only `directory` has changed.
  [[noreturn]] void resume(const RunDirectory& directory, std::string_view message) const;

 private:
  struct FolderFile {
    std::string path;  // relative to the folder
    std::uint64_t bytes = 0;
  };

  void read_header();
  void reopen(const RunDirectory& directory) const;
  [[noreturn]] void refuse(std::string problem) const;

  friend std::string header_text(const SnapshotNotes&, const ProcessImage&, const std::vector<FolderFile>&,
                                 const std::filesystem::path& folder);
  friend std::optional<std::string> save_snapshot(OutputFile&, const SnapshotNotes&,
                                                  const std::filesystem::path&);

  std::filesystem::path file_;
  std::string contents_;
  std::string_view body_;
  SnapshotNotes notes_;
  ProcessImage image_;
  std::vector<FolderFile> folder_files_;
};

}  // namespace asterism
