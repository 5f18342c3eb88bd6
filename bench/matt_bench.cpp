// The number of write requests a second that the Memory Accesses Tracking Table processes in one thread.
//
//   matt_bench [--check] [--requests N]
//
// The patterns cover the 367,247 pages that mcf modifies in an interval (abeyratne2017 Table 5.2), with
// requests of one line each:
//   sweep    line after line, page after page, then from the start again
//   random   a page and a line at random
//   hot      32 pages, which the buffer holds
//   mixed    a third of each, alternating every 64 requests
//   copied   like mixed, while pages are copied: one for every 16 requests, and a phase begins every
//            4 million requests
// Times are processor time; a figure is the median of five rounds. With --check the exit status is 1 when one
// misses its limit. N: requests of a round, 20 million by default.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/random.h"
#include "figures.h"
#include "matt/matt.h"

namespace asterism {
namespace {

constexpr std::uint32_t pages = 367'247;
constexpr std::size_t trace_length = 1 << 20;

struct Request {
  std::uint32_t page;
  std::uint32_t line;
};
using Trace = std::vector<Request>;

Trace trace_of(const std::function<Request(std::size_t)>& request) {
  Trace trace(trace_length);
  for (std::size_t i = 0; i < trace.size(); ++i) trace[i] = request(i);
  return trace;
}

// Requests a second; with `copy_every` 0 nothing is copied.
double speed(const Trace& trace, std::uint64_t requests, unsigned copy_every) {
  std::vector<double> seconds;
  for (unsigned round = 0; round < 5; ++round) {
    Matt table({}, pages);
    for (std::uint32_t page = 0; page < pages; ++page) table.track(page, true);
    std::uint64_t not_ready = 0;
    const double begin = cpu_seconds();
    for (std::uint64_t i = 0; i < requests; ++i) {
      const Request& request = trace[i % trace_length];
      not_ready += table.write(request.page, std::uint64_t{1} << request.line) == Matt::Answer::not_ready;
      if (copy_every == 0) continue;
      if (i % copy_every == 0)
        if (const auto choice = table.next(true)) table.copied(choice->page);
      if (i % 4'000'000 == 3'999'999) table.begin_phase();
    }
    seconds.push_back(cpu_seconds() - begin);
    if (not_ready > requests) throw std::logic_error("more requests wait than were made");
  }
  return static_cast<double>(requests) / median(seconds);
}

void measure(std::uint64_t requests) {
  Random random(1);
  const auto sweep = [](std::size_t i) {
    return Request{static_cast<std::uint32_t>(i / 64 % pages), static_cast<std::uint32_t>(i % 64)};
  };
  const auto anywhere = [&](std::size_t) {
    return Request{static_cast<std::uint32_t>(random.below(pages)),
                   static_cast<std::uint32_t>(random.below(64))};
  };
  const auto hot = [&](std::size_t) {
    return Request{static_cast<std::uint32_t>(random.below(32)),
                   static_cast<std::uint32_t>(random.below(64))};
  };
  const auto mixed = [&](std::size_t i) {
    return i / 64 % 3 == 0 ? sweep(i / 3) : i / 64 % 3 == 1 ? anywhere(i) : hot(i);
  };
  const struct {
    const char* name;
    Trace trace;
    unsigned copy_every;
  } patterns[] = {{"sweep", trace_of(sweep), 0},
                  {"random", trace_of(anywhere), 0},
                  {"hot", trace_of(hot), 0},
                  {"mixed", trace_of(mixed), 0},
                  {"copied", trace_of(mixed), 16}};
  for (const auto& pattern : patterns) {
    const double measured = speed(pattern.trace, requests, pattern.copy_every) / 1e6;
    const bool limited = std::string(pattern.name) == "mixed";
    figures.add(pattern.name, fmt::format("{:.1f} M/s", measured), !limited || measured >= 60,
                limited ? ">= 60" : "");
  }
}

}  // namespace
}  // namespace asterism

int main(int argc, char** argv) {
  CLI::App app;
  std::uint64_t requests = 20'000'000;
  app.add_option("--requests", requests, "Of a round");
  return asterism::bench_main(argc, argv, app, [&] { asterism::measure(requests); });
}
