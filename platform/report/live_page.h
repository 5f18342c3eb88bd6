// The page that follows a run while it goes on (page/live.js), for serve/page_server.h.
#pragma once

#include <string>

#include "platform/report/page.h"

namespace asterism {

struct LivePage {
  std::string title, token;
  bool control = false;
  std::string report;  // the file that will have the report of the run
};
// It refers to /page.css, /plots.js and /page.js, the parts of any page, with the token.
std::string live_page(const LivePage& page);

}  // namespace asterism
