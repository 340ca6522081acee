#include "formats/hlo/read.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "base/random.h"
#include "formats/hlo/print.h"
#include "formats/hlo/sample_test.h"
#include "formats/hlo/workload.h"

namespace hone::hlo {
namespace {

/// The message of the error that reading a text gives; empty when it reads.
std::string error_of(std::string_view text) {
  try {
    read_text(text, "m.hlo");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string with_entry(std::string_view body) { return fmt::format("HloModule m\nENTRY main {{\n{}\n}}\n", body); }

TEST(HloReadTest, KeepsNamesShapesAttributesAndOrder) {
  const Module module = read_text(kSampleText);
  EXPECT_EQ(module.name, "sample");
  EXPECT_TRUE(module.is_scheduled());
  EXPECT_EQ(module.sections.size(), 2u);
  EXPECT_EQ(module.computations.size(), 7u);
  const Computation& entry = module.entry_computation();
  EXPECT_EQ(entry.name, "main");
  EXPECT_EQ(module.instruction(entry.root).name, "out");
  const auto instructions = module.instructions_of(entry);
  const auto fusion = std::ranges::find(instructions, "updated", &Instruction::name);
  ASSERT_NE(fusion, instructions.end());
  EXPECT_EQ(module.attribute(*fusion, "backend_config"), R"({"a":["}"]})");
  EXPECT_EQ(module.computation(module.callee(*fusion, "calls")).name, "update");
  const Shape& dynamic = module.shape(std::ranges::find(instructions, "fresh", &Instruction::name)->shape);
  EXPECT_TRUE(dynamic.dimensions[0].dynamic);
  EXPECT_EQ(dynamic.layout, "{0}");
}

TEST(HloReadTest, PrintsTextThatReadsEqual) {
  const Module module = read_text(kSampleText);
  const std::string text = print(module);
  const Module again = read_text(text);
  EXPECT_TRUE(module == again);
  EXPECT_EQ(print(again), text);
}

TEST(HloReadTest, ModulesThatDifferAnywhereAreNotEqual) {
  const Module module = read_text(kSampleText);
  for (const auto& [from, to] : {std::pair("index=1\n  %twice", "index=1, x=1\n  %twice"), std::pair("kLoop", "kInput"),
                                 std::pair("constant(10)", "constant(11)"), std::pair("nan", "inf")}) {
    std::string changed(kSampleText);
    changed.replace(changed.find(from), std::string_view(from).size(), to);
    EXPECT_FALSE(module == read_text(changed)) << from;
  }
}

TEST(HloReadTest, ReadsEveryElementTypeAndShapeForm) {
  for (const std::string_view shape : {"pred[]", "s4[3]{0:E(4)}", "u2[8]", "f8e4m3fn[2,2]{1,0}", "f8e8m0fnu[1]",
                                       "f4e2m1fn[2]", "bf16[2,3]{1,0:T(8,128)(2,1)S(1)}", "c128[2]", "token[]",
                                       "opaque[]", "()", "(f32[], (s32[?,<=4], u8[0]))", "b(f32[4]{0})"}) {
    const Module module = read_text(with_entry(fmt::format("ROOT a = {} parameter(0)", shape)));
    EXPECT_EQ(print_shape(module, module.instructions[0].shape), shape);
  }
}

TEST(HloReadTest, NamesFileLineColumnAndWhatItExpected) {
  EXPECT_EQ(error_of(""), "m.hlo:1:1: the text ends, expected 'HloModule'");
  EXPECT_EQ(error_of("HloModule m\nENTRY main {\n  a = f32[2 parameter(0)\n}"), "m.hlo:3:13: found 'p', expected ']'");
  EXPECT_EQ(error_of(with_entry("  a = f99[] parameter(0)")),
            "m.hlo:3:7: 'f99' is no element type, expected a shape such as f32[2,3]");
  EXPECT_EQ(error_of(with_entry("  b = f32[] negate(a)")),
            "m.hlo:3:20: 'a' is not defined above, expected an instruction of this computation");
  EXPECT_EQ(error_of(with_entry("  a = f32[] call(), to_apply=f")), "m.hlo:3:30: computation 'f' does not exist");
  EXPECT_EQ(error_of("HloModule m\nENTRY main {\n  a = f32[] constant({1, (2})"),
            "m.hlo:3:28: found '}', expected ')'");
}

TEST(HloReadTest, RefusesWhatCannotBeRun) {
  const auto refuses = [](std::string_view body, std::string_view why) {
    EXPECT_NE(error_of(with_entry(body)).find(why), std::string::npos) << body << "\n" << error_of(with_entry(body));
  };
  refuses("a = f32[2] parameter(0)\nb = f32[3] parameter(1)\nc = f32[2] add(a, b)", "same dimensions");
  refuses("a = f32[2] parameter(1)\nb = f32[2] negate(a)", "has no parameter 0");
  refuses("a = f32[2] parameter(0)\nb = f32[2] parameter(0)", "a second parameter 0");
  refuses("a = f32[2] parameter(0)\na = f32[2] parameter(1)", "a second instruction 'a'");
  refuses("a = f32[2] parameter(0)\nb = f32[3] reshape(a)", "number of elements");
  refuses("a = (f32[2]) parameter(0)\nb = f32[2] get-tuple-element(a), index=1", "chooses an element");
  refuses("a = f32[2,3] parameter(0)\nb = f32[2,2] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
          "agree");
  refuses("a = f32[2,3] parameter(0)\nb = f32[2,3] transpose(a), dimensions={0,5}", "does not exist");
  refuses("a = f32[2] parameter(0)\nb = f32[5] concatenate(a, a), dimensions={0}", "fill the result");
  refuses("a = f32[2] add()", "has 0 operands");
  refuses("a = f32[4611686018427387904,4] parameter(0)", "2^62");
  refuses("a = f32[99999999999999999999] parameter(0)", "too large");
}

TEST(HloReadTest, RefusesRecursion) {
  EXPECT_NE(error_of("HloModule m\nf { a = f32[] parameter(0)\n b = f32[] call(a), to_apply=f }\nENTRY g { c = f32[] "
                     "constant(1) }")
                .find("computation 'f' calls itself"),
            std::string::npos);
}

TEST(HloReadTest, BoundsNesting) {
  const std::string deep = std::string(100000, '(') + std::string(100000, ')');
  EXPECT_NE(error_of(with_entry("a = " + deep + " parameter(0)")).find("nested deeper"), std::string::npos);
  const std::string braces = std::string(100000, '{') + std::string(100000, '}');
  EXPECT_EQ(error_of(with_entry("a = f32[] constant(0), x=" + braces)), "");
}

TEST(HloReadTest, TakesAnOpcodeItDoesNotKnow) {
  const Module module = read_text(with_entry("a = f32[2] parameter(0)\nb = f32[2] hyper-add(a, a), grade={x}"));
  EXPECT_EQ(module.instructions[1].kind(), OpKind::unknown);
  EXPECT_TRUE(module == read_text(print(module)));
}

TEST(HloReadTest, EveryTruncationEitherReadsOrIsRefused) {
  for (std::size_t length = 0; length < kSampleText.size(); ++length) {
    try {
      const Module module = read_text(kSampleText.substr(0, length));
      EXPECT_TRUE(module == read_text(print(module)));
    } catch (const InputError& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with("<text>:")) << error.what();
    }
  }
}

TEST(HloReadTest, NoMutationCrashesAndWhatReadsRoundTrips) {
  Rng rng(7);
  static constexpr std::string_view kPieces[] = {
      "{",      "}",  "(",     ")",      "[",  "]",  ",",  "=",  "\"", "%", "0",      "-1", "999999999999",
      "f32[2]", "%p", "ROOT ", "ENTRY ", "/*", "*/", "\n", "\0", "<=", "?", "index=9"};
  int read = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    std::string text(kSampleText);
    for (std::uint64_t edits = 1 + rng.below(3); edits > 0; --edits) {
      const std::size_t at = rng.below(text.size());
      text.replace(at, rng.below(6), kPieces[rng.below(std::size(kPieces))]);
    }
    try {
      const Module module = read_text(text);
      EXPECT_TRUE(module == read_text(print(module)));
      EXPECT_GT(to_workload(module).operation_count() + 1, 0u);
      ++read;
    } catch (const InputError&) {
    }
  }
  EXPECT_GT(read, 50);
}

}  // namespace
}  // namespace hone::hlo
