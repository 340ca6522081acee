#pragma once

#include <cstddef>
#include <cstdint>

namespace hone::ort {

// ONNX Runtime's C interface is one table of function pointers that only ever grows at its end, so that the place of a
// function and what it takes are fixed for all versions that have it. Declared here are the ones hone calls, by place.

/// The version of the table hone asks for; every library from 1.14 on has it.
inline constexpr std::uint32_t kTableVersion = 14;
inline constexpr const char* kOldestLibrary = "1.14";

// Objects of the library, only ever seen as pointers.
struct CStatus;
struct CEnvironment;
struct CThreading;
struct CSession;
struct CSessionOptions;
struct CRunOptions;
struct CValue;
struct CMemory;
struct CAllocator;
struct CTensorType;

/// What the one exported function of the library, OrtGetApiBase, returns.
struct CEntry {
  const void* const* (*table)(std::uint32_t version);  // null when the library is older than that
  const char* (*version)();
};

/// A function of the table: its place, its name for messages, and its type.
template <class Function>
struct Slot {
  std::size_t place = 0;
  const char* name = nullptr;
};
/// One that reports failure by a status, null when it succeeded.
template <class... Parameters>
using Call = Slot<CStatus*(Parameters...)>;
template <class Object>
using Release = Slot<void(Object*)>;

inline constexpr Slot<const char*(const CStatus*)> kMessage{2, "GetErrorMessage"};
inline constexpr Release<CStatus> kReleaseStatus{93, "ReleaseStatus"};

inline constexpr Call<int, const char*, CEnvironment**> kCreateEnvironment{3, "CreateEnv"};
inline constexpr Call<int, const char*, const CThreading*, CEnvironment**> kCreateSharedEnvironment{
    119, "CreateEnvWithGlobalThreadPools"};
inline constexpr Release<CEnvironment> kReleaseEnvironment{92, "ReleaseEnv"};
inline constexpr Call<CThreading**> kCreateThreading{121, "CreateThreadingOptions"};
inline constexpr Release<CThreading> kReleaseThreading{122, "ReleaseThreadingOptions"};
inline constexpr Call<CThreading*, int> kSetSharedIntraThreads{147, "SetGlobalIntraOpNumThreads"};
inline constexpr Call<CThreading*, int> kSetSharedInterThreads{148, "SetGlobalInterOpNumThreads"};

inline constexpr Call<CEnvironment*, const CMemory*, const void*> kRegisterAllocator{144, "CreateAndRegisterAllocator"};

inline constexpr Call<CSessionOptions**> kCreateOptions{10, "CreateSessionOptions"};
inline constexpr Release<CSessionOptions> kReleaseOptions{100, "ReleaseSessionOptions"};
inline constexpr Call<CSessionOptions*, const char*> kSetOptimizedFile{11, "SetOptimizedModelFilePath"};
inline constexpr Call<CSessionOptions*, int> kSetExecutionMode{13, "SetSessionExecutionMode"};
inline constexpr Call<CSessionOptions*, const char*> kEnableProfiling{14, "EnableProfiling"};
inline constexpr Call<CSessionOptions*> kDisableMemoryPattern{17, "DisableMemPattern"};
inline constexpr Call<CSessionOptions*> kDisableArena{19, "DisableCpuMemArena"};
inline constexpr Call<CSessionOptions*, int> kSetLogSeverity{22, "SetSessionLogSeverityLevel"};
inline constexpr Call<CSessionOptions*, int> kSetOptimizationLevel{23, "SetSessionGraphOptimizationLevel"};
inline constexpr Call<CSessionOptions*, int> kSetIntraThreads{24, "SetIntraOpNumThreads"};
inline constexpr Call<CSessionOptions*, int> kSetInterThreads{25, "SetInterOpNumThreads"};
inline constexpr Call<CSessionOptions*> kUseSharedThreads{120, "DisablePerSessionThreads"};
inline constexpr Call<CSessionOptions*, const char*, const char*> kAddEntry{130, "AddSessionConfigEntry"};

inline constexpr Call<const CEnvironment*, const char*, const CSessionOptions*, CSession**> kCreateSession{
    7, "CreateSession"};
inline constexpr Call<const CEnvironment*, const void*, std::size_t, const CSessionOptions*, CSession**>
    kCreateSessionFromMemory{8, "CreateSessionFromArray"};
inline constexpr Release<CSession> kReleaseSession{95, "ReleaseSession"};
inline constexpr Call<CSession*, const CRunOptions*, const char* const*, const CValue* const*, std::size_t,
                      const char* const*, std::size_t, CValue**>
    kRun{9, "Run"};
inline constexpr Call<const CSession*, std::size_t*> kInputCount{30, "SessionGetInputCount"};
inline constexpr Call<const CSession*, std::size_t*> kOutputCount{31, "SessionGetOutputCount"};
inline constexpr Call<const CSession*, std::size_t, CAllocator*, char**> kInputName{36, "SessionGetInputName"};
inline constexpr Call<const CSession*, std::size_t, CAllocator*, char**> kOutputName{37, "SessionGetOutputName"};
inline constexpr Call<CSession*, CAllocator*, char**> kEndProfiling{110, "SessionEndProfiling"};

inline constexpr Call<int, int, CMemory**> kCreateCpuMemory{69, "CreateCpuMemoryInfo"};
inline constexpr Release<CMemory> kReleaseMemory{94, "ReleaseMemoryInfo"};
inline constexpr Call<CAllocator**> kDefaultAllocator{78, "GetAllocatorWithDefaultOptions"};
inline constexpr Call<CAllocator*, void*> kFree{76, "AllocatorFree"};

inline constexpr Call<CAllocator*, const std::int64_t*, std::size_t, int, CValue**> kCreateTensor{
    48, "CreateTensorAsOrtValue"};
inline constexpr Call<const CMemory*, void*, std::size_t, const std::int64_t*, std::size_t, int, CValue**> kWrapTensor{
    49, "CreateTensorWithDataAsOrtValue"};
inline constexpr Release<CValue> kReleaseValue{96, "ReleaseValue"};
inline constexpr Call<const CValue*, int*> kValueKind{67, "GetValueType"};
inline constexpr Call<CValue*, void**> kTensorBytes{51, "GetTensorMutableData"};
inline constexpr Call<CValue*, const char* const*, std::size_t> kFillStrings{52, "FillStringTensor"};
inline constexpr Call<const CValue*, std::size_t*> kStringsLength{53, "GetStringTensorDataLength"};
inline constexpr Call<const CValue*, void*, std::size_t, std::size_t*, std::size_t> kStringsContent{
    54, "GetStringTensorContent"};
inline constexpr Call<const CValue*, CTensorType**> kTensorType{65, "GetTensorTypeAndShape"};
inline constexpr Release<CTensorType> kReleaseTensorType{99, "ReleaseTensorTypeAndShapeInfo"};
inline constexpr Call<const CTensorType*, int*> kElementType{60, "GetTensorElementType"};
inline constexpr Call<const CTensorType*, std::size_t*> kRank{61, "GetDimensionsCount"};
inline constexpr Call<const CTensorType*, std::int64_t*, std::size_t> kDims{62, "GetDimensions"};
inline constexpr Call<const CValue*, int, CAllocator*, CValue**> kPart{80, "GetValue"};
inline constexpr Call<const CValue*, std::size_t*> kPartCount{81, "GetValueCount"};
inline constexpr Call<const CValue* const*, std::size_t, int, CValue**> kCreateFromParts{82, "CreateValue"};

// Numbers the functions above take.
inline constexpr int kLogWarnings = 2, kLogErrors = 3, kLogFatal = 4;
inline constexpr int kArenaAllocator = 1, kDefaultMemory = 0;
inline constexpr int kTensorValue = 1, kSequenceValue = 2, kMapValue = 3;  // of kValueKind

}  // namespace hone::ort
