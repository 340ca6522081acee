/* Runs a model on inputs of ones and prints the first elements of every output:
 *
 *   cc examples/run_model.c -Iinclude -Lbuild/release -lhone -o run_model
 *   LD_LIBRARY_PATH=build/release ./run_model net.onnx net.plan.json x 1x3x224x224
 *
 * The plan may be - for none; inputs follow as pairs of name and sizes, all of type float. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hone.h"

enum { MOST_AXES = 8 };

static int failed(const char* what) {
  fprintf(stderr, "%s: %s\n", what, hone_error());
  return 1;
}

/* Gives an input its sizes, such as 1x3x224x224, and ones. */
static int set_ones(hone_model* model, const char* name, const char* sizes) {
  int64_t dims[MOST_AXES];
  hone_tensor input = {name, HONE_FLOAT32, 0, dims, NULL};
  size_t count = 1;
  char* rest = (char*)sizes;
  while (*rest && input.rank < MOST_AXES) {
    dims[input.rank] = strtoll(rest, &rest, 10);
    count *= (size_t)dims[input.rank++];
    if (*rest == 'x') ++rest;
  }
  float* ones = malloc((count + 1) * sizeof(float));
  if (!ones) return 1;
  for (size_t i = 0; i < count; ++i) ones[i] = 1;
  input.data = ones;
  const int result = hone_set_input(model, &input);
  free(ones);
  return result;
}

static void print_output(const hone_tensor* output) {
  const float* elements = output->data;
  size_t count = 1;
  printf("%s", output->name);
  for (size_t i = 0; i < output->rank; ++i) {
    printf("%s%lld", i ? "x" : " ", (long long)output->dims[i]);
    count *= (size_t)output->dims[i];
  }
  for (size_t i = 0; i < count && i < 4; ++i) printf(" %.6g", elements[i]);
  printf("\n");
}

int main(int argc, char** argv) {
  if (argc < 5 || argc % 2 == 0) {
    fprintf(stderr, "usage: %s MODEL PLAN|- INPUT SIZES ...\n", argv[0]);
    return 2;
  }
  hone_model* model = hone_load(argv[1], strcmp(argv[2], "-") ? argv[2] : NULL, 1);
  if (!model) return failed(argv[1]);
  for (int i = 3; i < argc; i += 2)
    if (set_ones(model, argv[i], argv[i + 1])) return failed(argv[i]);
  if (hone_run(model)) return failed("run");
  printf("%s\n", hone_ran_by_plan(model) ? "by the plan" : "without a plan");
  const char* name;
  for (size_t i = 0; (name = hone_output_name(model, i)); ++i) {
    hone_tensor output;
    if (hone_output(model, name, &output)) return failed(name);
    if (output.type == HONE_FLOAT32) print_output(&output);
  }
  hone_free(model);
  return 0;
}
