import { defineConfig, mergeConfig } from 'vitest/config'
import { sharedConfig } from './vitest.config.ts'
import { PROGRAM_TESTS } from './vitest.process.config.ts'

export default mergeConfig(
  sharedConfig,
  // One more than the two cores of a small machine, because programs wait for each other most of the time.
  defineConfig({ test: { include: PROGRAM_TESTS, maxWorkers: 3, testTimeout: 120_000 } }),
)
