// The log of one node of several in a program that has an sc_main of its own.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "tlm/log.h"

namespace asterism {

// As set_log_levels(), and those of other instances remain.
void add_log_levels(const std::map<std::string, LogLevel>& by_instance);

// Receives the messages of an instance and of what is in it. Those for which it returns false go to stderr.
using LogReceiver = std::function<bool(LogLevel, const std::string& instance, std::string_view text)>;
void receive_log(const std::string& instance, LogReceiver receiver);  // nullptr: ends that
// Appends the texts to `lines`, for tests.
inline void collect_log(const std::string& instance, std::string& lines) {
  receive_log(instance, [&lines](LogLevel, const std::string&, std::string_view text) {
    lines.append(text) += '\n';
    return true;
  });
}

}  // namespace asterism
