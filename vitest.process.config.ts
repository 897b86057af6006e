import { defineConfig, mergeConfig } from 'vitest/config'
import { sharedConfig } from './vitest.config.ts'

/** Suites that start servers and runners as processes and are timed. One at a time, so that nothing disturbs them. */
export default mergeConfig(
  sharedConfig,
  defineConfig({
    test: {
      include: ['packages/*/test/**/*.process.test.ts'],
      fileParallelism: false,
    },
  }),
)
