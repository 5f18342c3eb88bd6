#include "tlm/terminal_input.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace asterism {

TerminalInput::TerminalInput(const char* name, int descriptor, std::function<void(std::string_view)> deliver)
    : sc_prim_channel(name),
      descriptor_(descriptor),
      stop_(eventfd(0, EFD_CLOEXEC)),
      deliver_(std::move(deliver)),
      arrival_(sc_core::sc_gen_unique_name("arrival")) {
  if (stop_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.dont_initialize();
  options.set_sensitivity(&arrival_);
  sc_core::sc_spawn([this] { deliver_(std::exchange(arrived_, {})); }, sc_core::sc_gen_unique_name("deliver"),
                    &options);
}

TerminalInput::~TerminalInput() {
  if (reader_.joinable()) {
    eventfd_write(stop_, 1);
    reader_.join();
  }
  close(stop_);
}

void TerminalInput::start_of_simulation() {
  attached_ = async_attach_suspending();
  reader_ = std::thread([this] { read_until_stopped(); });
}

void TerminalInput::read_until_stopped() {
  for (;;) {
    pollfd waits[] = {{descriptor_, POLLIN, 0}, {stop_, POLLIN, 0}};
    if (poll(waits, 2, -1) < 0 && errno != EINTR) return post({}, true);
    if (waits[1].revents) return;
    if (!waits[0].revents) continue;
    char characters[256];
    const ssize_t count = read(descriptor_, characters, sizeof characters);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) return post({}, true);
    post({characters, static_cast<std::size_t>(count)}, false);
  }
}

void TerminalInput::post(std::string_view characters, bool ended) {
  const std::lock_guard lock(mutex_);
  posted_ += characters;
  ended_ |= ended;
  async_request_update();
}

void TerminalInput::update() {
  const std::lock_guard lock(mutex_);
  arrived_ += std::exchange(posted_, {});
  if (!arrived_.empty()) arrival_.notify(sc_core::SC_ZERO_TIME);
  if (ended_ && attached_) attached_ = !async_detach_suspending();
}

}  // namespace asterism
