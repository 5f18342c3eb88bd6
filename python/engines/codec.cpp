// The memory's code (models/ecc) and the table of modified pages (models/matt).
#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include "bindings.h"
#include "ecc/fault_coverage.h"
#include "ecc/page_codec.h"
#include "matt/matt.h"

namespace asterism::python {
namespace {

// An array with so many bytes for each block of the data: the given one, or a new one.
ByteArray bytes_of_blocks(std::optional<ByteArray> given, const ByteArray& data, py::ssize_t of_each) {
  if (data.size() % static_cast<py::ssize_t>(block_bytes) != 0)
    throw std::invalid_argument("data: expected whole blocks of 64 bytes; got " +
                                std::to_string(data.size()) + " bytes");
  return given ? std::move(*given)
               : ByteArray({data.size() / static_cast<py::ssize_t>(block_bytes), of_each});
}

class Codec {
 public:
  Calls calls;

  Codec(const std::string& mode, const std::string& profile, const std::optional<std::string>& path)
      : mode_(one_of_names<EccMode>("mode", mode)),
        pages_(mode_, path ? one_of_names<CodecPath>("path", *path) : codec_paths().back()),
        blocks_(one_of_names<EccProfile>("profile", profile)) {}

  ByteArray encode(const ByteArray& data, std::optional<ByteArray> parity) {
    ByteArray out = bytes_of_blocks(std::move(parity), data, block_beats);
    const auto from = values(data);
    const auto to = elements(out);
    const Working working(calls);
    pages_.encode(from, to);
    return out;
  }

  ByteArray encode_third(const ByteArray& data, const ByteArray& parity, std::optional<ByteArray> third) {
    if (mode_ != EccMode::strong) throw std::invalid_argument("only mode strong has third symbols");
    ByteArray out = bytes_of_blocks(std::move(third), data, chip_symbols);
    const auto from = values(data), check = values(parity);
    const auto to = elements(out);
    const Working working(calls);
    pages_.encode_third(from, check, to);
    return out;
  }

  ByteArray syndromes(const ByteArray& data, const ByteArray& parity, std::optional<ByteArray> given) {
    ByteArray out = bytes_of_blocks(std::move(given), data, block_beats);
    const auto from = values(data), check = values(parity);
    const auto to = elements(out);
    const Working working(calls);
    pages_.syndromes(from, check, to);
    return out;
  }

  py::dict decode(ByteArray data, ByteArray parity, std::optional<ByteArray> third) {
    if ((mode_ == EccMode::strong) != third.has_value())
      throw std::invalid_argument(third ? "only mode strong has third symbols" : "mode strong needs `third`");
    Array<std::uint8_t> outcomes(data.size() / block_bytes);
    Array<std::uint32_t> chips(data.size() / block_bytes);
    const Blocks all{elements(data), elements(parity), third ? elements(*third) : std::span<std::uint8_t>()};
    std::array<std::uint64_t, 3> counts{};
    {
      const auto outcome = elements(outcomes);
      const auto changed = elements(chips);
      const Working working(calls);
      decode_all(all, outcome, changed);
      for (const std::uint8_t each : outcome) ++counts[each];
    }
    py::dict result;
    result["outcome"] = outcomes;
    result["chips"] = chips;
    result["clean"] = counts[0];
    result["corrected"] = counts[1];
    result["uncorrectable"] = counts[2];
    return result;
  }

  void inject(ByteArray data, ByteArray parity, const Values<std::uint64_t>& blocks, const std::string& shape,
              std::optional<unsigned> chip, std::uint64_t seed) {
    const auto kind = one_of_names<FaultShape>("shape", shape);
    if (chip && *chip >= block_chips) throw std::invalid_argument("chip: expected 0 to 17");
    const Blocks all{elements(data), elements(parity), {}};
    const auto chosen = values(blocks);
    if (std::ranges::any_of(chosen, [&](std::uint64_t block) { return block >= all.count(); }))
      throw std::invalid_argument("blocks: there are " + std::to_string(all.count()));
    const Working working(calls);
    Random random(seed);
    for (const std::uint64_t block : chosen) {
      const auto at = chip ? *chip : static_cast<unsigned>(random.below(block_chips));
      const auto bit = static_cast<unsigned>(random.below(32));
      MemoryBlock changed = all.at(block);
      changed ^= draw_fault(blocks_.profile(), kind, at, bit, random);
      all.put(block, changed);
    }
  }

