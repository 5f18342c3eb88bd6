#include "tlm/dma_initiator.h"

#include <algorithm>
#include <deque>
#include <string>
#include <utility>

#include "base/page_lines.h"
#include "tlm/initiator_extension.h"
#include "tlm/time.h"

namespace asterism {
namespace {

void fill(tlm::tlm_generic_payload& payload, tlm::tlm_command command, Bytes offset,
          std::span<std::byte> data) {
  payload.set_command(command);
  payload.set_address(offset.count());
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(data.data()));
  payload.set_data_length(static_cast<unsigned>(data.size()));
  payload.set_streaming_width(static_cast<unsigned>(data.size()));
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

}  // namespace

class DmaInitiator::Channel final : public MemoryPort {
 public:
  explicit Channel(DmaInitiator& owner) : owner_(owner) {
    payload_.set_extension(&who);
    sc_core::sc_spawn_options thread;
    thread.set_stack_size(256 << 10);  // RTL of a target may be executed on it
    sc_core::sc_spawn([this] { serve(); }, sc_core::sc_gen_unique_name("dma"), &thread);
  }
  ~Channel() override { payload_.clear_extension(&who); }
  Channel(const Channel&) = delete;

  InitiatorExtension who;

  void read(Picoseconds, Address first, Bytes size, OnAccessEnd ended) override {
    begin(tlm::TLM_READ_COMMAND, {{first, size}}, std::vector<std::byte>(size.count()), std::move(ended));
  }
  void write(Picoseconds, Address first, std::span<const std::byte> data, OnAccessEnd ended) override {
    begin(tlm::TLM_WRITE_COMMAND, {{first, Bytes(data.size())}}, {data.begin(), data.end()},
          std::move(ended));
  }
  void begin(tlm::tlm_command command, std::vector<AddressRange> places, std::vector<std::byte> data,
             OnAccessEnd ended) {
    waiting_.push_back({command, std::move(places), std::move(data), std::move(ended)});
    begun_.notify(sc_core::SC_ZERO_TIME);
  }
  void record_in(ActivityLog& activity, const std::string& path) {
    activity_ = &activity;
    track_ = activity.track(path);
  }
  void abandon() override {
    who.aborted = true;
    waiting_.clear();
    free_at_ = {};
  }

 private:
  struct Request {
    tlm::tlm_command command;
    std::vector<AddressRange> places;
    std::vector<std::byte> data;
    OnAccessEnd ended;
  };

  void serve() {
    for (;;) {
      if (waiting_.empty())
        sc_core::wait(begun_);
      else if (free_at_ > now())
        sc_core::wait(to_sc_time(free_at_ - now()), begun_);
      else
        serve_next();
    }
  }

  void serve_next() {
    Request request = std::move(waiting_.front());
    waiting_.pop_front();
    who.aborted = false;
    sc_core::sc_time delay;
    const Picoseconds begun = now();
    const bool ok = access(request, delay);
    if (who.aborted) return;
    free_at_ = now() + to_picoseconds(delay);
    if (activity_) record(request, begun);
    request.ended({free_at_, ok,
                   request.command == tlm::TLM_READ_COMMAND ? request.data : std::span<const std::byte>()});
    owner_.after_access();
  }

  void record(const Request& request, Picoseconds begun) {
    activity_->interval(track_, begun, free_at_, request.command == tlm::TLM_READ_COMMAND ? "read" : "write",
                        {{"address", request.places.empty() ? 0 : request.places.front().first.value()},
                         {"bytes", std::uint64_t{request.data.size()}}});
  }

  bool access(Request& request, sc_core::sc_time& delay) {
    const auto exists = [this](AddressRange place) {
      return owner_.memory_.contains(place.first, place.size);
    };
    if (!std::ranges::all_of(request.places, exists)) return false;
    std::span<std::byte> data = request.data;
    for (const AddressRange& place : request.places)
      for (Address at = place.first; at < place.first + place.size;) {
        const Bytes size = std::min(page_of(at) + tracked_page, place.first + place.size) - at;
        if (!transport(request.command, at, data.first(size.count()), delay)) return false;
        data = data.subspan(size.count());
        at += size;
      }
    return true;
  }

  bool transport(tlm::tlm_command command, Address at, std::span<std::byte> data, sc_core::sc_time& delay) {
    fill(payload_, command, at - owner_.memory_.first, data);
    who.poison = false;
    owner_->b_transport(payload_, delay);
    return payload_.is_response_ok() && !who.poison && !who.aborted;
  }

  DmaInitiator& owner_;
  tlm::tlm_generic_payload payload_;
  std::deque<Request> waiting_;
  sc_core::sc_event begun_;
  Picoseconds free_at_;  // when the access before ends, which is already known
  ActivityLog* activity_ = nullptr;
  ActivityLog::Track track_ = 0;
};

DmaInitiator::DmaInitiator(const char* name, AddressRange memory, unsigned channels)
    : simple_initiator_socket(name), memory_(memory) {
  for (unsigned i = 0; i < channels; ++i) channels_.push_back(std::make_unique<Channel>(*this));
}

DmaInitiator::~DmaInitiator() = default;

void DmaInitiator::identify(unsigned master) {
  for (const auto& channel : channels_) channel->who.master = master;
}

void DmaInitiator::set_on_die() {
  for (const auto& channel : channels_) channel->who.on_die = true;
}

void DmaInitiator::record_in(ActivityLog& activity, unsigned channel, std::string_view part) {
  channels_.at(channel)->record_in(activity,
                                   std::string(get_parent_object()->name()).append(".").append(part));
}

MemoryPort& DmaInitiator::channel(unsigned index) { return *channels_.at(index); }

void DmaInitiator::read(unsigned channel, std::vector<AddressRange> places, OnAccessEnd ended) {
  Bytes size;
  for (const AddressRange& place : places) size += place.size;
  channels_.at(channel)->begin(tlm::TLM_READ_COMMAND, std::move(places), std::vector<std::byte>(size.count()),
                               std::move(ended));
}

void DmaInitiator::write(unsigned channel, std::vector<AddressRange> places, std::span<const std::byte> data,
                         OnAccessEnd ended) {
  channels_.at(channel)->begin(tlm::TLM_WRITE_COMMAND, std::move(places), {data.begin(), data.end()},
                               std::move(ended));
}

bool DmaInitiator::peek(Address first, std::span<std::byte> data) {
  if (!memory_.contains(first, Bytes(data.size()))) return false;
  tlm::tlm_generic_payload payload;
  fill(payload, tlm::TLM_READ_COMMAND, first - memory_.first, data);
  return (*this)->transport_dbg(payload) == data.size();
}

void DmaInitiator::reset(Reset) {
  for (const auto& channel : channels_) channel->abandon();
}

}  // namespace asterism
