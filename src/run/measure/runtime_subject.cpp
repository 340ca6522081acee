#include "run/measure/runtime_subject.h"

#include "run/reference/reference.h"
#include "run/verify/inputs.h"

namespace hone {
namespace {

class SessionSubject : public Subject {
 public:
  SessionSubject(const ort::Environment& environment, const Candidate& candidate, const ort::SessionOptions& options,
                 const std::vector<Datum>& inputs)
      : session_(environment, candidate.file, options), prepared_(session_, inputs) {}
  void run() override { prepared_.run(); }

 private:
  ort::Session session_;
  ort::PreparedRun prepared_;
};

class ReferenceSubject : public Subject {
 public:
  ReferenceSubject(const Candidate& candidate, std::vector<Datum> inputs)
      : interpreter_(candidate.model), inputs_(std::move(inputs)) {}
  void run() override { interpreter_.run(inputs_); }

 private:
  ReferenceInterpreter interpreter_;
  std::vector<Datum> inputs_;
};

}  // namespace

RuntimeHost::RuntimeHost(const MeasureOptions& options) : options_(options) {
  if (options.runtime == RuntimeKind::onnxruntime)
    environment_.emplace(ort::Library::load(options.library), static_cast<int>(options.threads));
}

std::string RuntimeHost::name() const {
  return environment_ ? "onnxruntime " + environment_->library()->version() : "reference";
}

std::vector<Datum> RuntimeHost::inputs_of(const Candidate& candidate) const {
  return given_inputs(candidate.model, options_.input_files, options_.interleave.seed);
}

std::unique_ptr<Subject> RuntimeHost::make(const Candidate& candidate, std::vector<Datum> inputs) const {
  if (!environment_) return std::make_unique<ReferenceSubject>(candidate, std::move(inputs));
  return std::make_unique<SessionSubject>(*environment_, candidate, candidate.session.value_or(options_.session),
                                          inputs);
}

}  // namespace hone