 private:
  struct Blocks {
    std::span<std::uint8_t> data, parity, third;  // third symbols may be absent

    Blocks(std::span<std::uint8_t> d, std::span<std::uint8_t> p, std::span<std::uint8_t> t)
        : data(d), parity(p), third(t) {
      if (data.size() % block_bytes != 0 || parity.size() != count() * block_beats ||
          (!third.empty() && third.size() != count() * chip_symbols))
        throw std::invalid_argument(
            "expected 64 bytes of data, 8 of parity and, in mode strong, 4 of third symbols for each block");
    }
    std::size_t count() const { return data.size() / block_bytes; }
    MemoryBlock at(std::size_t block) const {
      MemoryBlock one;
      std::ranges::copy(data.subspan(block * block_bytes, block_bytes), one.data.begin());
      std::ranges::copy(parity.subspan(block * block_beats, block_beats), one.parity.begin());
      if (!third.empty())
        std::ranges::copy(third.subspan(block * chip_symbols, chip_symbols), one.third.begin());
      return one;
    }
    void put(std::size_t block, const MemoryBlock& one) const {
      std::ranges::copy(one.data, data.subspan(block * block_bytes).begin());
      std::ranges::copy(one.parity, parity.subspan(block * block_beats).begin());
      if (!third.empty()) std::ranges::copy(one.third, third.subspan(block * chip_symbols).begin());
    }
  };

  // Most blocks are clean, which the syndromes of many at once show.
  void decode_all(const Blocks& all, std::span<std::uint8_t> outcomes, std::span<std::uint32_t> chips) const {
    constexpr std::size_t at_a_time = 512;
    std::array<std::uint8_t, at_a_time * block_beats> syndromes;
    for (std::size_t first = 0; first < all.count(); first += at_a_time) {
      const std::size_t blocks = std::min(at_a_time, all.count() - first);
      pages_.syndromes(all.data.subspan(first * block_bytes, blocks * block_bytes),
                       all.parity.subspan(first * block_beats, blocks * block_beats),
                       std::span(syndromes).first(blocks * block_beats));
      for (std::size_t i = 0; i < blocks; ++i) {
        outcomes[first + i] = 0, chips[first + i] = 0;
        const std::uint8_t* const of_block = &syndromes[i * block_beats];
        if (std::all_of(of_block, of_block + block_beats, [](std::uint8_t s) { return s == 0; })) continue;
        MemoryBlock block = all.at(first + i);
        const DecodeResult result = blocks_.decode(mode_, block);
        if (result.outcome == DecodeResult::Outcome::corrected) all.put(first + i, block);
        outcomes[first + i] = static_cast<std::uint8_t>(result.outcome);
        chips[first + i] = result.chips;
      }
    }
  }

  EccMode mode_;
  PageCodec pages_;
  DualModeCodec blocks_;
};

py::dict shares(double corrected, double uncorrectable, double silent) {
  py::dict result;
  result["corrected"] = corrected;
  result["uncorrectable"] = uncorrectable;
  result["silent"] = silent;
  return result;
}

struct CoverageCell {
  CoverageCell(const std::string& code_name, const std::string& failure_name, const std::string& profile_name)
      : code(one_of_names<CoverageCode>("code", code_name)),
        failure(one_of_names<FailureMode>("failure", failure_name)),
        profile(one_of_names<EccProfile>("profile", profile_name)) {}
  CoverageCode code;
  FailureMode failure;
  EccProfile profile;
};

// ---- MATT ----

class PageTable {
 public:
  Calls calls;

  PageTable(std::int64_t pages, const py::dict& keys)
      : table_(read_keys<MattConfig>(keys), number_of_pages(pages)) {}

  void track(const std::optional<Values<std::uint32_t>>& pages, bool tracked) {
    const auto given = pages ? values(*pages) : std::span<const std::uint32_t>();
    check(given);
    const Working working(calls);
    for (const std::uint32_t page : given) table_.track(page, tracked);
    for (std::uint32_t page = 0; !pages && page < table_.pages(); ++page) table_.track(page, tracked);
  }

