#include "report/trace.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/output_file.h"
#include "plan/problem/group_contents.h"

namespace hone {
namespace {

// The trace event format: ph M names tracks, X is a slice, C a counter, s and f are the ends of an arrow; times in
// microseconds. One thread never has two slices at a time, as the viewer would draw them as nested.

constexpr std::size_t kFirstLinkThread = 1000;  // above every stream

std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::size_t process_of(DeviceId device) { return device.index() + std::size_t{1}; }
std::size_t thread_of(LinkId link) { return kFirstLinkThread + link.index(); }
std::string microseconds(double seconds) { return fmt::format("{:.4f}", seconds * 1e6); }

class TraceWriter {
 public:
  TraceWriter(OutputFile& file, const Workload& workload, const Machine& machine, const Plan& plan)
      : file_(file), workload_(workload), machine_(machine), contents_(workload, plan) {}

  void write(const Timeline& timeline) {
    file_.write("{\"traceEvents\":[");
    name_tracks(timeline);
    for (const Timeline::Run& run : timeline.runs) write_run(run);
    for (const Timeline::Transfer& transfer : timeline.transfers) write_transfer(transfer);
    write_arrows(timeline);
    for (std::size_t device = 0; device < timeline.levels.size(); ++device)
      for (const Timeline::Level& level : timeline.levels[device])
        event(R"({{"ph":"C","name":"live bytes","pid":{},"ts":{},"args":{{"bytes":{:.0f}}}}})",
              process_of(DeviceId(device)), microseconds(level.seconds), level.bytes);
    file_.write(fmt::format("\n],\"displayTimeUnit\":\"ns\",\"otherData\":{{\"graph\":{},\"machine\":{}}}}}\n",
                            json_text(workload_.name), json_text(machine_.name)));
  }

 private:
  template <class... Args>
  void event(fmt::format_string<Args...> format, Args&&... args) {
    file_.write(first_ ? "\n" : ",\n");
    first_ = false;
    file_.write(fmt::format(format, std::forward<Args>(args)...));
  }

  void name_track(std::string_view what, std::size_t process, std::size_t thread, const std::string& name) {
    event(R"({{"ph":"M","name":"{}_name","pid":{},"tid":{},"args":{{"name":{}}}}})", what, process, thread,
          json_text(name));
    event(R"({{"ph":"M","name":"{}_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})", what, process, thread,
          what == "process" ? process : thread);
  }

  void name_tracks(const Timeline& timeline) {
    std::set<std::pair<DeviceId, LinkId>> used;
    for (const Timeline::Transfer& transfer : timeline.transfers) used.insert({transfer.from, transfer.link});
    for (std::size_t i = 0; i < machine_.device_count(); ++i) {
      const DeviceId device(i);
      const DeviceKind& kind = machine_.kind(device);
      name_track("process", process_of(device), 0,
                 fmt::format("{} · {} · predicted", machine_.device(device).name, kind.model));
      for (std::size_t stream = 0; stream < kind.streams; ++stream)
        name_track("thread", process_of(device), stream, fmt::format("stream {}", stream));
    }
    for (const auto& [device, link] : used)
      name_track("thread", process_of(device), thread_of(link), machine_.link(link).name);
  }

  /// A single operation goes by its name, a group of several by what it contains; sizes are of what crosses memory.
  void write_run(const Timeline::Run& run) {
    const std::span<const OperationId> operations = contents_.instances(run.group);
    double activation_bytes = 0, parameter_bytes = 0, output_bytes = 0;
    for (const BufferId input : contents_.reads(run.group)) {
      const Buffer& buffer = workload_.buffer(input);
      (buffer.kind == Buffer::Kind::weight ? parameter_bytes : activation_bytes) += buffer.bytes;
    }
    for (const BufferId output : contents_.stores(run.group)) output_bytes += workload_.buffer(output).bytes;
    const std::string text = contents_.text(run.group);
    event(
        R"({{"ph":"X","name":{},"cat":"group","pid":{},"tid":{},"ts":{},"dur":{},"args":{{"op_name":{},"provider":{},)"
        R"("node_index":{},"operations":{},"activation_size":{:.0f},"parameter_size":{:.0f},"output_size":{:.0f}}}}})",
        json_text(operations.size() == 1 ? workload_.operation(operations.front()).name : text), process_of(run.device),
        run.stream, microseconds(run.start), microseconds(run.finish - run.start), json_text(text),
        json_text(machine_.device(run.device).name), operations.front().index(), operations.size(), activation_bytes,
        parameter_bytes, output_bytes);
  }

  void write_transfer(const Timeline::Transfer& transfer) {
    const Buffer& buffer = workload_.buffer(transfer.buffer);
    event(
        R"({{"ph":"X","name":{},"cat":"transfer","pid":{},"tid":{},"ts":{},"dur":{},"args":{{"to":{},"bytes":{:.0f}}}}})",
        json_text(buffer.name), process_of(transfer.from), thread_of(transfer.link), microseconds(transfer.start),
        microseconds(transfer.finish - transfer.start), json_text(machine_.device(transfer.to).name), buffer.bytes);
  }

  /// From each transfer to the first group that reads what it brought.
  void write_arrows(const Timeline& timeline) {
    std::map<std::pair<BufferId, DeviceId>, const Timeline::Run*> first_reader;
    for (const Timeline::Run& run : timeline.runs)
      for (const BufferId input : contents_.reads(run.group)) first_reader.emplace(std::pair(input, run.device), &run);
    std::size_t id = 0;
    for (const Timeline::Transfer& transfer : timeline.transfers) {
      const auto reader = first_reader.find({transfer.buffer, transfer.to});
      if (reader == first_reader.end()) continue;
      event(R"({{"ph":"s","name":"tensor","cat":"flow","id":{},"pid":{},"tid":{},"ts":{}}})", ++id,
            process_of(transfer.from), thread_of(transfer.link), microseconds(transfer.start));
      event(R"({{"ph":"f","bp":"e","name":"tensor","cat":"flow","id":{},"pid":{},"tid":{},"ts":{}}})", id,
            process_of(transfer.to), reader->second->stream, microseconds(reader->second->start));
    }
  }

  OutputFile& file_;
  const Workload& workload_;
  const Machine& machine_;
  GroupContents contents_;
  bool first_ = true;
};

}  // namespace

void write_trace(const std::filesystem::path& path, const Workload& workload, const Machine& machine, const Plan& plan,
                 const Timeline& timeline) {
  OutputFile file(path);
  TraceWriter(file, workload, machine, plan).write(timeline);
  file.commit();
}

}  // namespace hone
