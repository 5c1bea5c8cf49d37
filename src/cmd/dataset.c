/* dataset.c - `warpwise dataset`: kernels, launches and measurements at scale, one
 * command for each step. */
#include "cmd.h"

extern const ww_command ww_cmd_dataset_generate, ww_cmd_dataset_plan,
    ww_cmd_dataset_import, ww_cmd_dataset_collect, ww_cmd_dataset_check,
    ww_cmd_dataset_merge, ww_cmd_dataset_stats, ww_cmd_dataset_export,
    ww_cmd_dataset_pack, ww_cmd_dataset_episodes, ww_cmd_dataset_transcripts;

static const ww_command *const subs[] = {
    &ww_cmd_dataset_generate,    /* kernels from a grammar */
    &ww_cmd_dataset_plan,        /* launches of the corpus */
    &ww_cmd_dataset_import,      /* and of other people's sources */
    &ww_cmd_dataset_collect,     /* measured */
    &ww_cmd_dataset_check,       /* leaks between splits */
    &ww_cmd_dataset_merge,       /* from many machines */
    &ww_cmd_dataset_stats,       /* what is in it */
    &ww_cmd_dataset_export,      /* for other programs */
    &ww_cmd_dataset_episodes,    /* rewrites of kernels, all tried */
    &ww_cmd_dataset_transcripts, /* as examples for a policy */
    &ww_cmd_dataset_pack,        /* for shipping */
    NULL,
};

const ww_command ww_cmd_dataset = {
    "dataset",
    "kernels, launches and measurements at scale",
    "COMMAND ...",
    .examples = "  warpwise dataset generate --seed 7 --count 3\n"
                "  warpwise dataset collect --store h200.sqlite --seed 7 --count 1000 "
                "--launches 8 "
                "--counters 0.15\n"
                "  warpwise dataset stats h200.sqlite\n"
                "  warpwise dataset export h200.sqlite -o rows.parquet\n",
    .subs = subs,
};
