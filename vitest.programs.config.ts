import { defineConfig, mergeConfig } from 'vitest/config'
import { sharedConfig } from './vitest.config.ts'
import { PROGRAM_TESTS } from './vitest.process.config.ts'

export default mergeConfig(
  sharedConfig,
  defineConfig({ test: { include: PROGRAM_TESTS, maxWorkers: 2, testTimeout: 120_000 } }),
)
