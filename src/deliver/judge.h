#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <span>

#include "base/child_process.h"
#include "deliver/proposal.h"
#include "run/measure/measurement.h"
#include "run/verify/memory_need.h"

namespace hone {

/// Says how long proposals take.
class Judge {
 public:
  virtual ~Judge() = default;
  /// Times the proposals in turn, each for so many seconds; ratios are to the first.
  virtual Measurement judge(std::span<const Proposal> proposals, double seconds) = 0;
  /// How many proposals there is memory for at once.
  virtual std::size_t most_at_once() const { return std::numeric_limits<std::size_t>::max(); }
};

/// Times proposals on a runtime. Every comparison draws the order of its runs anew.
class RuntimeJudge : public Judge {
 public:
  /// Inputs are drawn for `original`; `made_static` gives a copy of a model with static types, `seconds_left` the wall
  /// seconds until all has to be done.
  RuntimeJudge(std::function<Model(const Model&)> made_static, const Model& original, MeasureOptions options,
               std::function<double()> seconds_left)
      : made_static_(std::move(made_static)),
        original_(made_static_(original)),
        most_at_once_(models_that_fit(original_)),
        options_(std::move(options)),
        seconds_left_(std::move(seconds_left)) {}
  Measurement judge(std::span<const Proposal> proposals, double seconds) override;
  std::size_t most_at_once() const override { return most_at_once_; }

  /// The file with a proposal's model, written when first asked for.
  std::filesystem::path file_of(const std::shared_ptr<const Model>& model);

 private:
  std::function<Model(const Model&)> made_static_;
  Model original_;
  std::size_t most_at_once_;
  MeasureOptions options_;
  std::function<double()> seconds_left_;
  TemporaryFolder folder_;
  std::map<std::shared_ptr<const Model>, std::filesystem::path> files_;
};

}  // namespace hone
