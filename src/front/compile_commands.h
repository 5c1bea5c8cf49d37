/* compile_commands.h - the flags a build uses for a file. No clang in it. */
#ifndef WW_FRONT_COMPILE_COMMANDS_H
#define WW_FRONT_COMPILE_COMMANDS_H

#include "../base/base.h"

/* From compile_commands.json: `given` (a file or its folder), else found upward from
 * the file; none found is WW_OK and no flags. */
ww_status ww_compile_flags(
    const char *file, const char *given, ww_arena *a, ww_strings *flags, ww_err *e);

#endif
