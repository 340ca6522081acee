#include "store/records/price_lesson_records.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "store/records/circumstances.h"

namespace hone {
namespace {

constexpr const char* kLessonKind = "price lesson";
constexpr std::int64_t kMostModels = 64;
constexpr std::size_t kMostSamples = 100;  // of a model
constexpr double kColumnDigits = 1e6;      // columns are shares of the time: more tells nothing

constexpr std::string_view kAlike = "kind = $1 AND hardware = $2 AND software = $3";
constexpr std::string_view kNewestFirst = "ORDER BY created_seconds DESC, id DESC";

Json json_of(const PriceSample& sample) {
  std::vector<double> columns;
  for (const double column : sample.columns) columns.push_back(std::round(column * kColumnDigits) / kColumnDigits);
  return {{"columns", columns},
          {"expected_log_ratio", sample.expected_log_ratio},
          {"log_ratio", sample.log_ratio},
          {"error", sample.error}};
}

/// Nothing where it is not what this hone writes.
std::optional<PriceLesson> lesson_in(const RunRecord& record) try {
  PriceLesson lesson{.prices = record.request.at("prices"), .samples = {}};
  for (const Json& each : record.outcome.at("samples"))
    lesson.samples.push_back({.columns = each.at("columns"),
                              .expected_log_ratio = each.at("expected_log_ratio"),
                              .log_ratio = each.at("log_ratio"),
                              .error = each.at("error")});
  return lesson;
} catch (const Json::exception&) {
  return std::nullopt;
}

}  // namespace

void record_price_lesson(Store& store, const GraphRecord& graph, const ProfileContext& context,
                         const PriceLesson& lesson) {
  const Provenance provenance{graph, this_hardware(), runtime_software(context.runtime, context.threads)};
  Json samples = Json::array();
  for (std::size_t i = 0; i < std::min(lesson.samples.size(), kMostSamples); ++i)
    samples.push_back(json_of(lesson.samples[i]));
  store.write([&](Writer& writer) {
    const auto remove = [&](const std::string& which, const Cell& last) {
      store.database().run(fmt::format("DELETE FROM runs WHERE {} AND {}", kAlike, which),
                           {std::string(kLessonKind), provenance.hardware.id, provenance.software.id, last});
    };
    writer.add(provenance);
    remove("graph = $4", provenance.graph.id);
    writer.add(RunRecord{.graph = provenance.graph.id,
                         .hardware = provenance.hardware.id,
                         .software = provenance.software.id,
                         .kind = kLessonKind,
                         .state = Progress::done,
                         .request = {{"prices", lesson.prices}},
                         .outcome = {{"samples", samples}}});
    remove(fmt::format("id NOT IN (SELECT id FROM runs WHERE {} {} LIMIT $4)", kAlike, kNewestFirst), kMostModels);
  });
}

std::vector<PriceLesson> stored_price_lessons(Store& store, const ProfileContext& context,
                                              std::string_view except_graph) {
  const SoftwareRecord software = runtime_software(context.runtime, context.threads);
  std::set<std::string, std::less<>> seen{std::string(except_graph)};  // stores that were joined have several of one
  std::vector<PriceLesson> lessons;
  for (const RunRecord& record :
       store.select<RunRecord>(fmt::format("WHERE {} {} LIMIT {}", kAlike, kNewestFirst, kMostModels),
                               {std::string(kLessonKind), this_hardware().id, software.id}))
    if (seen.insert(record.graph).second)
      if (std::optional<PriceLesson> lesson = lesson_in(record)) lessons.push_back(std::move(*lesson));
  return lessons;
}

}  // namespace hone
