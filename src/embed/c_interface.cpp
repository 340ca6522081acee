#include <hone.h>

#include <exception>

#include "embed/embedded_model.h"

struct hone_model {
  hone::EmbeddedModel model;
};

namespace {

thread_local std::string last_error;  // of this thread

/// What a call returns; every failure becomes a number and a sentence here.
template <class Call>
int guarded(Call call) {
  try {
    call();
    return HONE_DONE;
  } catch (const hone::InputError& error) {
    last_error = error.what();
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    last_error = error.what();
    return HONE_FAILED;
  }
}

const char* name_at(const std::vector<std::string>& names, size_t index) {
  return index < names.size() ? names[index].c_str() : nullptr;
}

}  // namespace

hone_model* hone_load(const char* model_file, const char* plan_file, int threads) {
  hone_model* loaded = nullptr;
  guarded([&] {
    if (model_file == nullptr || threads < 1) hone::fail_usage("hone_load needs a model file and at least one thread");
    loaded = new hone_model{
        hone::EmbeddedModel(model_file, plan_file != nullptr ? plan_file : "", static_cast<std::size_t>(threads))};
  });
  return loaded;
}

void hone_free(hone_model* model) { delete model; }

const char* hone_error(void) { return last_error.c_str(); }

const char* hone_input_name(const hone_model* model, size_t index) {
  return name_at(model->model.input_names(), index);
}

const char* hone_output_name(const hone_model* model, size_t index) {
  return name_at(model->model.output_names(), index);
}

int hone_set_input(hone_model* model, const hone_tensor* input) {
  return guarded([&] {
    if (!hone::is_known_element_type(input->type)) hone::fail_usage("{} is no type of elements", input->type);
    hone::Dims dims;
    for (size_t i = 0; i < input->rank; ++i) dims.push_back(input->dims[i]);
    model->model.set_input(input->name, static_cast<hone::ElementType>(input->type), dims, input->data);
  });
}

int hone_run(hone_model* model) {
  return guarded([&] { model->model.run(); });
}

int hone_ran_by_plan(const hone_model* model) { return model->model.ran_by_plan() ? 1 : 0; }

int hone_output(const hone_model* model, const char* name, hone_tensor* output) {
  return guarded([&] {
    const hone::Tensor* tensor = model->model.output(name);
    if (tensor == nullptr) hone::fail_usage("there is no output '{}', or the model has not run yet", name);
    *output = {.name = name,
               .type = static_cast<int32_t>(tensor->type()),
               .rank = tensor->rank(),
               .dims = tensor->dims().begin(),
               .data = tensor->bytes().data()};
  });
}
