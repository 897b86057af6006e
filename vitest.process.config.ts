import { defineConfig, mergeConfig } from 'vitest/config'
import { sharedConfig } from './vitest.config.ts'

/** Suites that start processes of their own: servers, commands, packages. One at a time, because they are timed. */
export default mergeConfig(
  sharedConfig,
  defineConfig({
    test: { include: ['packages/*/test/**/*.process.test.ts'], fileParallelism: false, testTimeout: 120_000 },
  }),
)
