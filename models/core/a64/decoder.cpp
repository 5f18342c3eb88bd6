#include "core/a64/decoder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "core/a64/cpu.h"

namespace asterism::a64 {
namespace {

// Bits 28 to 21 distinguish most encodings. For each value of these bits: the rows that may match, those with
// more fixed bits first.
constexpr unsigned index_low = 21, index_bits = 8;

class Table {
 public:
  Table() {
    for (const std::span<const Row> room :
         {branch_rows(), data_processing_immediate_rows(), data_processing_register_rows(), load_store_rows(),
          exclusive_rows(), system_rows(), floating_point_rows(), simd_rows(), simd_floating_point_rows(),
          simd_load_store_rows()})
      for (const Row& row : room) rows_.push_back(&row);
    std::ranges::stable_sort(rows_, std::ranges::greater(),
                             [](const Row* row) { return std::popcount(row->encoding.mask); });
    for (const Row* row : rows_)
      for (std::uint32_t index = 0; index < by_index_.size(); ++index)
        if (((index << index_low ^ row->encoding.value) & row->encoding.mask & index_mask) == 0)
          by_index_[index].push_back(row);
  }
  const std::vector<const Row*>& rows() const { return rows_; }
  const std::vector<const Row*>& candidates(std::uint32_t word) const {
    return by_index_[(word & index_mask) >> index_low];
  }

 private:
  static constexpr std::uint32_t index_mask = ((1u << index_bits) - 1) << index_low;
  std::vector<const Row*> rows_;
  std::array<std::vector<const Row*>, 1u << index_bits> by_index_;
};

const Table& table() {
  static const Table table;
  return table;
}

std::optional<CoreFeature> feature_of(Row::Needs needs) {
  switch (needs) {
    case Row::Needs::crc32:
      return CoreFeature::crc32;
    case Row::Needs::lse:
      return CoreFeature::lse;
    case Row::Needs::rcpc:
      return CoreFeature::rcpc;
    case Row::Needs::aes:
      return CoreFeature::aes;
    case Row::Needs::pmull:
      return CoreFeature::pmull;
    case Row::Needs::sha1:
      return CoreFeature::sha1;
    case Row::Needs::sha2:
      return CoreFeature::sha2;
    case Row::Needs::rdm:
      return CoreFeature::rdm;
    case Row::Needs::dotprod:
      return CoreFeature::dotprod;
    case Row::Needs::fp16:
      return CoreFeature::fp16;
    default:
      return {};
  }
}

bool uses_fp(const Row& row) { return row.needs >= Row::Needs::fp; }

const Operation* raise_undefined(Cpu& cpu, const Operation& op) {
  cpu.note_undefined(op.imm, op);
  return cpu.undefined(op);
}

}  // namespace

bool is_left_out(const Row& row, const Options& options) {
  const std::optional<CoreFeature> feature = feature_of(row.needs);
  return feature && !options.features.has(*feature);
}

const Row* find_row(std::uint32_t word, const Options& options) {
  for (const Row* row : table().candidates(word))
    if (row->encoding.matches(word)) return is_left_out(*row, options) ? nullptr : row;
  return nullptr;
}

std::vector<const Row*> all_rows() { return table().rows(); }

void decode(Decoding& decoding) {
  const Row* row = find_row(decoding.word, decoding.options);
  if (row && row->decode(decoding)) {
    if (!uses_fp(*row) || decoding.context.fp_enabled) return;
    decoding.op = {step<Cpu::raise_fp_trap>};
  } else {
    decoding.op = {step<raise_undefined>};
    decoding.op.imm = decoding.word;
  }
  decoding.drop_constants();
  decoding.ends_block = true;
}

}  // namespace asterism::a64
