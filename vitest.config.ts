import { defineConfig, mergeConfig } from 'vitest/config'

export const sharedConfig = defineConfig({
  test: {
    globalSetup: ['packages/testkit/src/vitest-global-setup.ts'],
    setupFiles: ['packages/testkit/src/vitest-leak-check.ts'],
    pool: 'forks',
    // Files share loaded modules: half of the CPU time went into loading the same modules again.
    isolate: false,
    // The default is one less than the number of cores, but half of the time is spent waiting for PostgreSQL.
    maxWorkers: 2,
    // For tests that hang, on a machine whose CPUs are mostly used by others.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
})

/** Everything that needs no separate process besides PostgreSQL. The suffix of a test's name chooses its suite. */
export default mergeConfig(
  sharedConfig,
  defineConfig({
    test: {
      include: ['packages/*/test/**/*.test.ts'],
      exclude: ['**/*.{process,program,browser,nightly}.test.ts', '**/node_modules/**'],
    },
  }),
)
