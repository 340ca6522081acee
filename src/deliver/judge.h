#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <span>

#include "base/child_process.h"
#include "deliver/proposal.h"
#include "deliver/shared_weights.h"
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
  /// The same with what loading takes, in more fresh sessions and by the models as they would be delivered: for a
  /// claim.
  Measurement measure(std::span<const Proposal> proposals, double seconds);
  std::size_t most_at_once() const override { return most_at_once_; }

  /// A file with a proposal's model, written when first asked for, whose large weights lie beside it, in files that
  /// proposals share.
  std::filesystem::path file_of(const std::shared_ptr<const Model>& model);

 private:
  using FileOfModel = std::function<std::filesystem::path(const std::shared_ptr<const Model>&)>;
  Measurement timed(std::span<const Proposal> proposals, double seconds, std::size_t blocks, std::size_t least_rounds,
                    const FileOfModel& file_of);

  std::function<Model(const Model&)> made_static_;
  Model original_;
  std::size_t most_at_once_;
  MeasureOptions options_;
  std::function<double()> seconds_left_;
  TemporaryFolder folder_;
  SharedWeights weights_{folder_.path()};
  std::map<std::shared_ptr<const Model>, std::filesystem::path> files_;
};

}  // namespace hone
