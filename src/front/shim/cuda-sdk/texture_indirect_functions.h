/* texture_indirect_functions.h: in case the toolkit has none; one beside cuda_runtime.h is found first. */
