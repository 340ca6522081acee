#include "cli/checkup.h"

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/child_process.h"
#include "base/data_folder.h"
#include "base/program.h"
#include "base/sentence.h"
#include "bench/catalogue/bench_library.h"
#include "learn/policy/learn_library.h"
#include "plan/machine/hardware_description.h"
#include "plan/machine/processor.h"
#include "run/runtime/runtime.h"
#include "store/database/postgresql.h"
#include "store/database/store.h"

namespace hone {
namespace {

std::string size_text(double bytes) {
  constexpr double kKibi = 1024;
  if (bytes < kKibi * kKibi) return fmt::format("{:.0f} KiB", bytes / kKibi);
  if (bytes < kKibi * kKibi * kKibi) return fmt::format("{:.0f} MiB", bytes / kKibi / kKibi);
  return fmt::format("{:.1f} GiB", bytes / kKibi / kKibi / kKibi);
}

Finding machine_finding() {
  const Processor processor = detect_processor();
  std::vector<std::string> caches;
  for (const double bytes : processor.cache_bytes) caches.push_back(size_text(bytes));
  return {.text = fmt::format("{}, {} cores, {} threads, memory {}, vectors of {} bits, caches {}", processor.model,
                              describe_hardware()["cores"].get<std::size_t>(), processor.threads,
                              size_text(processor.memory_bytes), processor.vector_bits,
                              caches.empty() ? "unknown" : fmt::format("{}", fmt::join(caches, ", ")))};
}

Finding accelerator_finding() {
  std::vector<std::string> names;
  const nlohmann::ordered_json hardware = describe_hardware();
  for (const auto& name : hardware["accelerators"]) names.push_back(name.get<std::string>());
  if (!names.empty()) return {.text = fmt::format("{}", fmt::join(names, ", "))};
  return {.text = "none; models and training run on the processor"};
}

Finding runtime_finding(const Runtime& runtime) {
  if (runtime.available()) return {.text = fmt::format("{} {}", runtime.title(), runtime.version())};
  return {.standing = Standing::missing,
          .text = fmt::format("{} is not installed: models are not measured or profiled on it", runtime.title()),
          .remedy = runtime.install_command()};
}

/// Tried in a process of its own: libtorch takes memory, and a library may be of another version.
template <class Library>
bool can_be_opened() {
  constexpr double kLimitSeconds = 60;
  const ChildResult opened = run_in_child(
      [] {
        Library::open();
        return std::string();
      },
      kLimitSeconds);
  return opened.succeeded();
}

Finding learn_finding() {
  if (can_be_opened<LearnLibrary>()) return {.text = "libtorch, to train policies"};
  return {.standing = Standing::missing,
          .text = "no policy can be trained; those there are can be used",
          .remedy = "./hone setup learn"};
}

Finding bench_finding() {
  if (can_be_opened<BenchLibrary>()) return {.text = "benchmark cases"};
  return {.standing = Standing::missing,
          .text = "benchmark cases are built with the first that is run",
          .remedy = "./hone bench CASE"};
}

Finding npm_finding() {
  const auto npm = find_program("npm"), node = find_program("node");
  if (npm && node) return {.text = fmt::format("{} and {}", npm->string(), node->string())};
  return {
      .standing = Standing::missing, .text = "needed once, to install what measures", .remedy = "apt-get install npm"};
}

Finding store_finding() {
  Finding finding{.text = "no place is known"};
  try {
    const StoreUrl url = parse_store_url("default");
    finding.text = url.shown;
    const bool is_new = url.kind == StoreUrl::Kind::sqlite && !std::filesystem::exists(url.target);
    if (!is_new) Store("default", StoreAccess::read);
    else if (::access(std::filesystem::path(url.target).parent_path().c_str(), W_OK) != 0)
      fail_usage("{}: its folder cannot be written to", url.shown);
    else finding.text += ", made when first used";
  } catch (const InputError& error) {
    finding.standing = Standing::missing;
    finding.text = one_line(error.what());
    finding.remedy = "name another with --db or HONE_DB";
  }
  return finding;
}

Finding postgresql_finding() {
  if (postgresql_obstacle().empty()) return {.text = "libpq, for stores on a server"};
  return {.standing = Standing::missing,
          .text = "stores on a PostgreSQL server cannot be used; those in files can",
          .remedy = "apt-get install libpq5"};
}

/// Every model that is measured or verified on a runtime passes through here.
Finding temporary_finding() {
  try {
    const TemporaryFolder folder;
    return {.text = folder.path().parent_path().string()};
  } catch (const std::exception& error) {
    return {.standing = Standing::broken,
            .text = one_line(error.what()),
            .remedy = "set TMPDIR to a folder that can be written to"};
  }
}

/// Whether a folder can be written to, or made where it is missing.
bool is_writable(std::filesystem::path folder) {
  std::error_code none;
  while (!std::filesystem::exists(folder, none) && folder.has_parent_path() && folder != folder.parent_path())
    folder = folder.parent_path();
  return ::access(folder.c_str(), W_OK) == 0;
}

Finding data_finding() {
  const std::string folder = data_folder().string();
  if (is_writable(folder)) return {.text = folder};
  return {.standing = Standing::missing,
          .text = fmt::format("nothing can be installed in {}", folder),
          .remedy = "set XDG_DATA_HOME to a folder that can be written to"};
}

}  // namespace

std::vector<CheckedPart> all_parts() {
  std::vector<CheckedPart> parts{{"machine", machine_finding}, {"accelerator", accelerator_finding}};
  for (const RuntimeKind* kind : RuntimeKind::all()) {
    const std::shared_ptr<const Runtime> runtime = kind->make("");
    if (runtime->install_command().empty()) continue;  // it is part of hone
    parts.push_back({std::string(kind->name()), [runtime] { return runtime_finding(*runtime); }});
  }
  const std::vector<CheckedPart> others{
      {"learn", learn_finding},        {"bench", bench_finding},           {"npm", npm_finding},
      {"store", store_finding},        {"postgresql", postgresql_finding}, {"data", data_finding},
      {"temporary", temporary_finding}};
  parts.insert(parts.end(), others.begin(), others.end());
  return parts;
}

}  // namespace hone
