#include "zoo/training.h"

#include "zoo/autodiff.h"
#include "zoo/weights.h"

namespace hone::zoo {
namespace {

// Adam's constants as published (Kingma and Ba, 2014).
constexpr double kFirstDecay = 0.9;
constexpr double kSecondDecay = 0.999;
constexpr double kEpsilon = 1e-8;

/// Marks nodes with the part of training they belong to.
SharedNotes pass_notes(const std::string& pass) {
  return std::make_shared<const Notes>(Notes{.doc = "", .metadata = {{"hone.pass", pass}}, .residue = ""});
}

/// An input whose default is the given tensor.
ValueId add_state(Emitter& e, const std::string& name, Tensor tensor) {
  const ValueId id = e.graph().add_input(name, Type::tensor(tensor.type(), tensor.shape()));
  e.graph().set_constant(id, std::move(tensor));
  return id;
}

/// Makes a weight something the caller may feed; one that a node computes stays as it is.
void declare_state(Graph& graph, ValueId id) {
  if (graph.value(id).constant) graph.declare_input(id);
}

void add_update(Builder& b, ValueId before, ValueId after) {
  b.output(b.graph().value(before).name + ".updated", after);
}

void add_sgd(Builder& b, std::span<const ValueId> gradients, double learning_rate) {
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const ValueId weight = b.parameters()[i];
    const auto place = b.scope("update" + b.graph().value(weight).name);
    add_update(b, weight, b.sub(weight, b.mul(gradients[i], learning_rate)));
  }
}

/// The step length at step t: both moments start at zero, which the factor corrects for all weights at once.
ValueId corrected_rate(Builder& b, ValueId step, double learning_rate) {
  const ValueId one = b.scalar(1);
  const ValueId first = b.sub(one, b.binary("Pow", b.scalar(kFirstDecay), step));
  const ValueId second = b.sub(one, b.binary("Pow", b.scalar(kSecondDecay), step));
  return b.mul(b.div(b.sqrt(second), first), learning_rate);
}

/// old * decay + fresh * (1 - decay).
ValueId moving_average(Builder& b, ValueId old, ValueId fresh, double decay) {
  return b.add(b.mul(old, decay), b.mul(fresh, 1 - decay));
}

void add_adam(Builder& b, std::span<const ValueId> gradients, double learning_rate) {
  const ValueId step = add_state(b, "step", filled(b.element(), {}, 1));
  const ValueId rate = corrected_rate(b, step, learning_rate);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const ValueId weight = b.parameters()[i], gradient = gradients[i];
    const std::string name = b.graph().value(weight).name;
    const auto place = b.scope("update" + name);
    const ValueId first = add_state(b, name + ".first_moment", lazy_zeros(b.element(), b.dims(weight)));
    const ValueId second = add_state(b, name + ".second_moment", lazy_zeros(b.element(), b.dims(weight)));
    const ValueId new_first = moving_average(b, first, gradient, kFirstDecay);
    const ValueId new_second = moving_average(b, second, b.mul(gradient, gradient), kSecondDecay);
    const ValueId direction = b.div(new_first, b.add(b.sqrt(new_second), kEpsilon));
    add_update(b, weight, b.sub(weight, b.mul(direction, rate)));
    add_update(b, first, new_first);
    add_update(b, second, new_second);
  }
  add_update(b, step, b.add(step, 1.0));
}

}  // namespace

void add_training_step(Builder& builder, const TrainingStep& step) {
  Graph& graph = builder.graph();
  builder.output("loss", builder.loss());
  for (const ValueId weight : builder.parameters()) declare_state(graph, weight);
  for (const BufferUpdate& update : builder.buffer_updates()) {
    declare_state(graph, update.before);
    add_update(builder, update.before, update.after);
  }
  builder.set_notes(pass_notes("backward"));
  const std::vector<ValueId> gradients = add_gradients(builder, builder.loss(), builder.parameters());
  builder.set_notes(pass_notes("update"));
  if (step.optimizer == Optimizer::adam) add_adam(builder, gradients, step.learning_rate);
  else add_sgd(builder, gradients, step.learning_rate);
}

}  // namespace hone::zoo