  Array<bool> write(const Values<std::uint32_t>& pages, const Values<std::uint64_t>& lines) {
    const auto at = values(pages);
    const auto of = values(lines);
    if (at.size() != of.size() && of.size() != 1)
      throw std::invalid_argument("lines: expected one value, or one for each page");
    if (std::ranges::count(of, 0u) != 0) throw std::invalid_argument("lines: expected at least one bit");
    check(at);
    Array<bool> ready(static_cast<py::ssize_t>(at.size()));
    bool* const to = ready.mutable_data();
    const Working working(calls);
    for (std::size_t i = 0; i < at.size(); ++i)
      to[i] = table_.write(at[i], of.size() == 1 ? of[0] : of[i]) == Matt::Answer::ready;
    return ready;
  }

  void begin_phase() {
    const Working working(calls);
    table_.begin_phase();
  }

  py::object next(bool candidates_too) {
    const auto choice = [&] {
      const Working working(calls);
      return table_.next(candidates_too);
    }();
    if (!choice) return py::none();
    static constexpr std::array<const char*, 3> reasons{"priority", "pending", "candidate"};
    py::dict result;
    result["page"] = choice->page;
    result["lines"] = choice->lines;
    result["phase"] = choice->phase;
    result["reason"] = reasons[static_cast<std::size_t>(choice->reason)];
    return result;
  }
  bool copied(std::uint32_t page) {
    check(std::span(&page, 1));
    const Working working(calls);
    return table_.copied(page);
  }

  py::tuple copy(bool candidates_too, std::uint64_t at_most) {
    std::vector<std::uint32_t> pages;
    std::vector<std::uint64_t> lines;
    {
      const Working working(calls);
      while (pages.size() < at_most) {
        const auto choice = table_.next(candidates_too);
        if (!choice) break;
        table_.copied(choice->page);
        pages.push_back(choice->page);
        lines.push_back(choice->lines);
      }
    }
    return py::make_tuple(Array<std::uint32_t>(static_cast<py::ssize_t>(pages.size()), pages.data()),
                          Array<std::uint64_t>(static_cast<py::ssize_t>(lines.size()), lines.data()));
  }

  static std::uint32_t number_of_pages(std::int64_t pages) {
    constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
    if (pages < 1 || pages > most)
      throw std::invalid_argument("pages: expected 1 to " + std::to_string(most));
    return static_cast<std::uint32_t>(pages);
  }
  std::uint32_t pages() const { return table_.pages(); }
  std::uint32_t pending() const { return table_.pending(); }
  std::uint64_t phase() const { return table_.phase(); }
  void report(Statistics& statistics) const { table_.report(statistics); }

 private:
  void check(std::span<const std::uint32_t> pages) const {
    if (std::ranges::any_of(pages, [&](std::uint32_t page) { return page >= table_.pages(); }))
      throw std::invalid_argument("pages: there are " + std::to_string(table_.pages()));
  }

