#pragma once

#include <array>

#include "run/native/loop_passes.h"
#include "run/native/register_code.h"
#include "run/native/vector_assembler.h"

namespace hone::native {

/// What is chosen before code is written: how many vectors go side by side, and what is held in registers throughout.
struct CodeChoice {
  int side_by_side = 1;
  std::vector<std::uint32_t> constants;  // by their bits
  std::vector<std::uint32_t> rows;       // values by row
};

/// Writes the function of a nest.
class CodeWriter {
 public:
  CodeWriter(const CodeRequest& request, const LoopPasses& passes, VectorSet set, std::span<std::uint8_t> buffer);

  /// False where it cannot be written, at least not with this choice.
  bool write(const CodeChoice& choice);
  /// The same choice with registers that were never used holding what was read from memory most often.
  CodeChoice improved(CodeChoice choice) const;
  std::size_t scratch_bytes() const { return slots_bytes() + kept_bytes(); }
  std::size_t code_bytes() const { return code_.getSize(); }

 private:
  static constexpr int kMostSideBySide = 4;
  using ByVector = std::array<int, kMostSideBySide>;
  enum class Extent : std::uint8_t { whole, masked };
  /// The vectors that a piece of code is written for.
  struct Piece {
    int count = 1;
    Extent extent = Extent::whole;
    std::size_t pass = 0;
    bool by_row = false;
  };

  // Places of things.
  const LoopNest& nest() const { return request_.nest; }
  bool lanes_are_rows() const { return request_.lanes == LaneAxis::rows; }
  std::int64_t stride(std::uint32_t operand, std::size_t axis_from_last) const;
  int element_bytes(std::uint32_t operand) const;
  bool is_spread(std::uint32_t operand) const;
  bool is_near(std::uint32_t operand) const { return pointers_[operand].getIdx() != code_.rax.getIdx(); }
  Xbyak::Reg64 pointer(std::uint32_t operand);
  Xbyak::RegExp element(std::uint32_t operand, int vector, const Piece& piece);
  Xbyak::RegExp slot(std::uint32_t value, int vector) const;
  Xbyak::RegExp kept(std::uint32_t value, int vector) const;
  std::size_t slots_bytes() const;
  std::size_t kept_bytes() const;
  void place();

  // The function.
  void open();
  void close();
  void advance(std::uint32_t operand, std::int64_t bytes);
  void write_planes();
  void write_rows();
  void write_row_blocks();
  void write_row_block(int count, Extent extent);
  void write_row();
  void write_whole_row(std::size_t pass);
  void write_cut_row(std::size_t pass);
  void write_column_loop(std::size_t pass, int count, Extent extent);
  void step_columns(std::size_t pass, int columns);
  std::vector<int> side_by_side_then_one() const;
  void start_folds(std::size_t pass, int count);

  // Values.
  void write_list(const std::vector<std::uint32_t>& list, const Piece& piece);
  void count_uses(const std::vector<std::uint32_t>& list, const Piece& piece);
  void write_value(std::uint32_t value, const Piece& piece);
  void finish_value(std::uint32_t value, int vector, const Piece& piece);
  void leave_row(std::uint32_t value, int vector);
  void write_spread_stores(const Piece& piece);
  void add_to_fold(std::uint32_t value, const Piece& piece);
  void take_fold(std::uint32_t value, const Piece& piece);
  std::optional<Xbyak::Opmask> noting_mask(std::uint32_t value) const;
  bool is_read_in_place(std::uint32_t value) const;
  bool is_stored_here(const LoopStore& store, std::uint32_t value, const Piece& piece) const;
  VectorSource source(std::uint32_t value, int vector, const Piece& piece);
  VectorSource source_by_row(std::uint32_t value, int vector, const Piece& piece);
  VectorSource constant_source(const LoopInstruction& step);
  void release(std::uint32_t value, int vector);
  void load_element(const Vector& to, std::uint32_t operand, int vector, const Piece& piece);
  void load_truth(const Vector& to, std::uint32_t operand, int vector, const Piece& piece);
  void store_element(const LoopStore& store, const VectorSource& from, int vector, const Piece& piece);
  void store_truth(std::uint32_t operand, const Vector& from, int vector, const Piece& piece);

  const CodeRequest& request_;
  const LoopPasses& passes_;
  VectorAssembler code_;
  CodeChoice choice_;
  std::vector<Xbyak::Reg64> pointers_;       // by operand; rax for those in memory
  std::vector<ByVector> registers_, uses_;   // by value and vector; -1 where it is in none
  std::vector<bool> leaves_;                 // by value of rows: something else than its own list reads it
  std::vector<int> pinned_;                  // by value of rows: its register, or -1
  std::vector<int> slots_, kept_;            // by value: which one, or -1
  std::vector<int> row_uses_;                // by value of rows: reads for points
  std::vector<std::vector<Vector>> folded_;  // by value: what has been folded so far
};

}  // namespace hone::native
