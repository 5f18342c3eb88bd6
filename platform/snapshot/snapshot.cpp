#include "platform/snapshot/snapshot.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "platform/config/diagnostics.h"
#include "platform/host/exit_status.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view magic = "asterism snapshot\n";
constexpr std::uint32_t format_version = 2;

struct Lengths {
  std::uint32_t format = format_version;
  std::uint64_t file = 0;         // length of the file in bytes
  std::uint64_t header = 0;       // length of the compressed header
  std::uint64_t header_text = 0;  // length of the header's text
  // The checksum of everything that follows. The checksums of zstd do not cover bits that have no meaning in
  // the compressed data.
  std::uint64_t checksum = 0;
};
constexpr std::size_t lengths_bytes = 36;
constexpr std::uint64_t longest_header = 1 << 28;

std::string to_bytes(const Lengths& lengths) {
  std::string bytes(lengths_bytes, '\0');
  std::memcpy(bytes.data(), &lengths.format, 4);
  std::memcpy(bytes.data() + 4, &lengths.file, 8);
  std::memcpy(bytes.data() + 12, &lengths.header, 8);
  std::memcpy(bytes.data() + 20, &lengths.header_text, 8);
  std::memcpy(bytes.data() + 28, &lengths.checksum, 8);
  return bytes;
}

Lengths to_lengths(std::string_view bytes) {
  Lengths lengths;
  std::memcpy(&lengths.format, bytes.data(), 4);
  std::memcpy(&lengths.file, bytes.data() + 4, 8);
  std::memcpy(&lengths.header, bytes.data() + 12, 8);
  std::memcpy(&lengths.header_text, bytes.data() + 20, 8);
  std::memcpy(&lengths.checksum, bytes.data() + 28, 8);
  return lengths;
}

std::uint64_t checksum_of(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

class Compressor {
 public:
  explicit Compressor(std::string& out)
      : out_(out), stream_(ZSTD_createCStream()), buffer_(ZSTD_CStreamOutSize(), '\0') {
    constexpr int fast =
        -1;  // the memory of a simulation is easy to compress, and the user waits while it is written
    ZSTD_CCtx_setParameter(stream_, ZSTD_c_compressionLevel, fast);
    ZSTD_CCtx_setParameter(stream_, ZSTD_c_checksumFlag, 1);
  }
  ~Compressor() { ZSTD_freeCStream(stream_); }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  void add(std::string_view bytes) { pass(bytes, ZSTD_e_continue); }
  void end() { pass({}, ZSTD_e_end); }

 private:
  void pass(std::string_view bytes, ZSTD_EndDirective how) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    for (std::size_t left = 1; in.pos < in.size || (how == ZSTD_e_end && left != 0);) {
      ZSTD_outBuffer out{buffer_.data(), buffer_.size(), 0};
      left = ZSTD_compressStream2(stream_, &out, &in, how);
      if (ZSTD_isError(left))
        throw ImageError(fmt::format("cannot be compressed: {}", ZSTD_getErrorName(left)));
      out_.append(buffer_, 0, out.pos);
    }
  }

  std::string& out_;
  ZSTD_CStream* stream_;
  std::string buffer_;
};

class Decompressor {
 public:
  explicit Decompressor(std::string_view from)
      : in_{from.data(), from.size(), 0}, stream_(ZSTD_createDStream()) {}
  ~Decompressor() { ZSTD_freeDStream(stream_); }
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  // Returns false if the data ends earlier or is damaged.
  bool fill(void* to, std::size_t bytes) {
    ZSTD_outBuffer out{to, bytes, 0};
    while (out.pos < out.size) {
      const std::size_t before = in_.pos + out.pos;
      left_ = ZSTD_decompressStream(stream_, &out, &in_);
      if (ZSTD_isError(left_) || (in_.pos + out.pos == before)) return false;
    }
    return true;
  }
  // Whether the checksum was read and is correct, and nothing follows.
  bool is_over() {
    while (left_ != 0) {
      const std::size_t before = in_.pos;
      ZSTD_outBuffer none{nullptr, 0, 0};
      left_ = ZSTD_decompressStream(stream_, &none, &in_);
      if (ZSTD_isError(left_) || (left_ != 0 && in_.pos == before)) return false;
    }
    return in_.pos == in_.size;
  }

