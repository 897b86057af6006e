import { defineConfig, mergeConfig } from 'vitest/config'
import { sharedConfig } from './vitest.config.ts'

const inBrowser = mergeConfig(
  sharedConfig,
  defineConfig({ test: { testTimeout: 120_000, hookTimeout: 120_000 } }),
)
const TIMED = 'packages/dashboard/test/fleet-scale.browser.test.ts'

/** Journeys in a real Chromium against a real Skein, two at a time; what is timed comes after them, alone. */
export default defineConfig({
  test: {
    projects: [
      mergeConfig(
        inBrowser,
        defineConfig({
          test: {
            name: 'journeys',
            include: ['packages/dashboard/test/**/*.browser.test.ts'],
            exclude: [TIMED, '**/node_modules/**'],
            maxWorkers: 2,
            sequence: { groupOrder: 0 },
          },
        }),
      ),
      mergeConfig(
        inBrowser,
        defineConfig({
          test: { name: 'timed', include: [TIMED], maxWorkers: 1, sequence: { groupOrder: 1 } },
        }),
      ),
    ],
  },
})
