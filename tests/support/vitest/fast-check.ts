/** Gives every property test of a run the seed FAST_CHECK_SEED, which vitest.config.ts sets and prints. */
import fc from "fast-check";

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.FAST_CHECK_SEED) });
