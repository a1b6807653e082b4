// A cache whose rows are concatenated to what it holds along an inner dimension, by kernels that only move memory.
//
// %all is a tensor of 32 x (s + 1) x 128 x f16: 32 heads, s rows of the past and the row of this step. Its rows are put
// together by two kernels of strided boxes, the attention reads it, and the row of this step is taken out of it again, 32
// runs of 256 bytes with a pitch of 256*(s + 1), to be put into the cache. Those bytes are the ones of %row.
//
//   bufplan plan examples/iree/slow_memcpy.mlir --symbols '_global_seq_step.global=0..4094'

#map = affine_map<()[s0] -> (s0 + 1)>
#map1 = affine_map<()[s0] -> (s0 * 8192)>
#map2 = affine_map<()[s0] -> (s0 * 8192 + 8192)>
module @slow_memcpy {
  util.global private mutable @_global_seq_step.global {noinline} = 0 : index
  util.global private mutable @_global_cache.global {noinline} : !stream.resource<variable>

  // 32 x s x 128 to the first s rows of each head.
  stream.executable private @past_slow_memcpy {
    stream.executable.export public @past_slow_memcpy
    builtin.module {
      func.func @past_slow_memcpy(%arg0: index, %arg1: !stream.binding, %arg2: !stream.binding) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %0 = flow.dispatch.workload.ordinal %arg0, 0 : index
        %1 = arith.addi %0, %c1 overflow<nsw> : index
        %2 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !flow.dispatch.tensor<readonly:tensor<32x?x128xf16>>{%0}
        %3 = stream.binding.subspan %arg2[%c0] : !stream.binding -> !flow.dispatch.tensor<readwrite:tensor<32x?x128xf16>>{%1}
        %4 = flow.dispatch.tensor.load %2, offsets = [0, 0, 0], sizes = [32, %0, 128], strides = [1, 1, 1] : !flow.dispatch.tensor<readonly:tensor<32x?x128xf16>>{%0} -> tensor<32x?x128xf16>
        flow.dispatch.tensor.store %4, %3, offsets = [0, 0, 0], sizes = [32, %0, 128], strides = [1, 1, 1] : tensor<32x?x128xf16> -> !flow.dispatch.tensor<readwrite:tensor<32x?x128xf16>>{%1}
        return
      }
    }
  }

  // 32 x 128 to row s of each head.
  stream.executable private @row_slow_memcpy {
    stream.executable.export public @row_slow_memcpy
    builtin.module {
      func.func @row_slow_memcpy(%arg0: index, %arg1: !stream.binding, %arg2: !stream.binding) {
        %c0 = arith.constant 0 : index
        %0 = flow.dispatch.workload.ordinal %arg0, 0 : index
        %1 = affine.apply affine_map<()[s0] -> (s0 + 1)>()[%0]
        %2 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !flow.dispatch.tensor<readonly:tensor<32x128xf16>>
        %3 = stream.binding.subspan %arg2[%c0] : !stream.binding -> !flow.dispatch.tensor<readwrite:tensor<32x?x128xf16>>{%1}
        %4 = flow.dispatch.tensor.load %2, offsets = [0, 0], sizes = [32, 128], strides = [1, 1] : !flow.dispatch.tensor<readonly:tensor<32x128xf16>> -> tensor<32x128xf16>
        flow.dispatch.tensor.store %4, %3, offsets = [0, %0, 0], sizes = [32, 1, 128], strides = [1, 1, 1] : tensor<32x128xf16> -> !flow.dispatch.tensor<readwrite:tensor<32x?x128xf16>>{%1}
        return
      }
    }
  }

  // Row s of each head to 32 x 128.
  stream.executable private @take_slow_memcpy {
    stream.executable.export public @take_slow_memcpy
    builtin.module {
      func.func @take_slow_memcpy(%arg0: index, %arg1: !stream.binding, %arg2: !stream.binding) {
        %c0 = arith.constant 0 : index
        %0 = flow.dispatch.workload.ordinal %arg0, 0 : index
        %1 = affine.apply affine_map<()[s0] -> (s0 + 1)>()[%0]
        %2 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !flow.dispatch.tensor<readonly:tensor<32x?x128xf16>>{%1}
        %3 = stream.binding.subspan %arg2[%c0] : !stream.binding -> !flow.dispatch.tensor<writeonly:tensor<32x128xf16>>
        %4 = flow.dispatch.tensor.load %2, offsets = [0, %0, 0], sizes = [32, 1, 128], strides = [1, 1, 1] : !flow.dispatch.tensor<readonly:tensor<32x?x128xf16>>{%1} -> tensor<32x128xf16>
        flow.dispatch.tensor.store %4, %3, offsets = [0, 0], sizes = [32, 128], strides = [1, 1] : tensor<32x128xf16> -> !flow.dispatch.tensor<writeonly:tensor<32x128xf16>>
        return
      }
    }
  }

  util.func public @decode_step(%query: !stream.resource<external>) -> !stream.resource<external> {
    %c0 = arith.constant 0 : index
    %c8192 = arith.constant 8192 : index
    %c33546240 = arith.constant 33546240 : index
    %step = util.global.load @_global_seq_step.global : index
    %cache = util.global.load @_global_cache.global : !stream.resource<variable>
    %0 = affine.apply #map1()[%step]
    %1 = affine.apply #map2()[%step]
    %results:2, %result_timepoint = stream.async.execute with(%query as %arg1: !stream.resource<external>{%c8192}, %cache as %arg2: !stream.resource<variable>{%c33546240}) -> (!stream.resource<external>{%c8192}, %cache{%c33546240}) {
      %past = stream.async.slice %arg2[%c0 to %0] : !stream.resource<variable>{%c33546240} -> !stream.resource<transient>{%0}
      %heads = stream.async.dispatch @transpose::@heads_first[%step](%step, %past[%c0 to %0 for %0]) : (index, !stream.resource<transient>{%0}) -> !stream.resource<transient>{%0}
      %row = stream.async.dispatch @project::@row(%arg1[%c0 to %c8192 for %c8192]) : (!stream.resource<external>{%c8192}) -> !stream.resource<transient>{%c8192}
      %room = stream.async.alloca : !stream.resource<transient>{%1}
      %most = stream.async.dispatch @past_slow_memcpy::@past_slow_memcpy[%step](%step, %heads[%c0 to %0 for %0], %room[%c0 to %1 for %1]) : (index, !stream.resource<transient>{%0}, !stream.resource<transient>{%1}) -> %room{%1}
      %all = stream.async.dispatch @row_slow_memcpy::@row_slow_memcpy[%step](%step, %row[%c0 to %c8192 for %c8192], %most[%c0 to %1 for %1]) : (index, !stream.resource<transient>{%c8192}, !stream.resource<transient>{%1}) -> %most{%1}
      %attended = stream.async.dispatch @attention::@attend[%step](%step, %arg1[%c0 to %c8192 for %c8192], %all[%c0 to %1 for %1]) : (index, !stream.resource<external>{%c8192}, !stream.resource<transient>{%1}) -> !stream.resource<external>{%c8192}
      %taken = stream.async.dispatch @take_slow_memcpy::@take_slow_memcpy[%step](%step, %all[%c0 to %1 for %1]) : (index, !stream.resource<transient>{%1}) -> !stream.resource<transient>{%c8192}
      %next = stream.async.update %taken, %arg2[%0 to %1] : !stream.resource<transient>{%c8192} -> %arg2 as !stream.resource<variable>{%c33546240}
      stream.yield %attended, %next : !stream.resource<external>{%c8192}, !stream.resource<variable>{%c33546240}
    } => !stream.timepoint
    %2:2 = stream.timepoint.await %result_timepoint => %results#0, %results#1 : !stream.resource<external>{%c8192}, !stream.resource<variable>{%c33546240}
    util.global.store %2#1, @_global_cache.global : !stream.resource<variable>
    %3 = affine.apply #map()[%step]
    util.global.store %3, @_global_seq_step.global : index
    util.return %2#0 : !stream.resource<external>
  }
}
