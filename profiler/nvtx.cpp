#include "profiler/nvtx.h"

#include <map>
#include <nvtx3/nvtx3.hpp>

namespace hbmscope {
namespace {

struct Domain {
  // NVTX asks for this name. NOLINTNEXTLINE(readability-identifier-naming)
  static constexpr char const* name{"hbmscope"};
};

using RegisteredString = nvtx3::registered_string_in<Domain>;

// Registered once per name: pushing then passes a handle instead of a text.
const RegisteredString& registered(const std::string& name) {
  thread_local std::map<std::string, RegisteredString> strings;
  return strings.try_emplace(name, name).first->second;
}

}  // namespace

NvtxRange::NvtxRange(std::string_view name) {
  const nvtx3::event_attributes attributes{registered(nvtx_name(name))};
  nvtxDomainRangePushEx(nvtx3::domain::get<Domain>(), attributes.get());
}

NvtxRange::~NvtxRange() { nvtxDomainRangePop(nvtx3::domain::get<Domain>()); }

}  // namespace hbmscope
