// The codes of DDR5 ranks and of the sectors of HBM (models/ecc), one block or sector at a time.
#include <algorithm>
#include <array>
#include <functional>

#include "bindings.h"
#include "ecc/ddr5_coverage.h"
#include "ecc/sector_code.h"

namespace asterism::python {
namespace {

// The bytes of data of each unit (a block, a sector) and those beside them.
struct UnitBytes {
  std::size_t data, check;

  // How many units the data have.
  std::size_t count(const ByteArray& data_of_all) const {
    const auto size = static_cast<std::size_t>(data_of_all.size());
    if (size % data != 0)
      throw std::invalid_argument("data: expected a multiple of " + std::to_string(data) + " bytes; got " +
                                  std::to_string(size));
    return size / data;
  }
  void check_size(const ByteArray& check_of_all, std::size_t units) const {
    if (static_cast<std::size_t>(check_of_all.size()) != units * check)
      throw std::invalid_argument("check: expected " + std::to_string(check) + " bytes for each " +
                                  std::to_string(data) + " of data, " + std::to_string(units * check) +
                                  "; got " + std::to_string(check_of_all.size()));
  }
  // The given array, or a new one of zeros.
  ByteArray check_bytes(std::optional<ByteArray> given, std::size_t units) const {
    if (given) {
      check_size(*given, units);
      return std::move(*given);
    }
    ByteArray made({static_cast<py::ssize_t>(units), static_cast<py::ssize_t>(check)});
    std::ranges::fill(elements(made), std::uint8_t{0});
    return made;
  }
};

void check_numbers(const char* what, std::span<const std::uint64_t> numbers, std::size_t units) {
  if (std::ranges::any_of(numbers, [units](std::uint64_t number) { return number >= units; }))
    throw std::invalid_argument(std::string(what) + ": there are " + std::to_string(units));
}

py::dict decoded(const Array<std::uint8_t>& outcomes, const std::array<std::uint64_t, 3>& counts) {
  py::dict result;
  result["outcome"] = outcomes;
  result["clean"] = counts[0];
  result["corrected"] = counts[1];
  result["uncorrectable"] = counts[2];
  return result;
}

// ---- DDR5 ----

constexpr std::size_t word_bytes = 8;  // of a chip

class RankCodec {
 public:
  Calls calls;

  RankCodec(const std::string& code, unsigned hash_bits)
      : codec_(one_of_names<Ddr5Code>("code", code), checked(hash_bits)) {}

  ByteArray encode(const ByteArray& data, std::optional<ByteArray> check) {
    const std::size_t blocks = bytes().count(data);
    ByteArray out = bytes().check_bytes(std::move(check), blocks);
    const auto from = values(data);
    const auto to = elements(out);
    const Working working(calls);
    for (std::size_t i = 0; i < blocks; ++i) {
      Ddr5Block block = block_at(from, to, i);
      codec_.encode(block);
      put_check(block, to, i);
    }
    return out;
  }

  py::dict decode(ByteArray data, ByteArray check) {
    const std::size_t blocks = bytes().count(data);
    bytes().check_size(check, blocks);
    Array<std::uint8_t> outcomes(static_cast<py::ssize_t>(blocks));
    Array<std::uint32_t> chips(static_cast<py::ssize_t>(blocks));
    std::array<std::uint64_t, 3> counts{};
    {
      const auto at = elements(data), beside = elements(check), outcome = elements(outcomes);
      const auto changed = elements(chips);
      const Working working(calls);
      for (std::size_t i = 0; i < blocks; ++i) {
        Ddr5Block block = block_at(at, beside, i);
        const Ddr5Result result = codec_.decode(block);
        if (result.outcome == Ddr5Result::Outcome::corrected) put(block, at, beside, i);
        outcome[i] = static_cast<std::uint8_t>(result.outcome);
        changed[i] = result.chips;
        ++counts[outcome[i]];
      }
    }
    py::dict result = decoded(outcomes, counts);
    result["chips"] = chips;
    return result;
  }

  void inject(ByteArray data, ByteArray check, const Values<std::uint64_t>& blocks, const std::string& fault,
              std::optional<unsigned> chip, std::uint64_t seed) {
    const auto masks = places(one_of_names<Ddr5Fault>("fault", fault));
    if (chip && *chip >= codec_.chips())
      throw std::invalid_argument("chip: expected 0 to " + std::to_string(codec_.chips() - 1));
    const std::size_t count = bytes().count(data);
    bytes().check_size(check, count);
    const auto chosen = values(blocks);
    check_numbers("blocks", chosen, count);
    const auto at = elements(data), beside = elements(check);
    const Working working(calls);
    Random random(seed);
    for (const std::uint64_t i : chosen) {
      Ddr5Block block = block_at(at, beside, i);
      const auto in = chip ? *chip : static_cast<unsigned>(random.below(codec_.chips()));
      block.chips[in] ^= draw_wrong_bits(masks[random.below(masks.size())], random);
      put(block, at, beside, i);
    }
  }

