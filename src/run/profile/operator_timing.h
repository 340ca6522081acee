#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace hone {

/// Form of the records below; files of another form are refused.
inline constexpr int kProfileVersion = 1;

/// Under which conditions a timing holds: it is never used under others.
struct ProfileContext {
  std::string hardware;  // fingerprint of the machine
  std::string runtime;   // name and version
  std::size_t threads = 1;
  friend auto operator<=>(const ProfileContext&, const ProfileContext&) = default;
};

/// The timing of one node configuration.
struct NodeTiming {
  ProfileContext context;
  std::string config;  // see node_config
  double seconds = 0;  // median of a run
  double p10 = 0, p90 = 0;
  std::size_t samples = 0;
  friend bool operator==(const NodeTiming&, const NodeTiming&) = default;
};

/// Where timings come from: a file now, a store elsewhere.
class ProfileSource {
 public:
  virtual ~ProfileSource() = default;
  /// The timing of a configuration under exactly these conditions.
  virtual std::optional<NodeTiming> find(const ProfileContext& context, const std::string& config) const = 0;
};

/// Records in memory; a later one replaces an earlier one of the same configuration and conditions.
class ProfileTable : public ProfileSource {
 public:
  std::optional<NodeTiming> find(const ProfileContext& context, const std::string& config) const override;
  void add(NodeTiming record);
  std::vector<NodeTiming> records() const;

 private:
  std::map<std::pair<ProfileContext, std::string>, NodeTiming> by_config_;
};

nlohmann::ordered_json json_of(const NodeTiming& record);
/// Throws InputError, beginning with `where`, for what is no record.
NodeTiming node_timing(const nlohmann::json& object, const std::string& where);

/// A file of records, one JSON object a line.
ProfileTable read_profiles(const std::filesystem::path& file);
void write_profiles(const ProfileTable& table, const std::filesystem::path& file);

/// This machine, as `hone hw fingerprint` and the store name it.
std::string hardware_fingerprint();

}  // namespace hone
