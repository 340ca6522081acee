#include "run/verify/judgement.h"

#include <fmt/format.h>

namespace hone {
namespace {

bool have_one_shape(const Datum& a, const Datum& b) {
  return a.is_tensor() && b.is_tensor() && a.tensor().dims() == b.tensor().dims();
}

bool have_one_type(const Datum& a, const Datum& b) {
  return have_one_shape(a, b) && a.tensor().type() == b.tensor().type();
}

/// A sentence when the second model computes something else than the first, however precisely.
std::string inexactness(const RoundingScale& scale, const OutputResults& results) {
  if (!have_one_shape(results.found_exactly, results.expected)) return {};
  const ErrorLevel errors = scale.errors_of(results.found_exactly.tensor());
  if (is_exact(errors)) return {};
  return fmt::format("differs by {:.2g} in double precision too, {:.3g} times what rounding of weights explains",
                     errors.absolute, errors.largest);
}

Judgement judged_by_rounding(const RoundingScale& scale, const OutputResults& results, Difference difference) {
  const ErrorLevel errors = scale.errors_of(results.found.tensor());
  const double own = scale.own_errors().absolute;
  if (std::string reason = inexactness(scale, results); !reason.empty()) {
    difference.within = false;
    difference.reason = std::move(reason);
  } else if (is_as_accurate(scale, errors)) {
    difference.within = true;
  } else if (!difference.within) {
    difference.reason = fmt::format("has errors up to {:.2g}, the original's own are {:.2g}", errors.absolute, own);
  }
  return {.difference = std::move(difference), .errors = ErrorPair{.candidate = errors.absolute, .reference = own}};
}

}  // namespace

Judgement judge(const OutputResults& results) {
  Difference difference = compare(results.found, results.expected, results.tolerance);
  const bool comparable = results.movement != nullptr && have_one_type(results.found, results.expected);
  if (!comparable || results.tolerance) return {.difference = std::move(difference), .errors = {}};
  if (const auto scale = results.movement->scale(results.output, results.expected))
    return judged_by_rounding(*scale, results, std::move(difference));
  if (!difference.within)  // an index of the largest of two that are nearly equal may be either
    difference.within = results.movement->has_seen(results.output, results.found.tensor(), results.expected.tensor());
  return {.difference = std::move(difference), .errors = {}};
}

}  // namespace hone