  unsigned chips() const { return codec_.chips(); }
  std::size_t check_bytes() const { return bytes().check; }

 private:
  static unsigned checked(unsigned hash_bits) {
    if (hash_bits < 40 || hash_bits > 64)
      throw std::invalid_argument("hash_bits: expected 40 to 64, got " + std::to_string(hash_bits));
    return hash_bits;
  }
  UnitBytes bytes() const { return {block_bytes, word_bytes * (codec_.chips() - ddr5_data_chips)}; }

  Ddr5Block block_at(std::span<const std::uint8_t> data, std::span<const std::uint8_t> check,
                     std::size_t number) const {
    Ddr5Block block;
    put_data(block, data.subspan(number * block_bytes).first<block_bytes>());
    const auto words = check.subspan(number * bytes().check, bytes().check);
    for (std::size_t i = 0; i < words.size(); ++i)
      block.chips[ddr5_data_chips + i / word_bytes] |= std::uint64_t{words[i]} << 8 * (i % word_bytes);
    return block;
  }
  void put_check(const Ddr5Block& block, std::span<std::uint8_t> check, std::size_t number) const {
    const auto words = check.subspan(number * bytes().check, bytes().check);
    for (std::size_t i = 0; i < words.size(); ++i)
      words[i] =
          static_cast<std::uint8_t>(block.chips[ddr5_data_chips + i / word_bytes] >> 8 * (i % word_bytes));
  }
  void put(const Ddr5Block& block, std::span<std::uint8_t> data, std::span<std::uint8_t> check,
           std::size_t number) const {
    std::ranges::copy(data_of(block), data.subspan(number * block_bytes).begin());
    put_check(block, check, number);
  }

  Ddr5Codec codec_;
};

// ---- HBM ----

class SectorCodec {
 public:
  Calls calls;

  explicit SectorCodec(const std::string& code) : code_(one_of_names<SectorCode>("code", code)) {}

  ByteArray encode(const ByteArray& data, std::optional<ByteArray> check) {
    const std::size_t sectors = bytes().count(data);
    ByteArray out = bytes().check_bytes(std::move(check), sectors);
    const auto from = values(data);
    const auto to = elements(out);
    const Working working(calls);
    for (std::size_t i = 0; i < sectors; ++i) {
      SectorBits sector = sector_at(from, to, i);
      encode_sector(code_, sector);
      std::copy_n(sector.begin() + sector_data, bytes().check, to.subspan(i * bytes().check).begin());
    }
    return out;
  }

  py::dict decode(ByteArray data, ByteArray check) {
    const std::size_t sectors = bytes().count(data);
    bytes().check_size(check, sectors);
    Array<std::uint8_t> outcomes(static_cast<py::ssize_t>(sectors));
    std::array<std::uint64_t, 3> counts{};
    {
      const auto at = elements(data), beside = elements(check), outcome = elements(outcomes);
      const Working working(calls);
      for (std::size_t i = 0; i < sectors; ++i) {
        SectorBits sector = sector_at(at, beside, i);
        const SectorOutcome result = decode_sector(code_, sector);
        if (result == SectorOutcome::corrected) put(sector, at, beside, i);
        outcome[i] = static_cast<std::uint8_t>(result);
        ++counts[outcome[i]];
      }
    }
    return decoded(outcomes, counts);
  }

  void inject(ByteArray data, ByteArray check, const Values<std::uint64_t>& sectors, const std::string& fault,
              std::optional<unsigned> place, std::uint64_t seed) {
    const auto shape = one_of_names<SectorFaultShape>("fault", fault);
    const unsigned bits = 8 * sector_bytes(code_);
    if (place && *place >= bits)
      throw std::invalid_argument("place: expected 0 to " + std::to_string(bits - 1));
    const std::size_t count = bytes().count(data);
    bytes().check_size(check, count);
    const auto chosen = values(sectors);
    check_numbers("sectors", chosen, count);
    const auto at = elements(data), beside = elements(check);
    const Working working(calls);
    Random random(seed);
    for (const std::uint64_t i : chosen) {
      SectorBits sector = sector_at(at, beside, i);
      const auto where = place ? *place : static_cast<unsigned>(random.below(bits));
      const SectorBits errors = draw_sector_errors(fault_bits(code_, shape, where), random);
      std::ranges::transform(sector, errors, sector.begin(), std::bit_xor());
      put(sector, at, beside, i);
    }
  }

  std::size_t check_bytes() const { return bytes().check; }

