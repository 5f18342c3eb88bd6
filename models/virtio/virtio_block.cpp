#include "virtio/virtio_block.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "base/fields.h"
#include "tlm/log.h"

namespace asterism {
namespace {

enum Feature : std::uint32_t {
  limits_segments = 1u << 2,
  is_read_only = 1u << 5,
  has_block_size = 1u << 6,
  can_flush = 1u << 9
};

enum Request : std::uint32_t { read_request = 0, write_request = 1, flush_request = 4, name_request = 8 };

constexpr std::uint32_t block_device = 2;
constexpr Bytes header_size{16}, name_size{20};
constexpr std::size_t piece_size = 64 << 10;  // of data, at a time

std::uint32_t features_of(const VirtioBlockConfig& config) {
  return limits_segments | has_block_size | (config.read_only ? std::uint32_t{is_read_only} : 0) |
         (config.write_cache ? std::uint32_t{can_flush} : 0);
}

const RegisteredDevice<VirtioBlock> virtio_block_type{
    "virtio_block", "A virtio disk: an image file of the host, or a disk that is empty at first."};

}  // namespace

static_assert(member_count<VirtioBlockConfig>() == 7);
void describe(Fields& f, VirtioBlockConfig& c) {
  f("image", c.image,
    "A file with the contents of the disk. \"\": the disk has `size`, and is zero at first.");
  f("size", c.size, "The capacity, a multiple of 512 bytes. 0: that of the image, of which all else is zero.",
    within(0_B, 4_TiB));
  f("copy_on_write", c.copy_on_write,
    "Whether the image stays as it is, and what is written lasts until the end of the run. Otherwise the "
    "file "
    "is changed, and made if there is none.");
  f("read_only", c.read_only, "Whether the disk refuses writes.");
  f("write_cache", c.write_cache,
    "Whether a power failure may lose what was written since the last flush, each sector or not. Without a "
    "cache "
    "each write is durable when it has ended.");
  f("latency", c.latency, "The time of a request, besides that of its data.", within(0_ps, 1_s));
  f("bandwidth", c.bandwidth, "The rate at which data are read and written.", within(1_MBps, 1000_GBps));
  f.check(c.size % DiskImage::sector == 0_B, "size", "is a multiple of 512 bytes");
  f.check(!c.image.empty() || c.size != 0_B, "size", "is not 0 for a disk without an image");
  f.check(!c.read_only || c.copy_on_write, "read_only", "is false for a disk whose image is changed");
}

VirtioBlockRegisters::VirtioBlockRegisters()
    : VirtioRegisters(
          "VIRTIO_BLOCK",
          "Virtio disk (Virtual I/O Device version 1.2, section 5.2), behind memory-mapped registers.",
          block_device) {
  for (Register* each : {&capacity, &segment_size, &segments, &geometry, &block_size}) each->any_width();
}

DeviceShape VirtioBlock::shape(const Config& config, const NodeFacts&) {
  DeviceShape shape = VirtioDevice::shape(std::make_shared<VirtioBlockRegisters>());
  if (!config.image.empty())
    shape.host.files = {{.key = "image", .file = config.image, .is_kept = !config.copy_on_write}};
  return shape;
}

VirtioBlock::VirtioBlock(const sc_core::sc_module_name& name, const Config& config,
                         const DeviceContext& context) try
    : VirtioDevice(name, std::make_unique<VirtioBlockRegisters>(), features_of(config), 1, context),
      config_(config),
      random_(context.seed),
      image_({config.image, config.size, config.copy_on_write, config.write_cache}) {
  registers<VirtioBlockRegisters>().capacity.computed([this](unsigned half, Accessor) {
    return static_cast<std::uint32_t>(image_.size() / DiskImage::sector >> 32 * half);
  });
} catch (const DiskImageError& error) {
  throw DeviceError("image", error.what());
}

std::uint32_t VirtioBlock::serve(unsigned, BufferSequence& readable, BufferSequence& writable) {
  if (readable.left() < header_size || writable.left() == 0_B)
    throw QueueError("a request has less than its header of 16 bytes and its status");
  std::array<std::byte, header_size.count()> header;
  readable.read(header);
  std::uint32_t request = 0;
  std::uint64_t sector = 0;
  std::memcpy(&request, header.data(), sizeof request);
  std::memcpy(&sector, header.data() + 8, sizeof sector);
  BufferSequence status = writable.split_off(1_B);
  const Bytes room = writable.left();
  Result result = Result::error;
  try {
    result = obey(request, sector, readable, writable);
  } catch (const DiskImageError& error) {
    log(name()).warn("{}", error.what());
  }
  const std::byte last{static_cast<std::uint8_t>(result)};
  status.write({&last, 1});
  return static_cast<std::uint32_t>((room - writable.left() + 1_B).count());
}

VirtioBlock::Result VirtioBlock::obey(std::uint32_t request, std::uint64_t sector, BufferSequence& readable,
                                      BufferSequence& writable) {
  pass(config_.latency);
  switch (request) {
    case read_request:
      return transfer(false, sector, writable);
    case write_request:
      return config_.read_only ? Result::error : transfer(true, sector, readable);
    case flush_request:
      ++flushes_;
      image_.flush();
      return Result::ok;
    case name_request: {
      std::array<std::byte, name_size.count()> text{};
      const std::string own = basename();
      std::memcpy(text.data(), own.data(), std::min(own.size(), text.size()));
      writable.write(std::span(text).first(std::min<std::size_t>(text.size(), writable.left().count())));
      return Result::ok;
    }
    default:
      return Result::unsupported;
  }
}

VirtioBlock::Result VirtioBlock::transfer(bool is_write, std::uint64_t sector, BufferSequence& data) {
  const std::uint64_t sectors = image_.size() / DiskImage::sector;
  const std::uint64_t count = data.left() / DiskImage::sector;
  if (data.left() % DiskImage::sector != 0_B || sector > sectors || count > sectors - sector)
    return Result::error;
  ++(is_write ? writes_ : reads_);
  (is_write ? written_ : read_) += data.left();
  std::vector<std::byte> piece;
  for (Bytes offset = DiskImage::sector * sector; data.left() != 0_B; offset += Bytes(piece.size())) {
    piece.resize(std::min<std::size_t>(piece_size, data.left().count()));
    pass(transfer_time(Bytes(piece.size()), config_.bandwidth));
    if (is_write) {
      data.read(piece);
      image_.write(offset, piece);
    } else {
      image_.read(offset, piece);
      data.write(piece);
    }
  }
  return Result::ok;
}

void VirtioBlock::reset(Reset kind) {
  if (kind == Reset::power_loss) image_.lose_power(random_);
  VirtioDevice::reset(kind);
}

void VirtioBlock::report(Statistics& statistics) const {
  VirtioDevice::report(statistics);
  statistics.add("reads", reads_);
  statistics.add("writes", writes_);
  statistics.add("flushes", flushes_);
  statistics.add("read", read_);
  statistics.add("written", written_);
}

}  // namespace asterism
