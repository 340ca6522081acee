#pragma once

#include <memory>
#include <typeinfo>
#include <utility>

#include "base/error.h"

namespace hone {

/// How a runtime is told to run a model. Only the runtime that made it knows what is inside; all others copy it,
/// compare it and hand it back. An empty one stands for what the runtime was made with.
class RuntimeOptions {
 public:
  RuntimeOptions() = default;

  /// Holds what a runtime chose: a type that can be copied and compared.
  template <class Chosen>
  static RuntimeOptions holding(Chosen chosen) {
    RuntimeOptions options;
    options.held_ = std::make_shared<const HeldValue<Chosen>>(std::move(chosen));
    return options;
  }

  /// What `holding` was given, or `unless_held` when it is empty.
  template <class Chosen>
  Chosen value_or(Chosen unless_held) const {
    if (!held_) return unless_held;
    HONE_CHECK(held_->type() == typeid(Chosen), "options of one runtime were handed to another");
    return static_cast<const HeldValue<Chosen>&>(*held_).value;
  }

  friend bool operator==(const RuntimeOptions& a, const RuntimeOptions& b) {
    if (a.held_ == b.held_) return true;
    return a.held_ && b.held_ && a.held_->equals(*b.held_);
  }

 private:
  struct Held {
    virtual ~Held() = default;
    virtual const std::type_info& type() const = 0;
    virtual bool equals(const Held& other) const = 0;
  };
  template <class Chosen>
  struct HeldValue : Held {
    explicit HeldValue(Chosen chosen) : value(std::move(chosen)) {}
    const std::type_info& type() const override { return typeid(Chosen); }
    bool equals(const Held& other) const override {
      return other.type() == typeid(Chosen) && static_cast<const HeldValue&>(other).value == value;
    }
    Chosen value;
  };

  std::shared_ptr<const Held> held_;
};

}  // namespace hone
