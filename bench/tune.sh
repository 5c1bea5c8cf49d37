#!/bin/sh
# tune.sh BUILD FOLDER [options of `tune --replay`] : how tune would have done on three spaces that others have measured on an A100.
#
# FOLDER holds what is theirs, fetched and not part of this project: convolution.cu (MiloLurati/AutoTuning_AMD_vs_Nvidia_GPUs,
# cache_scripts/convolution) and convolution.json (AutoTuningAssociation/benchmark_hub, cachefiles/convolution_milo/A100.json.gz, unpacked); hotspot.cu
# and hotspot/*.json, gemm/ (cl_to_cuda.h and gemm.cu: an #include of it, then common.opencl and the four parts of xgemm in order) and
# gemm/*.json (fjwillemsen/kernel_tuner_paper, compare_real_world_impact/kernels and results, A100 alone). WARPWISE_REPLAY names a file that
# keeps the predictions of a space.
build=$1
folder=$2
shift 2
files() { for f in "$@"; do printf ' --kernel-tuner %s' "$f"; done; }
shape='(4096+block_size_x*tile_size_x-1)/(block_size_x*tile_size_x),(4096+block_size_y*tile_size_y-1)/(block_size_y*tile_size_y)'
kept=$WARPWISE_REPLAY
run() { # NAME ARGUMENTS...
  name=$1
  shift
  WARPWISE_REPLAY=${kept:+$kept.$name} "$build/warpwise" tune "$@" --gpu a100 --replay
}
# Reads beyond the last row hit other memory on the device: buffers here are as large as the widest tile needs.
# shellcheck disable=SC2046
run gemm "$folder/gemm/gemm.cu" $(files "$folder"/gemm/*.json) --kernel Xgemm --grid 4096/MWG,4096/NWG --block MDIMC,NDIMC \
  --arg kSizeM=4096 --arg kSizeN=4096 --arg kSizeK=4096 --arg arg_alpha=1.0 --arg arg_beta=1.0 --arg 'agm=f32[1<<24]' --arg 'bgm=f32[1<<24]' \
  --arg 'cgm=f32[1<<24]' --arg b_offset=0 --arg c_offset=0 "$@"
# shellcheck disable=SC2046
run hotspot "$folder/hotspot.cu" $(files "$folder"/hotspot/*.json) --kernel calculate_temp --grid "$shape" --arg 'power=f32[20000000]' \
  --arg 'temp=f32[20000000]' --arg 'temp_dst=f32[1<<24]' --arg Rx_1=0.1 --arg Ry_1=0.1 --arg Rz_1=3.05 --arg step_div_cap=21.8 \
  --work temporal_tiling_factor "$@"
run convolution "$folder/convolution.cu" --kernel-tuner "$folder/convolution.json" --kernel convolution_kernel --grid "$shape" \
  --arg 'output=f32[1<<24]' --arg 'input=f32[20000000]' --arg 'filter=f32[225]' "$@"
