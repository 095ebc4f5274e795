#include "sim/l2/reuse.h"

#include <algorithm>
#include <map>
#include <vector>

#include "sim/l2/cta_slots.h"

namespace hbmscope {
namespace {

// Padding of boxes and ragged ends are no reuse.
constexpr double kFewestTimes = 1.01;

// The distinct bytes that a launch loads of each tensor: what is compulsory if nothing runs but this launch.
LaunchTraffic distinct_loads(const Program& program, int launch) {
  Program alone = program;
  alone.launches.clear();
  alone.launches.push(program.launches[launch]);
  Traffic traffic;
  LaunchTraffic& counted = traffic.launches.add();
  for (Tensor& tensor : alone.tensors) {
    if (is_allocated(tensor.role)) tensor.role = Role::input;
    counted.tensors.add();
  }
  count_compulsory(alone, traffic);
  return traffic.launches[0];
}

bool is_used_before(const Traffic& traffic, int launch, const Program& program, int base) {
  for (int earlier = 0; earlier < launch; ++earlier) {
    for (int tensor = 0; tensor < program.tensors.count(); ++tensor) {
      const ReadWrite& l2 = traffic.launches[earlier].tensors[tensor].l2;
      if (base_tensor(program, tensor) == base && l2.read + l2.write > 0) return true;
    }
  }
  return false;
}

void list_reread(const Program& program, const Traffic& traffic, int launch, LaunchReuse& reuse) {
  const LaunchTraffic distinct = distinct_loads(program, launch);
  std::array<std::uint64_t, kMaxTensors> loaded{};
  for (int tensor = 0; tensor < program.tensors.count(); ++tensor) {
    std::uint64_t& sum = loaded[static_cast<std::size_t>(base_tensor(program, tensor))];
    sum = checked_add(sum, traffic.launches[launch].tensors[tensor].l2.read);
  }
  for (int tensor = 0; tensor < program.tensors.count(); ++tensor) {
    const std::uint64_t bytes = loaded[static_cast<std::size_t>(tensor)];
    const std::uint64_t once = distinct.tensors[tensor].compulsory.read;
    if (once == 0) continue;
    if (static_cast<double>(bytes) >= kFewestTimes * static_cast<double>(once))
      reuse.within.push({tensor, bytes, once});
    const std::uint64_t first = traffic.launches[launch].tensors[tensor].compulsory.read;
    if (once > first && is_used_before(traffic, launch, program, tensor))
      reuse.carried.push({tensor, bytes, once - first});
  }
}

int load_of(const Launch& launch, const Program& program, int tensor) {
  for (int access = 0; access < launch.accesses.count(); ++access) {
    const Access& described = launch.accesses[access];
    if (described.operation == Operation::load && base_tensor(program, described.tensor) == tensor)
      return access;
  }
  return kNone;
}

// Heads among the CTAs that start first. One counts by how many of its CTAs are in flight, as a share of what
// is usual: the last of a row of heads has only begun.
double live_heads(const LaunchBody& body, int access, std::int64_t in_flight) {
  std::map<std::int64_t, double> ctas_of;
  for (std::int64_t position = 0; position < in_flight; ++position) {
    ctas_of[plane_of(body, access, body.item_at(position))] += 1;
  }
  std::vector<double> ctas;
  for (const auto& [plane, count] : ctas_of) ctas.push_back(count);
  std::nth_element(ctas.begin(), ctas.begin() + static_cast<std::ptrdiff_t>(ctas.size() / 2), ctas.end());
  const double usual = ctas[ctas.size() / 2];
  double heads = 0;
  for (const double count : ctas) heads += std::min(1.0, count / usual);
  return heads;
}

}  // namespace

std::int64_t plane_of(const LaunchBody& body, int access, std::int64_t item) {
  return value_of(body.launch().accesses[access].plane, body.program(), body.start_of(item).indices);
}

LaunchReuse launch_reuse(const Program& program, const Traffic& traffic, int launch, const GpuSpec& gpu) {
  const LaunchBody body(program, launch);
  LaunchReuse reuse{.ctas = body.items(), .in_flight = resident_ctas(body.launch(), program, gpu)};
  list_reread(program, traffic, launch, reuse);
  if (reuse.within.empty() || reuse.in_flight == 0) return reuse;
  const RereadTensor& most = *std::max_element(
      reuse.within.begin(), reuse.within.end(),
      [](const auto& a, const auto& b) { return a.loaded - a.distinct < b.loaded - b.distinct; });
  reuse.head_access = load_of(body.launch(), program, most.tensor);
  reuse.heads = program.tensors[most.tensor].planes;
  reuse.heads_live = live_heads(body, reuse.head_access, reuse.in_flight);
  reuse.ctas_per_head = static_cast<double>(reuse.ctas) / static_cast<double>(reuse.heads);
  for (const RereadTensor& tensor : reuse.within) {
    reuse.head_bytes += static_cast<double>(tensor.distinct) / static_cast<double>(reuse.heads);
  }
  return reuse;
}

}  // namespace hbmscope