 private:
  ZSTD_inBuffer in_;
  ZSTD_DStream* stream_;
  std::size_t left_ = 1;
};

std::optional<std::string> contents_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

// The path relative to the folder, "." for the folder itself; nullopt for a path elsewhere.
std::optional<std::string> within(const fs::path& folder, const std::string& path) {
  const fs::path inside = fs::path(path).lexically_relative(folder);
  if (inside.empty() || *inside.begin() == "..") return std::nullopt;
  return inside.string();
}

// The reference run has a folder of its own in that of the run, and is started again.
bool is_of_reference(const fs::path& inside) { return inside.begin()->string().starts_with("reference"); }

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (const fs::path inside = entry.path().lexically_relative(folder); !is_of_reference(inside)) {
      if (entry.is_directory()) files.push_back(inside.string() + "/");
      if (entry.is_regular_file()) files.push_back(inside.string());
    }
  std::ranges::sort(files);
  return files;
}

// Whether a descriptor is opened again: files of the folder, and files elsewhere that were opened for
// reading. Standard streams are those of the process that continues.
bool is_reopened(const ProcessImage::Descriptor& descriptor, const fs::path& folder) {
  const bool is_file = descriptor.path.starts_with('/') && !descriptor.path.starts_with("/memfd:");
  if (descriptor.number <= STDERR_FILENO || !is_file) return false;
  return within(folder, descriptor.path) || (descriptor.flags & O_ACCMODE) == O_RDONLY;
}

void flatten(const Json& tree, const std::string& path, std::map<std::string, std::string>& leaves) {
  const auto below = [&](const std::string& key) { return path.empty() ? key : path + "." + key; };
  if (tree.is_object() && !tree.empty())
    for (const auto& [key, value] : tree.items()) flatten(value, below(key), leaves);
  else if (tree.is_array() && !tree.empty())
    for (std::size_t i = 0; i < tree.size(); ++i) flatten(tree[i], below(std::to_string(i)), leaves);
  else
    leaves[path] = tree.dump();
}

// Lines such as "node.cores.count: 4 here, 2 in the snapshot", one for each key.
std::vector<std::string> differences(const std::string& config, const std::string& of_snapshot) {
  std::map<std::string, std::string> here, there;
  flatten(Json::parse(config), "", here);
  flatten(Json::parse(of_snapshot), "", there);
  std::vector<std::string> lines;
  const auto value = [](const std::map<std::string, std::string>& of, const std::string& key) {
    const auto found = of.find(key);
    return found == of.end() ? std::string("nothing") : found->second;
  };
  std::map<std::string, std::string> all = here;
  all.insert(there.begin(), there.end());
  for (const auto& [key, unused] : all)
    if (value(here, key) != value(there, key))
      lines.push_back(
          fmt::format("{}: {} here, {} in the snapshot", key, value(here, key), value(there, key)));
  return lines;
}

}  // namespace

std::string why_no_snapshot(const Scenario& scenario) {
  for (const std::string& key : scenario.node.devices.keys_of_input(HostUse::Input::terminal))
    return fmt::format("what is typed is in none; {}=script types by itself, file has the input in a file",
                       key);
  for (const DeviceList::KeptFile& kept : scenario.node.devices.kept_files())
    return fmt::format("a file that keeps the state of a device ({}) is in none; without it the state is",
                       kept.key);
  return "";
}

