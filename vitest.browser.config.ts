import { defineConfig, mergeConfig } from 'vitest/config'
import { sharedConfig } from './vitest.config.ts'

/** Journeys in a real Chromium against a real Skein, two at a time. What is timed is for the night. */
export default mergeConfig(
  sharedConfig,
  defineConfig({
    test: {
      include: ['packages/dashboard/test/**/*.browser.test.ts'],
      maxWorkers: 2,
      testTimeout: 120_000,
      hookTimeout: 120_000,
    },
  }),
)
