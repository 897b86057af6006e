import { defineConfig, mergeConfig } from 'vitest/config'
import { sharedConfig } from './vitest.config.ts'
import { PROGRAM_TESTS } from './vitest.process.config.ts'

export default mergeConfig(
  sharedConfig,
  defineConfig({
    test: {
      include: PROGRAM_TESTS,
      // One more than the two cores of a small machine, because programs wait for each other most of the time.
      maxWorkers: 3,
      // Some of these tests give up root for good, which must not reach the next file.
      isolate: true,
    },
  }),
)