  Matt table_;
};

void bind_coverage(py::module_& module) {
  module.def(
      "fault_coverage",
      [](const std::string& code, const std::string& failure, std::uint64_t trials, std::uint64_t seed,
         const std::string& profile) {
        const CoverageCell cell(code, failure, profile);
        const auto counts = interruptible([&](const std::stop_token& stop) {
          return measure_coverage(cell.profile, cell.code, cell.failure, trials, seed, stop);
        });
        py::dict result;
        result["corrected"] = counts.corrected;
        result["uncorrectable"] = counts.uncorrectable;
        result["silent"] = counts.silent;
        return result;
      },
      py::arg("code"), py::arg("failure"), py::arg("trials") = 1'000'000, py::arg("seed") = 1,
      py::arg("profile") = "thesis",
      "How many blocks with a failure, such as \"chip\" or \"pin+chip\", a code (\"rs_36_32\",\n"
      "\"rs_18_16\", \"rs_19_16\", \"chipkill\") corrects, detects and misses, by Monte Carlo\n"
      "(abeyratne2017 Table 4.4).");
  module.def(
      "exact_coverage",
      [](const std::string& code, const std::string& failure, const std::string& profile) {
        const CoverageCell cell(code, failure, profile);
        const auto exact = [&] {
          const py::gil_scoped_release released;
          return exact_coverage(cell.profile, cell.code, cell.failure);
        }();
        return shares(exact.corrected, exact.uncorrectable, exact.silent);
      },
      py::arg("code"), py::arg("failure"), py::arg("profile") = "thesis",
      "The shares to which fault_coverage() converges.");
}

}  // namespace

void bind_codec(py::module_& module) {
  py::class_<Codec>(
      module, "Codec",
      "The dual-mode Reed-Solomon code of the memory (abeyratne2017 section 4.4) over blocks of 64 bytes:\n"
      "RS(36,32) in mode \"normal\"; RS(18,16), and RS(19,16) where it finds an error, in mode \"strong\".\n"
      "Arrays are of uint8 and contiguous, and are used where they are: 64 bytes of data, 8 of parity and\n"
      "4 of third symbols (mode strong) for each block.")
      .def(py::init<const std::string&, const std::string&, const std::optional<std::string>&>(),
           py::arg("mode") = "normal", py::arg("profile") = "strict", py::arg("path") = py::none(),
           "profile: what the decoder corrects, \"thesis\", \"strict\" or \"chip\". path: the instructions\n"
           "of the host, one of codec_paths(); without it the fastest.")
      .def("encode", &Codec::encode, py::arg("data"), py::arg("parity") = py::none(),
           "The parity of the data, in `parity` if it is given, otherwise in a new array.")
      .def("encode_third", &Codec::encode_third, py::arg("data"), py::arg("parity"),
           py::arg("third") = py::none(), "Mode strong: the third symbols of data and parity.")
      .def("syndromes", &Codec::syndromes, py::arg("data"), py::arg("parity"),
           py::arg("syndromes") = py::none(), "8 bytes for each block; all are 0 if it is clean.")
      .def("decode", &Codec::decode, py::arg("data"), py::arg("parity"), py::arg("third") = py::none(),
           "Corrects in place. Returns the numbers of blocks that were `clean`, `corrected` and\n"
           "`uncorrectable`, and arrays with the `outcome` of each block (0, 1, 2) and the `chips` whose\n"
           "symbols were changed (bit c: chip c; bit 18: third symbols). An uncorrectable block stays as\n"
           "received.")
      .def("inject", &Codec::inject, py::arg("data"), py::arg("parity"), py::arg("blocks"),
           py::arg("shape") = "chip", py::arg("chip") = py::none(), py::arg("seed") = 1,
           "Adds the errors of a fault to each of the blocks with these numbers: of one \"bit\", \"pin\"\n"
           "(in all beats), \"word\" (4 bits of a beat) or of the whole \"chip\". Without `chip`, 0 to 17,\n"
           "each fault is in a random one.");
  module.def(
      "codec_paths",
      [] {
        std::vector<std::string> names;
        for (const CodecPath path : codec_paths()) names.emplace_back(to_text(path));
        return names;
      },
      "The paths of Codec that this host supports, the slowest first.");
  bind_coverage(module);
}

void bind_matt(py::module_& module) {
  py::class_<PageTable> matt(module, "Matt",
                             "The table of modified pages of a DIMM-SSD (abeyratne2017 sections 5.3.3 to\n"
                             "5.3.5). A page has 64 lines, and lines are bits of an integer. Keys:\n"
                             "Matt.keys().");
  matt.def(py::init<std::int64_t, const py::dict&>(), py::arg("pages"), py::arg("keys") = py::dict())
      .def("track", &PageTable::track, py::arg("pages") = py::none(), py::arg("tracked") = true,
           "Begins to track pages as clean, or ends it; without `pages`, all.")
      .def("write", &PageTable::write, py::arg("pages"), py::arg("lines") = 1,
           "Write requests in this order. Returns for each whether it may proceed; if not, its page waits\n"
           "to be copied, and is copied first.")
      .def("begin_phase", &PageTable::begin_phase, "A checkpoint: all modified pages are to be copied.")
      .def("next", &PageTable::next, py::arg("candidates") = false,
           "Chooses a page to copy and locks it: `page`, `lines`, `phase`, `reason`; None if there is\n"
           "none. With `candidates` also pages that are copied early.")
      .def("copied", &PageTable::copied, py::arg("page"),
           "The page was copied. Whether a write has waited for it.")
      .def("copy", &PageTable::copy, py::arg("candidates") = false, py::arg("at_most") = ~std::uint64_t{0},
           "Copies pages until none is left: arrays of the pages in this order, and of their lines.")
      .def_property_readonly("pages", getter(&PageTable::pages))
      .def_property_readonly("pending", getter(&PageTable::pending),
                             "The number of pages that are still to be copied.")
      .def_property_readonly("phase", getter(&PageTable::phase))
      .def("statistics", &statistics_of<PageTable>);
  define_keys<MattConfig>(matt, "Asterism MATT");
}

}  // namespace asterism::python
