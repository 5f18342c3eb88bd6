#include <algorithm>
#include <memory>
#include <utility>

#include "nvme/nvme_controller.h"

namespace asterism {
namespace {

constexpr std::uint32_t max_blocks = 1u << nvme::max_transfer_shift;
static_assert(NvmeDisk::block == nvme::memory_page, "MDTS counts memory pages");

constexpr Bytes entry_size{8};  // of a list of pages
static_assert(max_blocks <= nvme::memory_page / entry_size, "a page has the list of a command");

constexpr Bytes offset_in_page(Address at) { return Bytes(at.value() % nvme::memory_page.count()); }

}  // namespace

void NvmeController::execute(Picoseconds now, Id id) {
  const Command& c = command(id);
  if (!c.entry.is_plain()) return end(now, id, Status::invalid_field);
  if (c.queue == 0) return execute_admin(now, id);
  execute_io(now, id);
}

void NvmeController::execute_io(Picoseconds now, Id id) {
  Command& c = command(id);
  const auto opcode = static_cast<nvme::Opcode>(c.entry.opcode());
  const std::uint32_t name_space = c.entry.name_space();
  const bool is_flush = opcode == nvme::Opcode::flush;
  if (name_space != nvme::only_namespace && !(is_flush && name_space == nvme::all_namespaces))
    return end(now, id, Status::invalid_namespace);
  switch (opcode) {
    case nvme::Opcode::flush:
      ++count_.flushes;
      return disk_.persist(now, id << part_bits);
    case nvme::Opcode::dataset_management:
      return manage_dataset(now, id);
    case nvme::Opcode::read:
    case nvme::Opcode::write:
    case nvme::Opcode::write_zeroes:
      break;
    default:
      return end(now, id, Status::invalid_opcode);
  }
  const std::uint32_t blocks = c.entry.blocks();
  c.next_block = c.entry.first_block();
  if (c.next_block > disk_.blocks() || blocks > disk_.blocks() - c.next_block)
    return end(now, id, Status::lba_out_of_range);
  c.end_block = c.next_block + blocks;
  if (opcode == nvme::Opcode::write_zeroes) return zero(now, id);
  if (blocks > max_blocks) return end(now, id, Status::invalid_field);
  c.size = NvmeDisk::block * blocks;
  if (opcode == nvme::Opcode::read)
    read(now, id);
  else
    write(now, id);
}

// ---- reads and writes ----

void NvmeController::read(Picoseconds now, Id id) {
  ++count_.reads;
  count_.read += command(id).size;
  command(id).data.resize(command(id).size.count());
  find_places(now, id, [this, id](Picoseconds at) { give_parts(at, id); });
}

void NvmeController::write(Picoseconds now, Id id) {
  ++count_.writes;
  count_.written += command(id).size;
  find_places(now, id, [this, id](Picoseconds at) {
    from_memory(at, id, [this, id](Picoseconds then) { give_parts(then, id); });
  });
}

// Gives the disk all parts of a read or write, each within a flash page.
void NvmeController::give_parts(Picoseconds now, Id id) {
  Command& c = command(id);
  const bool is_read = static_cast<nvme::Opcode>(c.entry.opcode()) == nvme::Opcode::read;
  const std::uint64_t first = c.entry.first_block();
  while (c.next_block < c.end_block) {
    const auto count = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(c.end_block - c.next_block, disk_.room_in_page(c.next_block)));
    const std::uint64_t at = std::exchange(c.next_block, c.next_block + count);
    const NvmeDisk::Tag tag = id << part_bits | (at - first);
    ++c.parts;
    if (is_read) {
      disk_.read(now, at, count, tag);
    } else {
      const auto from =
          c.data.begin() + static_cast<std::ptrdiff_t>((NvmeDisk::block * (at - first)).count());
      const auto size = static_cast<std::ptrdiff_t>((NvmeDisk::block * count).count());
      disk_.write(now, at, count, {from, from + size}, tag);
    }
  }
}

