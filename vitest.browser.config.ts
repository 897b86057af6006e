import { defineConfig, mergeConfig } from 'vitest/config'
import { sharedConfig } from './vitest.config.ts'

/** Journeys in a real Chromium against a real Skein. One at a time, because some are timed. */
export default mergeConfig(
  sharedConfig,
  defineConfig({
    test: {
      include: ['packages/dashboard/test/**/*.browser.test.ts'],
      fileParallelism: false,
      testTimeout: 120_000,
      hookTimeout: 120_000,
    },
  }),
)
