#pragma once

#include <string_view>

namespace hone::hlo {

/// A small scheduled module with most of what HLO text can hold: tables of positions, comments, tuples, a loop, a
/// fusion that updates in place, a conditional, a collective in two halves, control edges, layouts, dynamic sizes and
/// raw attributes.
inline constexpr std::string_view kSampleText =
    R"(HloModule sample, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias) }, entry_computation_layout={(f32[8,4]{1,0}, s32[])->(f32[8,4]{1,0}, f32[4])}

FileNames
1 "a \"file\".py"

StackFrames
1 {file_location_id=1 parent_frame_id=1}

%add (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %sum = f32[] add(f32[] %x, f32[] %y), metadata={op_name="a(b)/c{d" stack_frame_id=1}
}

update {
  target = f32[8,4]{1,0} parameter(0)
  row = f32[1,4]{1,0} parameter(1)
  at = s32[] parameter(2)
  zero = s32[] constant(0)
  ROOT written = f32[8,4]{1,0} dynamic-update-slice(target, row, at, zero)
}

%condition (state: (s32[], f32[8,4])) -> pred[] {
  %state = (s32[], f32[8,4]{1,0}) parameter(0)
  %i = s32[] get-tuple-element(%state), index=0
  %limit = s32[] constant(10)
  ROOT %less = pred[] compare(%i, %limit), direction=LT
}

%body (state: (s32[], f32[8,4])) -> (s32[], f32[8,4]) {
  %state = (s32[], f32[8,4]{1,0}) parameter(0)
  %i = s32[] get-tuple-element(%state), index=0
  %step = s32[] constant(2)
  %next = s32[] add(%i, %step)
  %array = f32[8,4]{1,0} get-tuple-element(%state), index=1
  %twice = f32[8,4]{1,0} add(%array, %array)
  ROOT %new = (s32[], /*index=1*/ f32[8,4]{1,0}) tuple(%next, %twice)
}

%negative (v: f32[4]) -> f32[4] {
  %v = f32[4]{0} parameter(0)
  ROOT %minus = f32[4]{0} negate(%v)
}

%same (v: f32[4]) -> f32[4] {
  ROOT %v = f32[4]{0} parameter(0)
}, execution_thread="main"

// the entry
ENTRY %main (p: f32[8,4], k: s32[]) -> (f32[8,4], f32[4]) {
  %p = f32[8,4]{1,0} parameter(0), sharding={devices=[2,1]<=[2]}
  %k = s32[] parameter(1)
  %zero = s32[] constant(0)
  %start = (s32[], f32[8,4]{1,0}) tuple(%zero, %p)
  %loop = (s32[], f32[8,4]{1,0}) while(%start), condition=%condition, body=%body
  %result = f32[8,4]{1,0} get-tuple-element(%loop), index=1
  %row = f32[1,4]{1,0} constant({ { 1, -2.5, inf, nan } })
  %updated = f32[8,4]{1,0} fusion(%result, %row, %k), kind=kLoop, calls=%update, backend_config={"a":["}"]}
  %none = f32[] constant(0)
  %column = f32[4]{0} reduce(%updated, %none), dimensions={0}, to_apply=%add
  %reduce-start = f32[4]{0} all-reduce-start(%column), channel_id=1, replica_groups={{0,1,2,3}}, to_apply=%add
  %reduce-done = f32[4]{0} all-reduce-done(%reduce-start)
  %chosen = f32[4]{0} conditional(%k, %reduce-done, %reduce-done), branch_computations={%negative, %same}
  %fresh = f32[<=8]{0} custom-call(%chosen), custom_call_target="mine", control-predecessors={%loop}
  ROOT %out = (f32[8,4]{1,0}, f32[4]{0}) tuple(%updated, %chosen)
}
)";

}  // namespace hone::hlo
