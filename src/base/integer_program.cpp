#include "base/integer_program.h"

#include <coin/Cbc_C_Interface.h>
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <string>

#include "base/child_process.h"

namespace hone {
namespace {

struct Deleter {
  void operator()(Cbc_Model* model) const { Cbc_deleteModel(model); }
};
using CbcModel = std::unique_ptr<Cbc_Model, Deleter>;

}  // namespace

int IntegerProgram::add_column(const Column& column) {
  columns_.push_back(column);
  return static_cast<int>(columns_.size() - 1);
}

void IntegerProgram::add_row(Terms terms, double low, double high) { rows_.push_back({std::move(terms), low, high}); }

IntegerProgram::Outcome IntegerProgram::solve(std::span<const double> start, std::int64_t nodes,
                                              const Deadline& deadline) const {
  constexpr double kGrace = 0.5;  // seconds for the solver to end by itself, with what it has
  if (deadline.is_over()) return {};
  const double seconds = deadline.seconds_left();
  const ChildResult found = run_in_child(
      [&] {
        const Outcome outcome = solve_here(start, nodes, seconds);
        std::string bytes(reinterpret_cast<const char*>(&outcome.bound), sizeof outcome.bound);
        return bytes.append(reinterpret_cast<const char*>(outcome.values.data()),
                            outcome.values.size() * sizeof(double));
      },
      seconds + kGrace, OnInterrupt::tell_then_kill);
  if (!found.succeeded()) return {};
  Outcome outcome;
  outcome.values.resize(found.text.size() / sizeof(double) - 1);
  std::memcpy(&outcome.bound, found.text.data(), sizeof(double));
  std::memcpy(outcome.values.data(), found.text.data() + sizeof(double), outcome.values.size() * sizeof(double));
  return outcome;
}

IntegerProgram::Outcome IntegerProgram::solve_here(std::span<const double> start, std::int64_t nodes,
                                                   double seconds) const {
  const CbcModel model(Cbc_newModel());
  Cbc_setLogLevel(model.get(), 0);
  Cbc_setParameter(model.get(), "log", "0");
  Cbc_setParameter(model.get(), "threads", "0");
  Cbc_setParameter(model.get(), "maxNodes", std::to_string(nodes).c_str());
  if (std::isfinite(seconds)) Cbc_setParameter(model.get(), "sec", fmt::format("{:.3f}", seconds).c_str());
  for (const Column& column : columns_)
    Cbc_addCol(model.get(), "", column.low, column.high, column.price, column.kind == Kind::integer ? 1 : 0, 0, nullptr,
               nullptr);
  for (const Row& row : rows_) {
    std::vector<int> places;
    std::vector<double> factors;
    for (const auto& [column, factor] : row.terms) {
      places.push_back(column);
      factors.push_back(factor);
    }
    // A row is one inequality or two.
    const auto count = static_cast<int>(places.size());
    if (row.low > -std::numeric_limits<double>::infinity())
      Cbc_addRow(model.get(), "", count, places.data(), factors.data(), 'G', row.low);
    if (row.high < std::numeric_limits<double>::infinity())
      Cbc_addRow(model.get(), "", count, places.data(), factors.data(), 'L', row.high);
  }
  if (!start.empty()) {
    std::vector<int> places;
    for (int i = 0; i < static_cast<int>(start.size()); ++i) places.push_back(i);
    Cbc_setMIPStartI(model.get(), static_cast<int>(start.size()), places.data(), start.data());
  }
  Cbc_solve(model.get());
  Outcome outcome;
  if (const double* const best = Cbc_bestSolution(model.get())) outcome.values.assign(best, best + columns_.size());
  if (Cbc_isProvenInfeasible(model.get()) == 0) outcome.bound = Cbc_getBestPossibleObjValue(model.get());
  return outcome;
}

}  // namespace hone
