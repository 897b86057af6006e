import { defineConfig, mergeConfig } from 'vitest/config'
import { sharedConfig } from './vitest.config.ts'

/** Suites that drive the agents' programs, sandboxes, git and the command line. They are not timed closely. */
export const PROGRAM_TESTS = [
  'packages/runner/test/{backends,gateway,git-front,sandbox,workspace}/**/*.process.test.ts',
  'packages/simulator/test/**/*.process.test.ts',
  'packages/cli/test/{agents,catalog,doctor,examples,mcp}.process.test.ts',
]

/** Suites that start processes of their own: servers, runners, packages. One at a time, because they are timed. */
export default mergeConfig(
  sharedConfig,
  defineConfig({
    test: {
      include: ['packages/*/test/**/*.process.test.ts'],
      exclude: [...PROGRAM_TESTS, '**/node_modules/**'],
      fileParallelism: false,
      testTimeout: 120_000,
    },
  }),
)
