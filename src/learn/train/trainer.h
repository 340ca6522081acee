#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/registered.h"
#include "learn/network/safetensors.h"
#include "learn/policy/training_data.h"
#include "learn/policy/training_request.h"
#include "learn/train/event_file.h"

namespace hone::learn {

/// What a run must know of the examples that a trainer learns from, whatever they are.
class Examples {
 public:
  virtual ~Examples() = default;
  /// Tells one set of examples from another: a run goes on with the same only.
  virtual std::string fingerprint() const = 0;
  /// Makes them ready, which may take a while; ends early once Ctrl-C is pressed. Throws InputError when there are
  /// none.
  virtual void prepare() = 0;
};

/// Examples of one type, as a trainer draws them: graphs of the user, entries of a dataset on disk, or made up.
template <class Example>
class ExampleSource : public Examples {
 public:
  virtual std::size_t size() const = 0;
  virtual Example& at(std::size_t index) const = 0;
};

/// What came of one step.
struct StepReport {
  std::vector<EventFile::Scalar> figures;  // the same names in every step
  std::string line;                        // for the user
};

/// Learns step by step. It owns its examples, its networks and its loss; everything else of a run is `TrainingRun`'s.
class Trainer {
 public:
  virtual ~Trainer() = default;

  virtual Examples& examples() = 0;
  /// The step after so many; the same whether the run was interrupted before or not. Nothing when Ctrl-C has spoilt it.
  virtual std::optional<StepReport> step(std::uint64_t done) = 0;
  /// The policy after so many steps, with what is known of its kind and metrics on its card.
  virtual Safetensors policy(std::uint64_t done) const = 0;
  /// All that changes from step to step.
  virtual Safetensors state() const = 0;
  /// Goes on from a state. Throws InputError when it does not fit.
  virtual void load(const Safetensors& state) = 0;
};

/// A kind of trainer, by the name that users call it in `hone train`. Defining one at namespace scope registers it.
class TrainerKind : public Registered<TrainerKind> {
 public:
  static constexpr std::string_view kCalled = "trainer";

  /// How a policy's card speaks of it.
  struct Card {
    std::string_view family;  // of optimisers that use the policy
    std::string_view prefix;  // of entries, where several trainers have a part in one policy
  };
  /// What it trains.
  struct Networks {
    FirstNetwork first = FirstNetwork::of_start;
    std::string_view encoder = "messages", head = "autoregressive";  // unless the request names others
  };
  using Make = std::unique_ptr<Trainer> (*)(const TrainingRequest&, const TrainingData&);

  TrainerKind(std::string_view name, Card card, Networks networks, Make maker)
      : name_(name), card_(card), networks_(networks), make_(maker) {}

  std::string_view name() const { return name_; }
  std::string_view family() const { return card_.family; }
  std::string_view card_prefix() const { return card_.prefix; }
  FirstNetwork first_network() const { return networks_.first; }
  /// The request with what the trainer uses where it says nothing.
  TrainingRequest completed(TrainingRequest request) const {
    if (request.encoder.empty()) request.encoder = networks_.encoder;
    if (request.head.empty()) request.head = networks_.head;
    return request;
  }
  /// Throws InputError for a request that cannot be carried out; examples are not prepared yet.
  std::unique_ptr<Trainer> make(const TrainingRequest& request, const TrainingData& data) const {
    return make_(request, data);
  }

 private:
  std::string_view name_;
  Card card_;
  Networks networks_;
  Make make_;
};

}  // namespace hone::learn
