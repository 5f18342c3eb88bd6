#include <algorithm>
#include <utility>

#include "nvme/nvme_controller.h"

namespace asterism {
namespace {

constexpr std::size_t identify_size = 4096;
constexpr unsigned max_event_requests = 4;
constexpr std::uint16_t kelvin_at_zero = 273;

enum Feature : std::uint8_t {
  arbitration = 0x01,
  power_management = 0x02,
  temperature_threshold = 0x04,
  error_recovery = 0x05,
  volatile_write_cache = 0x06,
  number_of_queues = 0x07,
  interrupt_coalescing = 0x08,
  interrupt_vector = 0x09,
  write_atomicity = 0x0A,
  asynchronous_events = 0x0B,
};

// Text of a fixed length, filled with spaces.
void put_text(std::vector<std::byte>& data, std::size_t at, std::size_t size, std::string_view text) {
  for (std::size_t i = 0; i < size; ++i)
    data[at + i] = static_cast<std::byte>(i < text.size() ? text[i] : ' ');
}

// The FNV-1a hash of a serial number: an identifier that is the same in each run.
std::uint64_t identifier_of(std::string_view serial) {
  std::uint64_t hash = 0xCBF2'9CE4'8422'2325;
  for (const char c : serial) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100'0000'01B3;
  return hash;
}

}  // namespace

void NvmeController::execute_admin(Picoseconds now, Id id) {
  ++count_.admin;
  switch (static_cast<nvme::AdminOpcode>(command(id).entry.opcode())) {
    case nvme::AdminOpcode::create_completion_queue:
      return create_completion_queue(now, id);
    case nvme::AdminOpcode::create_submission_queue:
      return create_submission_queue(now, id);
    case nvme::AdminOpcode::delete_completion_queue:
      return delete_completion_queue(now, id);
    case nvme::AdminOpcode::delete_submission_queue:
      return delete_submission_queue(now, id);
    case nvme::AdminOpcode::identify:
      return identify(now, id);
    case nvme::AdminOpcode::get_log_page:
      return get_log_page(now, id);
    case nvme::AdminOpcode::set_features:
      return set_features(now, id);
    case nvme::AdminOpcode::get_features:
      return get_features(now, id);
    case nvme::AdminOpcode::asynchronous_event_request:
      return request_event(now, id);
    case nvme::AdminOpcode::abort: {
      constexpr std::uint32_t was_not_aborted = 1;
      return end(now, id, Status::success, was_not_aborted);
    }
    default:
      return end(now, id, Status::invalid_opcode);
  }
}

// ---- queues ----

void NvmeController::create_completion_queue(Picoseconds now, Id id) {
  const nvme::SubmissionEntry& entry = command(id).entry;
  const unsigned number = entry.word(10) & 0xFFFF, vector = entry.word(11) >> 16;
  const std::uint32_t entries = (entry.word(10) >> 16) + 1;
  const bool is_contiguous = entry.word(11) & 1, interrupts = entry.word(11) >> 1 & 1;
  if (number == 0 || number > config_.queues || completion_.contains(number))
    return end(now, id, Status::invalid_queue_identifier);
  if (entries < 2 || entries > nvme::max_entries) return end(now, id, Status::invalid_queue_size);
  if (vector >= vectors_of(config_)) return end(now, id, Status::invalid_interrupt_vector);
  if (!is_contiguous) return end(now, id, Status::invalid_field);
  if (entry.prp1().value() % nvme::memory_page.count() != 0) return end(now, id, Status::prp_offset_invalid);
  completion_[number] = {
      .base = entry.prp1(), .entries = entries, .interrupts = interrupts, .vector = vector};
  end(now, id, Status::success);
}

void NvmeController::create_submission_queue(Picoseconds now, Id id) {
  const nvme::SubmissionEntry& entry = command(id).entry;
  const unsigned number = entry.word(10) & 0xFFFF, completion = entry.word(11) >> 16;
  const std::uint32_t entries = (entry.word(10) >> 16) + 1;
  const bool is_contiguous = entry.word(11) & 1;
  if (number == 0 || number > config_.queues || submission_.contains(number))
    return end(now, id, Status::invalid_queue_identifier);
  if (completion == 0 || completion > config_.queues) return end(now, id, Status::invalid_queue_identifier);
  if (!completion_.contains(completion)) return end(now, id, Status::completion_queue_invalid);
  if (entries < 2 || entries > nvme::max_entries) return end(now, id, Status::invalid_queue_size);
  if (!is_contiguous) return end(now, id, Status::invalid_field);
  if (entry.prp1().value() % nvme::memory_page.count() != 0) return end(now, id, Status::prp_offset_invalid);
  submission_[number] = {.base = entry.prp1(), .entries = entries, .completion = completion};
  ++completion_[completion].users;
  end(now, id, Status::success);
}

void NvmeController::delete_completion_queue(Picoseconds now, Id id) {
  const unsigned number = command(id).entry.word(10) & 0xFFFF;
  const auto found = completion_.find(number);
  if (number == 0 || found == completion_.end()) return end(now, id, Status::invalid_queue_identifier);
  if (found->second.users != 0) return end(now, id, Status::invalid_queue_deletion);
  completion_.erase(found);
  update_interrupt();
  end(now, id, Status::success);
}

// The queue is deleted once its commands have ended.
void NvmeController::delete_submission_queue(Picoseconds now, Id id) {
  const unsigned number = command(id).entry.word(10) & 0xFFFF;
  const auto found = submission_.find(number);
  if (number == 0 || found == submission_.end() || found->second.deleted_by)
    return end(now, id, Status::invalid_queue_identifier);
  found->second.deleted_by = id;
  end_deletion(now, number);
}

// ---- what the controller is ----

void NvmeController::identify(Picoseconds now, Id id) {
  enum Structure : std::uint8_t { of_namespace = 0, of_controller = 1, list = 2, descriptors = 3 };
  Command& c = command(id);
  const std::uint32_t name_space = c.entry.name_space();
  switch (c.entry.word(10) & 0xFF) {
    case of_namespace:
      if (name_space != nvme::only_namespace && name_space != nvme::all_namespaces)
        return end(now, id, Status::invalid_namespace);
      c.data = namespace_data();
      break;
    case of_controller:
      c.data = controller_data();
      break;
    case list:
      if (name_space >= nvme::all_namespaces - 1) return end(now, id, Status::invalid_namespace);
      c.data.resize(identify_size);
      if (name_space < nvme::only_namespace) nvme::put<std::uint32_t>(c.data, 0, nvme::only_namespace);
      break;
    case descriptors:
      if (name_space != nvme::only_namespace) return end(now, id, Status::invalid_namespace);
      c.data.resize(identify_size);
      c.data[0] = std::byte{1};  // an EUI-64, of 8 bytes
      c.data[1] = std::byte{8};
      nvme::put<std::uint64_t>(c.data, 4, identifier_of(serial_));
      break;
    default:
      return end(now, id, Status::invalid_field);
  }
  c.size = Bytes(c.data.size());
  find_places(now, id, [this, id](Picoseconds at) { to_memory(at, id); });
}

// Figure 247 of the specification.
std::vector<std::byte> NvmeController::controller_data() const {
  std::vector<std::byte> data(identify_size);
  put_text(data, 4, 20, serial_);
  put_text(data, 24, 40, "Asterism NVMe disk");
  put_text(data, 64, 8, "1.0");
  nvme::put<std::uint8_t>(data, 77, nvme::max_transfer_shift);
  nvme::put<std::uint32_t>(data, 80, version);
  nvme::put<std::uint8_t>(data, 111, 1);  // CNTRLTYPE: an I/O controller
  nvme::put<std::uint8_t>(data, 258, 3);  // ACL, from 0
  nvme::put<std::uint8_t>(data, 259, max_event_requests - 1);
  nvme::put<std::uint8_t>(data, 260, 0x03);                  // FRMW: one slot, which cannot be written
  nvme::put<std::uint16_t>(data, 266, kelvin_at_zero + 70);  // WCTEMP
  nvme::put<std::uint16_t>(data, 268, kelvin_at_zero + 85);  // CCTEMP
  nvme::put<std::uint8_t>(data, 512, 0x66);                  // SQES: 64 bytes
  nvme::put<std::uint8_t>(data, 513, 0x44);                  // CQES: 16 bytes
  nvme::put<std::uint32_t>(data, 516, 1);                    // NN
  nvme::put<std::uint16_t>(data, 520, 0x1C);                 // ONCS: deallocation, zeroes, Select
  nvme::put<std::uint8_t>(data, 525, 0x07);  // VWC: there is a cache, and a flush of all namespaces
  const std::string name = "nqn.2014-08.org.nvmexpress:asterism:" + serial_;
  for (std::size_t i = 0; i < std::min<std::size_t>(name.size(), 255); ++i)
    data[768 + i] = static_cast<std::byte>(name[i]);
  return data;
}

// Figure 245. A flash page is the unit in which writes and deallocations are best.
std::vector<std::byte> NvmeController::namespace_data() const {
  constexpr std::uint32_t size_shift = 12;
  static_assert(NvmeDisk::block.count() == 1u << size_shift);
  std::vector<std::byte> data(identify_size);
  for (const std::size_t at : {0u, 8u, 16u}) nvme::put<std::uint64_t>(data, at, disk_.blocks());
  nvme::put<std::uint8_t>(data, 24, 0x10);  // NSFEAT: the following five fields are there
  for (const std::size_t at : {64u, 66u, 68u, 70u, 72u})
    nvme::put<std::uint16_t>(data, at, static_cast<std::uint16_t>(disk_.blocks_per_page() - 1));
  nvme::put<std::uint64_t>(data, 120, identifier_of(serial_));
  nvme::put<std::uint32_t>(data, 128, size_shift << 16);
  return data;
}

// Figure 194, as far as the model knows it.
std::vector<std::byte> NvmeController::health_data() const {
  constexpr std::uint64_t unit = 512'000;  // bytes
  std::vector<std::byte> data(512);
  nvme::put<std::uint8_t>(data, 0, disk_.read_only() ? 0x08 : 0);
  nvme::put<std::uint16_t>(data, 1, kelvin_at_zero + 40);  // assumed: there is no model of temperature
  nvme::put<std::uint8_t>(data, 3, disk_.read_only() ? 0 : 100);
  nvme::put<std::uint8_t>(data, 4, 10);
  nvme::put<std::uint64_t>(data, 32, (count_.read.count() + unit - 1) / unit);
  nvme::put<std::uint64_t>(data, 48, (count_.written.count() + unit - 1) / unit);
  nvme::put<std::uint64_t>(data, 64, count_.reads);
  nvme::put<std::uint64_t>(data, 80, count_.writes);
  nvme::put<std::uint64_t>(data, 112, count_.power_cycles);
  nvme::put<std::uint64_t>(data, 144, count_.unsafe_shutdowns);
  nvme::put<std::uint64_t>(data, 160, disk_.unreadable());
  return data;
}

void NvmeController::get_log_page(Picoseconds now, Id id) {
  enum Page : std::uint8_t { errors = 1, health = 2, firmware = 3 };
  Command& c = command(id);
  const std::uint64_t words =
      (std::uint64_t{c.entry.word(10) >> 16} | std::uint64_t{c.entry.word(11) & 0xFFFF} << 16) + 1;
  const std::uint64_t from = std::uint64_t{c.entry.word(13)} << 32 | c.entry.word(12);
  std::vector<std::byte> page;
  switch (c.entry.word(10) & 0xFF) {
    case errors:
      page.resize(64);
      break;
    case health:
      page = health_data();
      break;
    case firmware:
      page.resize(512);
      page[0] = std::byte{1};
      for (std::size_t i = 0; i < 8; ++i)
        page[8 + i] = static_cast<std::byte>(std::string_view("1.0     ")[i]);
      break;
    default:
      return end(now, id, Status::invalid_log_page);
  }
  c.size = Bytes(4 * words);
  if (from % 4 != 0 || from > page.size() || c.size > nvme::memory_page * (1u << nvme::max_transfer_shift))
    return end(now, id, Status::invalid_field);
  page.erase(page.begin(), page.begin() + static_cast<std::ptrdiff_t>(from));
  page.resize(c.size.count());
  c.data = std::move(page);
  find_places(now, id, [this, id](Picoseconds at) { to_memory(at, id); });
}

// ---- features ----

void NvmeController::set_features(Picoseconds now, Id id) {
  const nvme::SubmissionEntry& entry = command(id).entry;
  const bool is_saved = entry.word(10) >> 31;
  const std::uint32_t feature = entry.word(10) & 0xFF, value = entry.word(11);
  if (is_saved) return end(now, id, Status::feature_not_saveable);
  switch (feature) {
    case number_of_queues: {
      if ((value & 0xFFFF) == 0xFFFF || value >> 16 == 0xFFFF) return end(now, id, Status::invalid_field);
      return end(now, id, Status::success, (config_.queues - 1) << 16 | (config_.queues - 1));
    }
    case volatile_write_cache:
      write_cache_ = value & 1;
      if (write_cache_) return end(now, id, Status::success);
      return disk_.persist(now, id << part_bits);  // what it has must not be lost from now on
    case power_management:
      if ((value & 0x1F) != 0) return end(now, id, Status::invalid_field);
      [[fallthrough]];
    case arbitration:
    case temperature_threshold:
    case error_recovery:
    case interrupt_coalescing:
    case interrupt_vector:
    case write_atomicity:
    case asynchronous_events:
      features_[feature] = value;
      return end(now, id, Status::success);
    default:
      return end(now, id, Status::invalid_field);
  }
}

void NvmeController::get_features(Picoseconds now, Id id) {
  const nvme::SubmissionEntry& entry = command(id).entry;
  const std::uint32_t feature = entry.word(10) & 0xFF, select = entry.word(10) >> 8 & 7;
  enum Select : std::uint8_t { current = 0, default_value = 1, saved = 2, capabilities = 3 };
  const bool is_current = select == current;
  if (select > capabilities) return end(now, id, Status::invalid_field);
  if (select == capabilities) {
    constexpr std::uint32_t changeable = 1u << 2;  // neither saveable nor of one namespace
    const bool is_there = (feature >= arbitration && feature <= asynchronous_events) && feature != 3;
    return is_there ? end(now, id, Status::success, changeable) : end(now, id, Status::invalid_field);
  }
  switch (feature) {
    case number_of_queues:
      return end(now, id, Status::success, (config_.queues - 1) << 16 | (config_.queues - 1));
    case volatile_write_cache:
      return end(now, id, Status::success, (is_current ? write_cache_ : config_.write_cache) ? 1 : 0);
    case arbitration:
    case power_management:
    case temperature_threshold:
    case error_recovery:
    case interrupt_coalescing:
    case interrupt_vector:
    case write_atomicity:
    case asynchronous_events:
      return end(now, id, Status::success,
                 is_current && features_.contains(feature) ? features_.at(feature) : 0);
    default:
      return end(now, id, Status::invalid_field);
  }
}

// Held until there is an event.
void NvmeController::request_event(Picoseconds now, Id id) {
  if (event_) {
    const std::uint32_t event = *event_;
    event_.reset();
    return end(now, id, Status::success, event);
  }
  if (event_requests_.size() >= max_event_requests) return end(now, id, Status::event_limit_exceeded);
  event_requests_.push_back(id);
}

}  // namespace asterism
