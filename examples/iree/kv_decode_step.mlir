// One step of a decoder over three key/value caches, each of 4095 rows of 32 x 128 x f16 (8192 bytes). The step `s` is
// the content of a global. What each cache holds is sliced off, a kernel reads it and gives the row of this step, and the
// row is put into the cache at the place of this step.
//
//   bufplan plan examples/iree/kv_decode_step.mlir --symbols '_global_seq_step.global=0..4094'

#map = affine_map<()[s0] -> (s0 + 1)>
module @kv_decode_step {
  util.global private mutable @_global_seq_step.global {noinline} = 0 : index
  util.global private mutable @_global_key.global {noinline} : !stream.resource<variable>
  util.global private mutable @_global_value.global {noinline} : !stream.resource<variable>
  util.global private mutable @_global_index.global {noinline} : !stream.resource<variable>

  stream.executable private @decode_dispatch_0 {
    stream.executable.export public @decode_dispatch_0_row workgroups() -> (index, index, index) {
      %x, %y, %z = flow.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @decode_dispatch_0_row(%arg0: index, %arg1: !stream.binding, %arg2: !stream.binding) {
        %c0 = arith.constant 0 : index
        %cst = arith.constant 0.000000e+00 : f16
        %0 = flow.dispatch.workload.ordinal %arg0, 0 : index
        %1 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !flow.dispatch.tensor<readonly:tensor<?x32x128xf16>>{%0}
        %2 = stream.binding.subspan %arg2[%c0] : !stream.binding -> !flow.dispatch.tensor<writeonly:tensor<32x128xf16>>
        %3 = flow.dispatch.tensor.load %1, offsets = [0, 0, 0], sizes = [%0, 32, 128], strides = [1, 1, 1] : !flow.dispatch.tensor<readonly:tensor<?x32x128xf16>>{%0} -> tensor<?x32x128xf16>
        %4 = tensor.empty() : tensor<32x128xf16>
        %5 = linalg.fill ins(%cst : f16) outs(%4 : tensor<32x128xf16>) -> tensor<32x128xf16>
        %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%3 : tensor<?x32x128xf16>) outs(%5 : tensor<32x128xf16>) {
        ^bb0(%in: f16, %out: f16):
          %7 = arith.addf %in, %out : f16
          linalg.yield %7 : f16
        } -> tensor<32x128xf16>
        flow.dispatch.tensor.store %6, %2, offsets = [0, 0], sizes = [32, 128], strides = [1, 1] : tensor<32x128xf16> -> !flow.dispatch.tensor<writeonly:tensor<32x128xf16>>
        return
      }
    }
  }

  util.func public @decode_step() {
    %c0 = arith.constant 0 : index
    %c8192 = arith.constant 8192 : index
    %c33546240 = arith.constant 33546240 : index
    %_global_seq_step.global = util.global.load @_global_seq_step.global : index
    %_global_key.global = util.global.load @_global_key.global : !stream.resource<variable>
    %_global_value.global = util.global.load @_global_value.global : !stream.resource<variable>
    %_global_index.global = util.global.load @_global_index.global : !stream.resource<variable>
    %0 = arith.muli %_global_seq_step.global, %c8192 : index
    %1 = affine.apply #map()[%_global_seq_step.global]
    %2 = arith.muli %1, %c8192 : index
    %results:3, %result_timepoint = stream.async.execute with(%_global_key.global as %arg0: !stream.resource<variable>{%c33546240}, %_global_value.global as %arg1: !stream.resource<variable>{%c33546240}, %_global_index.global as %arg2: !stream.resource<variable>{%c33546240}) -> (%_global_key.global as !stream.resource<variable>{%c33546240}, %_global_value.global as !stream.resource<variable>{%c33546240}, %_global_index.global as !stream.resource<variable>{%c33546240}) {
      %3:3 = stream.async.concurrent with(%arg0 as %arg3: !stream.resource<variable>{%c33546240}, %arg1 as %arg4: !stream.resource<variable>{%c33546240}, %arg2 as %arg5: !stream.resource<variable>{%c33546240}) -> (!stream.resource<transient>{%0}, !stream.resource<transient>{%0}, !stream.resource<transient>{%0}) {
        %key_past = stream.async.slice %arg3[%c0 to %0] : !stream.resource<variable>{%c33546240} -> !stream.resource<transient>{%0}
        %value_past = stream.async.slice %arg4[%c0 to %0] : !stream.resource<variable>{%c33546240} -> !stream.resource<transient>{%0}
        %index_past = stream.async.slice %arg5[%c0 to %0] : !stream.resource<variable>{%c33546240} -> !stream.resource<transient>{%0}
        stream.yield %key_past, %value_past, %index_past : !stream.resource<transient>{%0}, !stream.resource<transient>{%0}, !stream.resource<transient>{%0}
      }
      %key_row = stream.async.dispatch @decode_dispatch_0::@decode_dispatch_0_row[%_global_seq_step.global](%_global_seq_step.global, %3#0[%c0 to %0 for %0]) : (index, !stream.resource<transient>{%0}) -> !stream.resource<transient>{%c8192}
      %value_row = stream.async.dispatch @decode_dispatch_0::@decode_dispatch_0_row[%_global_seq_step.global](%_global_seq_step.global, %3#1[%c0 to %0 for %0]) : (index, !stream.resource<transient>{%0}) -> !stream.resource<transient>{%c8192}
      %index_row = stream.async.dispatch @decode_dispatch_0::@decode_dispatch_0_row[%_global_seq_step.global](%_global_seq_step.global, %3#2[%c0 to %0 for %0]) : (index, !stream.resource<transient>{%0}) -> !stream.resource<transient>{%c8192}
      %key_next = stream.async.update %key_row, %arg0[%0 to %2] : !stream.resource<transient>{%c8192} -> %arg0 as !stream.resource<variable>{%c33546240}
      %value_next = stream.async.update %value_row, %arg1[%0 to %2] : !stream.resource<transient>{%c8192} -> %arg1 as !stream.resource<variable>{%c33546240}
      %index_next = stream.async.update %index_row, %arg2[%0 to %2] : !stream.resource<transient>{%c8192} -> %arg2 as !stream.resource<variable>{%c33546240}
      stream.yield %key_next, %value_next, %index_next : !stream.resource<variable>{%c33546240}, !stream.resource<variable>{%c33546240}, !stream.resource<variable>{%c33546240}
    } => !stream.timepoint
    %4:3 = stream.timepoint.await %result_timepoint => %results#0, %results#1, %results#2 : !stream.resource<variable>{%c33546240}, !stream.resource<variable>{%c33546240}, !stream.resource<variable>{%c33546240}
    util.global.store %4#0, @_global_key.global : !stream.resource<variable>
    util.global.store %4#1, @_global_value.global : !stream.resource<variable>
    util.global.store %4#2, @_global_index.global : !stream.resource<variable>
    util.global.store %1, @_global_seq_step.global : index
    util.return
  }
}
