#pragma once

namespace hbmscope {

// What every attention kernel is launched with, passed by value; compiled by the host and by the run-time
// compiler, hence no include. Tensors are contiguous and 16-byte aligned:
// q, o: (batch, heads, seqlen_q, head_dim); k, v: (batch, kv_heads, seqlen_kv, head_dim);
// lse: (batch, heads, lse_columns) fp32; s, p: (batch, heads, seqlen_q, s_columns);
// o_fp32: as o in fp32; l, m: (batch, heads, rows that the kernel says, statistics_columns) fp32.
// A kernel touches only the tensors that its launch names; the others may be null.
struct AttentionParams {
  const void* q;
  const void* k;
  const void* v;
  void* o;
  float* lse;
  void* s;
  void* p;
  int batch;
  int heads;
  int kv_heads;
  int seqlen_q;
  int seqlen_kv;
  int s_columns;    // elements from one row of S or P to the next: standard_s_columns(seqlen_kv)
  int lse_columns;  // from one head's LSE to the next: flash2_lse_columns(seqlen_q)
  float scale;      // > 0; usually 1 / sqrt(head_dim)
  int window = 0;   // keys that a query sees under a window mask, itself included
  float* o_fp32 = nullptr;
  float* l = nullptr;
  float* m = nullptr;
  int statistics_columns = 0;  // from one row of l or m to the next: statistics_columns(seqlen_q)
};

}  // namespace hbmscope
