import { defineConfig, mergeConfig } from 'vitest/config'
import { sharedConfig } from './vitest.config.ts'

/** Suites that drive programs, sandboxes, git and whole servers, and are not timed. */
export default mergeConfig(
  sharedConfig,
  defineConfig({
    test: {
      include: ['packages/*/test/**/*.program.test.ts'],
      // One more than the two cores of a small machine, because programs mostly wait for each other.
      maxWorkers: 3,
      // Some of these tests permanently give up root, which must not affect the next file.
      isolate: true,
    },
  }),
)
