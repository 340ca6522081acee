#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "run/measure/ratio.h"
#include "run/measure/stopwatch.h"

namespace hone {

/// Something that can be run again and again and takes about the same time each time.
class Subject {
 public:
  virtual ~Subject() = default;
  virtual void run() = 0;
};
/// Makes a subject afresh: another session, at another place in memory.
using SubjectMaker = std::function<std::unique_ptr<Subject>()>;

/// How long to time, in seconds that the calling thread works, so that a busy machine gives as many samples as a quiet
/// one. Ctrl-C ends it after the round it falls into.
struct InterleaveOptions {
  double warmup_seconds = 0.2;    // of each subject, spread over the blocks
  double seconds = 3;             // of each subject
  std::size_t least_rounds = 10;  // in all, however long they take
  std::size_t blocks = 8;         // each with fresh subjects, unless making them takes longer than running them
  double wall_limit = std::numeric_limits<double>::infinity();  // seconds in all, after which fewer rounds have to do
  std::uint64_t seed = 0;                                       // of the order within rounds
  /// Before every sample, so long a pause and then a run that is not timed: threads of one subject that wait busily for
  /// more to do have gone to sleep when another is timed, whose own are awake. Of subjects with several threads each.
  double settle_seconds = 0;
};

/// Samples of subjects timed in turn: in every round each subject once, in random order.
struct InterleavedSamples {
  using Round = std::vector<Sample>;  // by subject
  std::vector<std::vector<Round>> blocks;

  /// Samples of one subject in order of time.
  std::vector<Sample> of(std::size_t subject) const;
  /// Share of samples during which another program took the processor.
  double disturbed_share() const;
};

InterleavedSamples interleave(std::span<const SubjectMaker> makers, const InterleaveOptions& options);

/// The clock to judge by: processor time where work of one thread was often interrupted, else the wall clock.
Clock clock_for(const InterleavedSamples& samples, std::size_t threads);

/// The timings among samples of one thing that tell how long it takes undisturbed: by the processor's clock all; by the
/// wall clock those during which nothing interfered or, where these are few, the shortest quarter.
std::vector<double> undisturbed_seconds(const std::vector<Sample>& samples, Clock clock);

/// Samples of as many rounds as they would be had the machine been equally fast in all: each divided by how slow it was
/// in its round. Without a slowness they stay as they are.
std::vector<Sample> evened(std::vector<Sample> samples, std::span<const double> slowness);

/// Timings of one subject that count: those of undisturbed rounds when there are enough of them (or the clock does not
/// mind), else all.
std::vector<double> counted_seconds(const InterleavedSamples& samples, std::size_t subject, Clock clock);

/// How much longer `candidate` takes than `baseline`; by rounds that count.
RatioEstimate compare_subjects(const InterleavedSamples& samples, std::size_t baseline, std::size_t candidate,
                               Clock clock, std::uint64_t seed = 0);

}  // namespace hone
