import { defineConfig, mergeConfig } from 'vitest/config'
import { sharedConfig } from './vitest.config.ts'

/**
 * Journeys in a real Chromium against a real Skein. Three files at a time, because half of the time is waiting.
 * Timed journeys run at night.
 */
export default mergeConfig(
  sharedConfig,
  defineConfig({
    test: {
      include: ['packages/dashboard/test/**/*.browser.test.ts'],
      maxWorkers: 3,
    },
  }),
)