std::string header_text(const SnapshotNotes& notes, const ProcessImage& image,
                        const std::vector<Snapshot::FolderFile>& files, const fs::path& folder) {
  Json header = {{"asterism", notes.version},    {"name", notes.name},
                 {"time_ps", notes.at.count()},  {"kernel", image.kernel},
                 {"context", image.context},     {"scenario", Json::parse(notes.scenario)},
                 {"processor", image.processor}, {"live", notes.is_live}};
  Json& mappings = header["mappings"] = Json::array();
  for (const auto& m : image.mappings)
    mappings.push_back({m.start, m.end, m.protection, m.file, m.offset, m.hash, m.file_bytes});
  Json& pages = header["pages"] = Json::array();
  for (const auto& p : image.pages) pages.push_back({p.start, p.count});
  Json& memory = header["memory_files"] = Json::array();
  for (const auto& m : image.memory_files) memory.push_back({m.name, m.bytes, m.descriptor});
  Json& descriptors = header["descriptors"] = Json::array();
  for (const auto& d : image.descriptors) {
    if (!is_reopened(d, folder)) continue;
    const auto inside = within(folder, d.path);
    descriptors.push_back({d.number, inside ? *inside : d.path, d.flags, d.position});
  }
  Json& held = header["files"] = Json::array();
  for (const auto& f : files) held.push_back({f.path, f.bytes});
  return header.dump();
}

std::optional<std::string> save_snapshot(OutputFile& file, const SnapshotNotes& notes,
                                         const fs::path& folder) {
  return freeze([&](const ProcessImage& image, const ContentsReader& read) {
    std::vector<Snapshot::FolderFile> files;
    std::vector<std::string> contents;
    for (const std::string& name : files_in(folder)) {
      contents.push_back(name.ends_with('/') ? std::string() : contents_of(folder / name).value_or(""));
      files.push_back({name, contents.back().size()});
    }
    const std::string header = header_text(notes, image, files, folder);
    std::string text(magic);
    text.resize(magic.size() + lengths_bytes);
    Lengths lengths{.header_text = header.size()};
    Compressor head(text);
    head.add(header);
    head.end();
    lengths.header = text.size() - magic.size() - lengths_bytes;
    Compressor body(text);
    for (const std::string& each : contents) body.add(each);
    std::vector<std::byte> chunk(1 << 20);
    for (std::uint64_t left = image.bytes(); left > 0;) {
      const std::span<std::byte> part(chunk.data(), std::min<std::uint64_t>(left, chunk.size()));
      read(part);
      body.add({reinterpret_cast<const char*>(part.data()), part.size()});
      left -= part.size();
    }
    body.end();
    lengths.file = text.size();
    lengths.checksum = checksum_of(std::string_view(text).substr(magic.size() + lengths_bytes));
    text.replace(magic.size(), lengths_bytes, to_bytes(lengths));
    file.finish(text);
  });
}

Snapshot::Snapshot(const fs::path& file, std::string_view version) : file_(file) {
  auto contents = contents_of(file);
  if (!contents || fs::is_directory(file))
    throw InputMissing(Diagnostic::of_file(file.string(), "there is no such snapshot"));
  contents_ = std::move(*contents);
  read_header();
  if (notes_.version != version)
    refuse(fmt::format("made by asterism {}, and this is {}", notes_.version, version));
}

void Snapshot::refuse(std::string problem) const {
  throw ConfigError(Diagnostic::of_file(file_.string(), std::move(problem)));
}

