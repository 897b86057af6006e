import { defineConfig } from 'vitest/config'

/** The tests of core need no database, so none is started for each mutant. */
export default defineConfig({
  test: {
    include: ['packages/core/test/**/*.test.ts'],
    exclude: ['**/*.process.test.ts'],
    testTimeout: 60_000,
  },
})
