#include "learn/train/event_file.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>

#include "base/child_process.h"
#include "base/wire.h"

namespace hone::learn {
namespace {

/// CRC-32C bit by bit.
std::uint32_t checksum_slowly(const std::string& bytes) {
  std::uint32_t sum = 0xFFFFFFFF;
  for (const char byte : bytes) {
    sum ^= static_cast<std::uint8_t>(byte);
    for (int i = 0; i < 8; ++i) sum = (sum & 1) != 0 ? (sum >> 1) ^ 0x82F63B78 : sum >> 1;
  }
  sum = ~sum;
  return ((sum >> 15) | (sum << 17)) + 0xA282EAD8;
}

template <class T>
T read(const std::string& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

/// The records of a file, after checking lengths and checksums.
std::vector<std::string> records_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> records;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto length = read<std::uint64_t>(bytes, at);
    EXPECT_EQ(read<std::uint32_t>(bytes, at + 8), checksum_slowly(bytes.substr(at, 8)));
    records.push_back(bytes.substr(at + 12, length));
    EXPECT_EQ(read<std::uint32_t>(bytes, at + 12 + length), checksum_slowly(records.back()));
    at += length + 16;
  }
  return records;
}

/// Fields of a protobuf message by number: numbers as they are, bytes, and bits of doubles and floats.
struct Message {
  std::multimap<std::uint32_t, std::uint64_t> numbers;
  std::multimap<std::uint32_t, std::string> texts;

  explicit Message(const std::string& bytes) {
    WireReader reader(as_bytes(bytes));
    while (const auto field = reader.next()) {
      if (field->wire == WireField::Wire::bytes) texts.emplace(field->number, field->text());
      else numbers.emplace(field->number, field->varint);
    }
  }
};

TEST(EventFile, IsReadBackAsItWasWritten) {
  const TemporaryFolder folder;
  {
    EventFile file(folder.path(), 1);
    const EventFile::Scalar first[] = {{"reward", -1.25}, {"entropy", 0.5}, {"unknown", NAN}},
                            later[] = {{"reward", -1}};
    file.add(1, first);
    file.add(300, later);
  }
  const std::filesystem::path path = *std::filesystem::directory_iterator(folder.path());
  EXPECT_TRUE(path.filename().string().starts_with("events.out.tfevents."));
  const std::vector<std::string> records = records_of(path);
  ASSERT_EQ(records.size(), 4U);
  EXPECT_EQ(Message(records[0]).texts.find(3)->second, "brain.Event:2");
  const Message first(records[2]), later(records[3]);
  EXPECT_EQ(first.numbers.find(2)->second, 1U);
  EXPECT_EQ(later.numbers.find(2)->second, 300U);
  EXPECT_GT(std::bit_cast<double>(first.numbers.find(1)->second), 1.6e9);
  const Message summary(first.texts.find(5)->second);
  ASSERT_EQ(summary.texts.count(1), 2U);
  std::map<std::string, float> scalars;
  for (const auto& [number, text] : summary.texts) {
    const Message value(text);
    scalars[value.texts.find(1)->second] =
        std::bit_cast<float>(static_cast<std::uint32_t>(value.numbers.find(2)->second));
  }
  EXPECT_EQ(scalars, (std::map<std::string, float>{{"reward", -1.25F}, {"entropy", 0.5F}}));
}

TEST(EventFile, SaysFromWhichStepOnOlderFilesAreVoid) {
  const TemporaryFolder folder;
  EventFile(folder.path(), 41);
  const std::vector<std::string> records = records_of(*std::filesystem::directory_iterator(folder.path()));
  ASSERT_EQ(records.size(), 2U);
  const Message start(records[1]);
  EXPECT_EQ(start.numbers.find(2)->second, 41U);
  EXPECT_EQ(Message(start.texts.find(7)->second).numbers.find(1)->second, 1U);
}

TEST(EventFile, ChecksumIsThatOfTheStandard) {
  // CRC-32C of "123456789" is E3069283.
  EXPECT_EQ(masked_checksum("123456789"), ((0xE3069283U >> 15) | (0xE3069283U << 17)) + 0xA282EAD8U);
}

}  // namespace
}  // namespace hone::learn
