/* helper_timer.h of NVIDIA's samples: host timers, type-checked only. */
#ifndef WW_HELPER_TIMER_H
#define WW_HELPER_TIMER_H
class StopWatchInterface {
public:
  virtual ~StopWatchInterface() {}
  virtual void start() {}
  virtual void stop() {}
  virtual void reset() {}
  virtual float getTime() { return 0; }
  virtual float getAverageTime() { return 0; }
};
inline bool sdkCreateTimer(StopWatchInterface **) { return true; }
inline bool sdkDeleteTimer(StopWatchInterface **) { return true; }
inline bool sdkStartTimer(StopWatchInterface **) { return true; }
inline bool sdkStopTimer(StopWatchInterface **) { return true; }
inline bool sdkResetTimer(StopWatchInterface **) { return true; }
inline float sdkGetTimerValue(StopWatchInterface **) { return 0; }
inline float sdkGetAverageTimerValue(StopWatchInterface **) { return 0; }
#endif
