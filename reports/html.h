#pragma once

#include <string>
#include <string_view>

namespace hbmscope {

// One HTML page that shows the data and holds it. `json` is what the JSON writer made of a set of records;
// its text goes into the page as it is, so numbers of any size stay exact. The page needs no network and no
// other file.
std::string html_report(std::string_view json);

}  // namespace hbmscope
