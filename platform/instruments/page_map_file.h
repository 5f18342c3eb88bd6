// The file of what has happened to pages and blocks (base/page_map.h), traces/pages.bin, as docs/seeing.md
// describes it. Errors: RunRecordError says what is wrong with the file.
#pragma once

#include <string>
#include <string_view>

#include "base/page_map.h"
#include "platform/instruments/run_record.h"

namespace asterism {

inline constexpr const char* page_map_name = "traces/pages.bin";  // in the folder of a run

std::string to_file(const PageMap& map);
PageMap read_page_map(std::string_view bytes);

}  // namespace asterism
