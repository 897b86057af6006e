import { defineConfig, mergeConfig } from 'vitest/config'
import { sharedConfig } from './vitest.config.ts'

/** What needs neither PostgreSQL nor processes: for every save. No database is started, so none can be used. */
export default mergeConfig(
  { test: { ...sharedConfig.test, globalSetup: [] } },
  defineConfig({
    test: {
      include: ['packages/*/test/**/*.test.ts'],
      exclude: ['**/*.{db,process,program,browser,nightly}.test.ts', '**/node_modules/**'],
    },
  }),
)