// One flash page after the other, however many they are.
void NvmeController::zero(Picoseconds now, Id id) {
  Command& c = command(id);
  const auto count = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(c.end_block - c.next_block, disk_.room_in_page(c.next_block)));
  const std::uint64_t at = std::exchange(c.next_block, c.next_block + count);
  ++c.parts;
  disk_.write(now, at, count, std::vector<std::byte>((NvmeDisk::block * count).count()), id << part_bits);
}

void NvmeController::accepted(Picoseconds at, NvmeDisk::Tag tag, bool ok) {
  const auto found = commands_.find(tag >> part_bits);
  if (found == commands_.end()) return;  // the controller was reset
  Command& c = found->second;
  if (!ok) c.status = Status::write_fault;
  if (--c.parts != 0) return;
  const Id id = found->first;
  if (c.status != Status::success) return end(at, id, c.status);
  if (c.next_block < c.end_block) return zero(at, id);
  if (c.entry.force_unit_access() || !write_cache_) return persist(at, id);
  end(at, id, Status::success);
}

void NvmeController::persist(Picoseconds now, Id id) {
  const nvme::SubmissionEntry& entry = command(id).entry;
  disk_.persist(now, entry.first_block(), entry.blocks(), id << part_bits);
}

void NvmeController::durable(Picoseconds at, NvmeDisk::Tag tag, bool ok) {
  if ((tag & shutdown_bit) != 0) {
    constexpr unsigned under_way = 1, complete = 2;
    if (!ok) sink_.warn("flash does not take what is in the write cache: it is lost when the power goes");
    if (shutdown_ == under_way && tag == (shutdown_bit | shutdowns_)) shutdown_ = complete;
    return;
  }
  const Id id = tag >> part_bits;
  if (commands_.contains(id)) end(at, id, ok ? Status::success : Status::write_fault);
}

void NvmeController::read_done(Picoseconds at, NvmeDisk::Tag tag, bool ok, std::span<const std::byte> data) {
  const auto found = commands_.find(tag >> part_bits);
  if (found == commands_.end()) return;  // the controller was reset
  Command& c = found->second;
  if (!ok) c.status = Status::unrecovered_read_error;
  const Bytes offset = NvmeDisk::block * (tag & ((1u << part_bits) - 1));
  std::ranges::copy(data, c.data.begin() + static_cast<std::ptrdiff_t>(offset.count()));
  if (--c.parts != 0) return;
  if (c.status != Status::success) return end(at, found->first, c.status);
  to_memory(at, found->first);
}

void NvmeController::manage_dataset(Picoseconds now, Id id) {
  constexpr std::size_t range_size = 16;
  constexpr std::uint32_t deallocate = 1u << 2;
  Command& c = command(id);
  const std::uint32_t ranges = (c.entry.word(10) & 0xFF) + 1;
  c.size = Bytes(ranges * range_size);
  const bool is_asked = (c.entry.word(11) & deallocate) != 0;
  find_places(now, id, [this, id, is_asked](Picoseconds start) {
    from_memory(start, id, [this, id, is_asked](Picoseconds at) {
      const std::vector<std::byte> data = command(id).data;
      std::vector<std::pair<std::uint64_t, std::uint32_t>> list;
      list.reserve(data.size() / range_size);
      for (std::size_t i = 0; i < data.size(); i += range_size)
        list.emplace_back(nvme::get<std::uint64_t>(data, i + 8), nvme::get<std::uint32_t>(data, i + 4));
      for (const auto& [first, count] : list)
        if (first > disk_.blocks() || count > disk_.blocks() - first)
          return end(at, id, Status::lba_out_of_range);
      for (const auto& [first, count] : list)
        if (is_asked) disk_.deallocate(at, first, count);
      end(at, id, Status::success);
    });
  });
}

// ---- data ----

// Finds where the data of a command are in memory (section 4.3), or ends it.
void NvmeController::find_places(Picoseconds now, Id id, Act then) {
  Command& c = command(id);
  c.then = std::move(then);
  const Address first = c.entry.prp1(), second = c.entry.prp2();
  if (first.value() % 4 != 0) return end(now, id, Status::prp_offset_invalid);
  const Bytes size = std::min(c.size, nvme::memory_page - offset_in_page(first));
  c.places = {{first, size}};
  const Bytes left = c.size - size;
  if (left > nvme::memory_page) return read_list(now, id, second, left);
  if (left != 0_B) {
    if (offset_in_page(second) != 0_B) return end(now, id, Status::prp_offset_invalid);
    c.places.push_back({second, left});
  }
  const Act next = std::move(c.then);
  next(now);
}

