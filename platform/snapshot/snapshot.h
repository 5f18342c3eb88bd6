// A run in a file, from which others go on: `run --snapshot-at 5ms --snapshot FILE`, `run --restore FILE`.
//
// The file: magic and version; the lengths of what follows; a header in JSON (what was run, by which version, how far it was,
// mappings and descriptors: process_image.h); what the run's folder held and the contents of the image. Both parts are zstd
// frames with a checksum, so that a file that was cut short or changed anywhere is refused before anything is done.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "platform/output_file.h"
#include "platform/run_directory.h"
#include "platform/scenario.h"
#include "platform/snapshot/process_image.h"

namespace asterism {

struct SnapshotNotes {
  std::string name;      // of the scenario
  std::string scenario;  // fully expanded, JSON
  Picoseconds at;        // simulated time
  std::string version;   // of Asterism
};

// What of a scenario's run is not in the process, and how it would be: "", or words for a user.
std::string why_no_snapshot(const Scenario& scenario);

// Writes `file`, with what is in the run's folder. Returns nullopt; and once more in each process that goes on from it, with the
// message given there. Throws ImageError.
std::optional<std::string> save_snapshot(OutputFile& file, const SnapshotNotes& notes,
                                         const std::filesystem::path& folder);

class Snapshot {
 public:
  // Throws ConfigError that names the file when it is no snapshot, is not whole, or is of another version; InputMissing when
  // there is none.
  Snapshot(const std::filesystem::path& file, std::string_view version);

  const SnapshotNotes& notes() const { return notes_; }

  // Throws ConfigError with the keys in which another config, JSON, differs.
  void compare(const std::string& config) const;

  // Writes what its run had written. Throws ConfigError.
  void unpack(const RunDirectory& directory) const;
  // Becomes the process of the snapshot, with the files open that unpack() has written. Throws ConfigError, and no more than
  // `directory` has changed.
  [[noreturn]] void go_on(const RunDirectory& directory, std::string_view message) const;

 private:
  struct FolderFile {
    std::string path;  // in the folder
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
