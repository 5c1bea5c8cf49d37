/* helper_timer.h of NVIDIA's samples: stop watches of the host, in milliseconds. */
#ifndef WW_HELPER_TIMER_H
#define WW_HELPER_TIMER_H
#include <time.h>
class StopWatchInterface {
  double since = 0, total = 0;
  int runs = 0;
  bool on = false;
  static double now() { timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec; }
public:
  virtual ~StopWatchInterface() {}
  virtual void start() { since = now(), on = true; }
  virtual void stop() { if (on) total += now() - since, runs++; on = false; }
  virtual void reset() { total = 0, runs = 0; if (on) since = now(); }
  virtual float getTime() { return (float)(total + (on ? now() - since : 0)); }
  virtual float getAverageTime() { return runs ? (float)(total / runs) : 0; }
};
inline bool sdkCreateTimer(StopWatchInterface **t) { *t = new StopWatchInterface; return true; }
inline bool sdkDeleteTimer(StopWatchInterface **t) { delete *t; *t = 0; return true; }
inline bool sdkStartTimer(StopWatchInterface **t) { if (*t) (*t)->start(); return true; }
inline bool sdkStopTimer(StopWatchInterface **t) { if (*t) (*t)->stop(); return true; }
inline bool sdkResetTimer(StopWatchInterface **t) { if (*t) (*t)->reset(); return true; }
inline float sdkGetTimerValue(StopWatchInterface **t) { return *t ? (*t)->getTime() : 0; }
inline float sdkGetAverageTimerValue(StopWatchInterface **t) { return *t ? (*t)->getAverageTime() : 0; }
#endif
