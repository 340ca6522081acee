/* Runs ONNX models on hone's own executor, by the plan that `hone optimize --runtime native` wrote beside the model.
 *
 *   hone_model* model = hone_load("net.hone.onnx", "net.hone.plan.json", 1);
 *   if (!model) { puts(hone_error()); return 1; }
 *   int64_t dims[] = {1, 3, 224, 224};
 *   hone_tensor image = {"image", HONE_FLOAT32, 4, dims, pixels};
 *   hone_tensor scores;
 *   if (hone_set_input(model, &image) || hone_run(model) || hone_output(model, "scores", &scores)) ...
 *   hone_free(model);
 *
 * A model belongs to one thread at a time; several models are independent of one another. */
#ifndef HONE_H
#define HONE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Types of elements, by the numbers of ONNX's TensorProto.DataType; those not named here are known too. */
enum {
  HONE_FLOAT32 = 1,
  HONE_UINT8 = 2,
  HONE_INT8 = 3,
  HONE_INT32 = 6,
  HONE_INT64 = 7,
  HONE_BOOL = 9,
  HONE_FLOAT16 = 10,
  HONE_FLOAT64 = 11
};

/* What functions return besides 0, as the program `hone` exits: docs/exit-codes.md. */
enum { HONE_DONE = 0, HONE_FAILED = 1, HONE_WRONG_USE = 2, HONE_BAD_MODEL = 3 };

typedef struct hone_model hone_model;

/* A dense array of elements, the last axis without gaps. */
typedef struct hone_tensor {
  const char* name;
  int32_t type;
  size_t rank;
  const int64_t* dims;
  const void* data;
} hone_tensor;

/* Loads a model, and a plan that it obeys (NULL: none), to run with so many threads. NULL on failure. */
hone_model* hone_load(const char* model_file, const char* plan_file, int threads);
void hone_free(hone_model* model);

/* One sentence about the last failure on this thread; never NULL, valid until the next call. */
const char* hone_error(void);

/* Names in the order of the model; NULL beyond the last. */
const char* hone_input_name(const hone_model* model, size_t index);
const char* hone_output_name(const hone_model* model, size_t index);

/* Copies an input. Every input without a default needs one before the first run and keeps it for later ones. Sizes may change from run to
 * run where the model leaves them open: each combination is made ready when it is first seen, and kept. */
int hone_set_input(hone_model* model, const hone_tensor* input);

/* Runs the model on its inputs. */
int hone_run(hone_model* model);

/* Whether the last run obeyed the plan. It does unless inputs had other sizes than the plan was made for. */
int hone_ran_by_plan(const hone_model* model);

/* An output of the last run; what it points to is valid until the next one. */
int hone_output(const hone_model* model, const char* name, hone_tensor* output);

#ifdef __cplusplus
}
#endif
#endif
