import { defineConfig, mergeConfig } from 'vitest/config'
import { sharedConfig } from './vitest.config.ts'

/** Journeys in a real Chromium against a real Skein. By threes: half of it is waiting. What is timed is for the night. */
export default mergeConfig(
  sharedConfig,
  defineConfig({
    test: {
      include: ['packages/dashboard/test/**/*.browser.test.ts'],
      maxWorkers: 3,
    },
  }),
)
