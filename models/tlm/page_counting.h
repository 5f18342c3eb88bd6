// The role of devices that know what happens to the pages of a memory or to the blocks of their flash.
#pragma once

#include <string>

#include "base/page_map.h"

namespace asterism {

class PageCounting {
 public:
  virtual ~PageCounting() = default;
  // From now on the device counts what it does not count otherwise. Before simulation begins.
  virtual void count_pages() = 0;
  // Adds what has happened until now to the memories of the map, or areas of its own below `name`, the path
  // of the instance.
  virtual void report_pages(PageMap& map, const std::string& name) const = 0;
};

}  // namespace asterism