void NvmeController::read_list(Picoseconds now, Id id, Address list, Bytes left) {
  if (list.value() % entry_size.count() != 0) return end(now, id, Status::prp_offset_invalid);
  const std::uint64_t needed = (left + nvme::memory_page - 1_B) / nvme::memory_page;
  const std::uint64_t room = (nvme::memory_page - offset_in_page(list)) / entry_size;
  const bool continues = needed > room;  // the last entry is then the place of the rest of the list
  const Bytes size = entry_size * std::min(needed, room);
  port(Part::lists).read(now, list, size, [this, id, list, left, continues](const AccessEnd& end_of_read) {
    auto data = std::make_shared<std::vector<std::byte>>(end_of_read.data.begin(), end_of_read.data.end());
    later(end_of_read.at, [this, id, list, left, continues, data, ok = end_of_read.ok](Picoseconds at) {
      if (!ok) {
        fail_transfer(id, list);
        return end(at, id, Status::data_transfer_error);
      }
      Command& c = command(id);
      Bytes rest = left;
      for (std::size_t i = 0; i < data->size(); i += entry_size.count()) {
        const Address place(nvme::get<std::uint64_t>(*data, i));
        // The rest of the list is at the begin of a page, too, and so has no further continuation.
        if (offset_in_page(place) != 0_B) return end(at, id, Status::prp_offset_invalid);
        if (continues && i + entry_size.count() == data->size()) return read_list(at, id, place, rest);
        const Bytes part = std::min(rest, nvme::memory_page);
        c.places.push_back({place, part});
        rest -= part;
      }
      const Act next = std::move(c.then);
      next(at);
    });
  });
}

void NvmeController::fail_transfer(Id id, Address place) {
  Command& c = command(id);
  c.status = Status::data_transfer_error;
  if (!c.unanswered) c.unanswered = place;
}

void NvmeController::from_memory(Picoseconds now, Id id, Act then) {
  Command& c = command(id);
  c.then = std::move(then);
  c.data.resize(c.size.count());
  c.parts = static_cast<std::uint32_t>(c.places.size());
  std::size_t offset = 0;
  const std::vector<AddressRange> places = c.places;
  for (const AddressRange& place : places) {
    port(Part::data_from_memory)
        .read(now, place.first, place.size, [this, id, offset, at = place.first](const AccessEnd& part) {
          Command& of = command(id);
          if (part.ok)
            std::ranges::copy(part.data, of.data.begin() + static_cast<std::ptrdiff_t>(offset));
          else
            fail_transfer(id, at);
          later(part.at, [this, id](Picoseconds at) {
            Command& last = command(id);
            if (--last.parts != 0) return;
            if (last.status != Status::success) return end(at, id, last.status);
            link_in_free_ = std::max(at, link_in_free_) + transfer_time(last.size, config_.link);
            later(link_in_free_, std::move(last.then));
          });
        });
    offset += place.size.count();
  }
}

// The data of a command pass the link, and are written to memory; then it ends.
void NvmeController::to_memory(Picoseconds now, Id id) {
  link_out_free_ = std::max(now, link_out_free_) + transfer_time(command(id).size, config_.link);
  later(link_out_free_, [this, id](Picoseconds start) {
    Command& c = command(id);
    c.parts = static_cast<std::uint32_t>(c.places.size());
    std::size_t offset = 0;
    const std::vector<AddressRange> places = c.places;
    for (const AddressRange& place : places) {
      const auto data = std::span<const std::byte>(c.data).subspan(offset, place.size.count());
      port(Part::data_to_memory)
          .write(start, place.first, data, [this, id, at = place.first](const AccessEnd& part) {
            if (!part.ok) fail_transfer(id, at);
            later(part.at, [this, id](Picoseconds at) {
              Command& last = command(id);
              if (--last.parts == 0) end(at, id, last.status, last.result);
            });
          });
      offset += place.size.count();
    }
  });
}

}  // namespace asterism
