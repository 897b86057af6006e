import { defineConfig, mergeConfig } from 'vitest/config'
import { sharedConfig } from './vitest.config.ts'
import { PROGRAM_TESTS } from './vitest.process.config.ts'

export default mergeConfig(
  sharedConfig,
  defineConfig({
    test: {
      include: PROGRAM_TESTS,
      // One more than the two cores of a small machine, because programs mostly wait for each other.
      maxWorkers: 3,
      // Some of these tests permanently give up root, which must not affect the next file.
      isolate: true,
    },
  }),
)
