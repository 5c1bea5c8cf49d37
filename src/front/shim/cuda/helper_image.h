/* helper_image.h of NVIDIA's samples: image files and comparisons, type-checked only. */
#ifndef WW_HELPER_IMAGE_H
#define WW_HELPER_IMAGE_H
template <class... A> inline bool sdkLoadPGM(A...) { return true; }
template <class... A> inline bool sdkSavePGM(A...) { return true; }
template <class... A> inline bool sdkLoadPPM4(A...) { return true; }
template <class... A> inline bool sdkSavePPM4ub(A...) { return true; }
template <class... A> inline bool sdkLoadPPM4ub(A...) { return true; }
template <class... A> inline bool sdkDumpBin(A...) { return true; }
template <class... A> inline bool sdkCompareL2fe(A...) { return true; }
template <class... A> inline bool sdkCompareBin2BinFloat(A...) { return true; }
template <class... A> inline bool sdkComparePPM(A...) { return true; }
template <class... A> inline bool compareData(A...) { return true; }
#endif
