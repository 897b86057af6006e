import { defineConfig, mergeConfig } from 'vitest/config'
import { sharedConfig } from './vitest.config.ts'

/** Suites that drive programs, sandboxes, git and whole servers, and are not timed. */
export const PROGRAM_TESTS = [
  'packages/runner/test/{backends,gateway,git-front,sandbox,start,workspace}/**/*.process.test.ts',
  'packages/runner/test/daemon/outage.process.test.ts',
  'packages/runner/test/e2e/{continue,foreign-session,hostile,hostile-front,leftovers,limits,money,offers,setup-secrets,steer,takeover,tenant-keys,whole-life}.process.test.ts',
  'packages/simulator/test/**/*.process.test.ts',
  'packages/server/test/process/{clock-skew,commands,database-outage,revocation,serve,tracing}.process.test.ts',
  'packages/store/test/query-plans.process.test.ts',
  'packages/cli/test/{agents,catalog,doctor,examples}.process.test.ts',
  'packages/cli/test/{dev,mcp}/**/*.process.test.ts',
]

/** Suites that start separate processes: servers, runners, packages. One at a time, because they are timed. */
export default mergeConfig(
  sharedConfig,
  defineConfig({
    test: {
      include: ['packages/*/test/**/*.process.test.ts'],
      exclude: [...PROGRAM_TESTS, '**/node_modules/**'],
      fileParallelism: false,
    },
  }),
)