void Snapshot::read_header() {
  const std::string_view all = contents_;
  if (!all.starts_with(magic.substr(0, all.size())) || all.empty()) refuse("is no snapshot");
  constexpr std::size_t fixed = magic.size() + lengths_bytes;
  if (all.size() < fixed) refuse("is truncated");
  const Lengths lengths = to_lengths(all.substr(magic.size()));
  if (lengths.format != format_version)
    refuse(fmt::format("has the format {}, and this asterism reads {}", lengths.format, format_version));
  if (all.size() < lengths.file)
    refuse(fmt::format("is truncated: {} bytes of {}", all.size(), lengths.file));
  if (all.size() > lengths.file)
    refuse(fmt::format("is damaged: {} bytes, expected {}", all.size(), lengths.file));
  if (lengths.checksum != checksum_of(all.substr(fixed))) refuse("is damaged");
  if (lengths.header > all.size() - fixed || lengths.header_text > longest_header)
    refuse("is damaged in its header");
  Decompressor head(all.substr(fixed, lengths.header));
  std::string text(lengths.header_text, '\0');
  if (!head.fill(text.data(), text.size()) || !head.is_over()) refuse("is damaged in its header");
  body_ = all.substr(fixed + lengths.header);
  try {
    const Json header = Json::parse(text);
    notes_ = {header.at("name"), header.at("scenario").dump(),
              Picoseconds(header.at("time_ps").get<std::uint64_t>()), header.at("asterism"),
              header.at("live")};
    image_.kernel = header.at("kernel");
    image_.processor = header.at("processor");
    image_.context = header.at("context");
    for (const Json& m : header.at("mappings"))
      image_.mappings.push_back({m.at(0), m.at(1), m.at(2), m.at(3), m.at(4), m.at(5), m.at(6)});
    for (const Json& p : header.at("pages")) image_.pages.push_back({p.at(0), p.at(1)});
    for (const Json& m : header.at("memory_files"))
      image_.memory_files.push_back({m.at(0), m.at(1), m.at(2)});
    for (const Json& d : header.at("descriptors"))
      image_.descriptors.push_back({d.at(0), d.at(1), d.at(2), d.at(3)});
    for (const Json& f : header.at("files")) folder_files_.push_back({f.at(0), f.at(1)});
  } catch (const nlohmann::json::exception&) {
    refuse("is damaged in its header");
  }
}

void Snapshot::compare(const std::string& config) const {
  const auto differing = differences(config, notes_.scenario);
  if (!differing.empty()) refuse(fmt::format("is of another config:\n  {}", fmt::join(differing, "\n  ")));
}

void Snapshot::unpack(const RunDirectory& directory) const {
  Decompressor body(body_);
  const fs::path& folder = directory.path();
  for (const FolderFile& each : folder_files_) {
    if (each.path.ends_with('/')) {
      fs::create_directories(folder / each.path);
      continue;
    }
    std::string text(each.bytes, '\0');
    if (!body.fill(text.data(), text.size())) refuse("is damaged");
    // This file is compared before the checksum of the whole body is checked. (Text that is not JSON compares
    // as neither equal nor unequal, hence the negation.)
    if (each.path == "scenario.json" && !(Json::parse(text, nullptr, false) == Json::parse(notes_.scenario)))
      refuse("is damaged");
    directory.write(each.path, text);
  }
}

void Snapshot::resume(const RunDirectory& directory, std::string_view message) const {
  Decompressor body(body_);
  for (const FolderFile& each : folder_files_)
    if (std::string unused(each.bytes, '\0'); !body.fill(unused.data(), unused.size())) refuse("is damaged");
  std::uint64_t left = image_.bytes();
  reopen(directory);
  try {
    thaw(
        image_,
        [&](std::span<std::byte> to) {
          if (!body.fill(to.data(), to.size())) refuse("is damaged");
          left -= to.size();
          if (left == 0 && !body.is_over()) refuse("is damaged");
        },
        message, static_cast<int>(ExitStatus::internal));
  } catch (const ImageError& error) {
    refuse(fmt::format("cannot go on here: {}", error.what()));
  }
}

void Snapshot::reopen(const RunDirectory& directory) const {
  // Duplicates with high numbers, because this process may use the lower ones itself.
  std::vector<std::pair<int, int>> places;
  for (const ProcessImage::Descriptor& each : image_.descriptors) {
    const std::string path =
        each.path.starts_with('/') ? each.path : (directory.path() / each.path).lexically_normal().string();
    const bool is_folder = each.path == ".";
    const int opened =
        is_folder ? dup(directory.lock()) : open(path.c_str(), each.flags & ~(O_CREAT | O_EXCL | O_TRUNC));
    if (opened < 0) refuse(fmt::format("{} cannot be opened again: {}", path, std::strerror(errno)));
    if (!is_folder) lseek(opened, static_cast<off_t>(each.position), SEEK_SET);
    constexpr int above_all = 600;
    places.emplace_back(fcntl(opened, F_DUPFD_CLOEXEC, above_all), each.number);
    close(opened);
  }
  for (const auto& [from, to] : places) {
    dup3(from, to, O_CLOEXEC);
    close(from);
  }
}

}  // namespace asterism
