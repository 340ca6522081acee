#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "graph/ir/attribute.h"
#include "graph/ir/dim.h"

namespace hone {

/// What an expression of a rule stands for: nothing (not known here), a whole number or dimension, a real number, a
/// truth value, a word, a list of dimensions or a list of reals.
using Term = std::variant<std::monostate, Dim, double, bool, std::string, std::vector<Dim>, std::vector<double>>;

using DimList = std::vector<Dim>;

/// An attribute's value as a term; nothing for tensors, graphs and other kinds that rules do not look into.
Term term_of(const AttributeValue& value);

/// Whether two terms are certainly equal (true), certainly different (false), or neither can be said.
std::optional<bool> equal_terms(const Term& a, const Term& b);

/// The number, when the term is a whole number that is known.
std::optional<std::int64_t> known_integer(const Term& term);
/// The list, when every element is known.
std::optional<std::vector<std::int64_t>> known_integers(const Term& term);
/// The value as a real number, of a whole number as well.
std::optional<double> known_number(const Term& term);

/// A position in a list of so many elements, counted from the end when negative.
std::optional<std::size_t> position(std::int64_t index, std::size_t count);
/// An element of a list of dimensions; nothing when there is none.
Term element(const Term& list, const Term& index);

/// A stable hash of the term.
std::uint64_t hash_of(const Term& term, std::uint64_t seed);

}  // namespace hone
