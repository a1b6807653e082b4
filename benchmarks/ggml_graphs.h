// The real graphs of tests/data/ggml: the files NAME.json.
#ifndef BUFPLAN_BENCHMARKS_GGML_GRAPHS_H_
#define BUFPLAN_BENCHMARKS_GGML_GRAPHS_H_

namespace bufplan {

inline constexpr const char* kGgmlGraphs[] = {"llama7b_decode",
                                              "llama7b_prefill512",
                                              "llama7b_prefill512_last",
                                              "llama8b_gqa_decode",
                                              "llama8b_gqa_prefill512_fa",
                                              "moe64_decode_fa",
                                              "moe64_prefill512_fa",
                                              "moe64_prefill2048_fa_last",
                                              "moe8x7b_decode",
                                              "resnet50_b1",
                                              "unet_64",
                                              "whisper_small_enc"};

}  // namespace bufplan

#endif  // BUFPLAN_BENCHMARKS_GGML_GRAPHS_H_
