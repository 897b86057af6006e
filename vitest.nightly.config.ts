import { defineConfig, mergeConfig } from 'vitest/config'
import { sharedConfig } from './vitest.config.ts'

/** Tests that take too long for every change. */
export default mergeConfig(
  sharedConfig,
  defineConfig({
    test: {
      include: ['packages/*/test/**/*.nightly.test.ts'],
      fileParallelism: false,
      isolate: true,
      testTimeout: 300_000,
      hookTimeout: 120_000,
    },
  }),
)
