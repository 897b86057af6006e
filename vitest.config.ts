import { defineConfig, mergeConfig } from 'vitest/config'

export const sharedConfig = defineConfig({
  test: {
    globalSetup: ['packages/testkit/src/vitest-global-setup.ts'],
    setupFiles: ['packages/testkit/src/vitest-leak-check.ts'],
    pool: 'forks',
    // Files share what they have loaded: half of the processor time went into loading the same modules again.
    isolate: false,
    // One less than there are cores by default, and half of the time goes into waiting for PostgreSQL.
    maxWorkers: 2,
    // For what hangs, on a machine whose processors are somebody else's most of the time.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
})

/** Everything that needs no process of its own besides PostgreSQL. `npm run test:process` has the rest. */
export default mergeConfig(
  sharedConfig,
  defineConfig({
    test: {
      include: ['packages/*/test/**/*.test.ts'],
      exclude: ['**/*.{process,browser,nightly}.test.ts', '**/node_modules/**'],
    },
  }),
)