 private:
  UnitBytes bytes() const { return {sector_data, sector_bytes(code_) - sector_data}; }
  SectorBits sector_at(std::span<const std::uint8_t> data, std::span<const std::uint8_t> check,
                       std::size_t number) const {
    SectorBits sector{};
    std::ranges::copy(data.subspan(number * sector_data, sector_data), sector.begin());
    std::ranges::copy(check.subspan(number * bytes().check, bytes().check), sector.begin() + sector_data);
    return sector;
  }
  void put(const SectorBits& sector, std::span<std::uint8_t> data, std::span<std::uint8_t> check,
           std::size_t number) const {
    std::copy_n(sector.begin(), sector_data, data.subspan(number * sector_data).begin());
    std::copy_n(sector.begin() + sector_data, bytes().check, check.subspan(number * bytes().check).begin());
  }

  SectorCode code_;
};

constexpr const char* encode_text =
    "The check bits of the data, in `check` if it is given, whose metadata stay, otherwise in a new\n"
    "array.";

}  // namespace

void bind_memory_codes(py::module_& module) {
  py::class_<RankCodec>(
      module, "RankCodec",
      "A code over the x4 chips of a DDR5 rank, for blocks of 64 bytes: \"rs_10_8\", \"rs_10_8_chip\",\n"
      "\"rs_40_32\" or \"chip_guard\" of ten chips, \"rs_36_32\" or \"rs_36_32_bounded\" of nine. Arrays\n"
      "are of uint8 and contiguous, and are used where they are: for each block 64 bytes of data, and\n"
      "in `check` 8 bytes of each chip beyond the eight of data, bit 4 * beat + pin of a little-endian\n"
      "word.")
      .def(py::init<const std::string&, unsigned>(), py::arg("code"),
           py::arg("hash_bits") = Ddr5Codec::default_hash_bits,
           "hash_bits, 40 to 64, are those of chip_guard; the rest of its last chip, the upper bits, are\n"
           "metadata.")
      .def("encode", &RankCodec::encode, py::arg("data"), py::arg("check") = py::none(), encode_text)
      .def("decode", &RankCodec::decode, py::arg("data"), py::arg("check"),
           "Corrects in place. Returns the numbers of blocks that were `clean`, `corrected` and\n"
           "`uncorrectable`, and arrays with the `outcome` of each block (0, 1, 2) and the `chips` whose\n"
           "bits were changed (bit c: chip c). An uncorrectable block stays as received. More errors than a\n"
           "code corrects may be taken for others: compare with what was written.")
      .def(
          "inject", &RankCodec::inject, py::arg("data"), py::arg("check"), py::arg("blocks"),
          py::arg("fault") = "chip", py::arg("chip") = py::none(), py::arg("seed") = 1,
          "Adds the errors of a fault to each of the blocks with these numbers: of one \"bit\", \"beat\",\n"
          "\"pin\", \"two_pins\", \"half_burst\" or of the whole \"chip\". Each bit that it covers is wrong\n"
          "with probability 1/2, and at least one is. Without `chip`, each fault is in a random one.")
      .def_property_readonly("chips", &RankCodec::chips)
      .def_property_readonly("check_bytes", &RankCodec::check_bytes, "Of each block.");
  py::class_<SectorCodec>(
      module, "SectorCodec",
      "A code of HBM over sectors of 32 bytes: \"secded\" (HBM2), \"symbol\" (HBM3, RS(19,17) over 16-bit\n"
      "symbols), \"reach\" (the code of a chunk, RS(36,32), without the outer one) or \"none\". Arrays are\n"
      "of uint8 and contiguous, and are used where they are: for each sector 32 bytes of data, and in\n"
      "`check` 4 bytes, or 6 of symbol, of which the first two are metadata.")
      .def(py::init<const std::string&>(), py::arg("code"))
      .def("encode", &SectorCodec::encode, py::arg("data"), py::arg("check") = py::none(), encode_text)
      .def("decode", &SectorCodec::decode, py::arg("data"), py::arg("check"),
           "Corrects in place. Returns the numbers of sectors that were `clean`, `corrected` and\n"
           "`uncorrectable`, and an array with the `outcome` of each (0, 1, 2). An uncorrectable sector\n"
           "stays as received, and goes to the outer code in reach. More errors than a code corrects may be\n"
           "taken for others: compare with what was written.")
      .def(
          "inject", &SectorCodec::inject, py::arg("data"), py::arg("check"), py::arg("sectors"),
          py::arg("fault") = "bit", py::arg("place") = py::none(), py::arg("seed") = 1,
          "Adds the errors of a fault to each of the sectors with these numbers: of one \"bit\", of a\n"
          "\"word\" of 16 bits, of a data \"pin\" in all beats or of the whole \"sector\". Each bit that it\n"
          "covers is wrong with probability 1/2, and at least one is. `place` is a bit that it covers;\n"
          "without it, each fault is in a random place.")
      .def_property_readonly("check_bytes", &SectorCodec::check_bytes, "Of each sector.");
}

}  // namespace asterism::python
