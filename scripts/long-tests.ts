/**
 * Test files that `.ci/run` leaves to the nightly run, so that it stays below half an hour. What they guarantee is also
 * tested elsewhere, on a lower level or for one of its cases, or rarely breaks. `npm run test:browser` and the others
 * run them all.
 */
export const LONG_TESTS: readonly string[] = [
  'packages/cli/test/dev/dev.program.test.ts',
  'packages/cli/test/doctor.program.test.ts',
  'packages/dashboard/test/agent/changes.browser.test.ts',
  'packages/dashboard/test/catalog.browser.test.ts',
  'packages/dashboard/test/fleet/pull-requests.browser.test.ts',
  'packages/dashboard/test/notifications.browser.test.ts',
  'packages/dashboard/test/pages.browser.test.ts',
  'packages/dashboard/test/sessions.browser.test.ts',
  'packages/dashboard/test/sign-in/account.browser.test.ts',
  'packages/dashboard/test/spawn.browser.test.ts',
  'packages/local-postgres/test/postgres-server.program.test.ts',
  'packages/runner/test/backends/acp.program.test.ts',
  'packages/runner/test/daemon/outage.program.test.ts',
  'packages/runner/test/e2e/continue.program.test.ts',
  'packages/runner/test/e2e/dead-collector.program.test.ts',
  'packages/runner/test/e2e/limits.program.test.ts',
  'packages/runner/test/e2e/offers.program.test.ts',
  'packages/runner/test/e2e/setup-secrets.program.test.ts',
  'packages/runner/test/e2e/traces.program.test.ts',
  'packages/runner/test/git-front/git-bombs.program.test.ts',
  'packages/runner/test/start/leave-root.program.test.ts',
  'packages/server/test/automations/examples.program.test.ts',
  'packages/server/test/automations/notifications.program.test.ts',
  'packages/server/test/automations/schedule-outage.program.test.ts',
  'packages/server/test/hostile/flooded-queue.process.test.ts',
  'packages/server/test/hostile/large-trees.process.test.ts',
  'packages/server/test/process/clock-skew.program.test.ts',
  'packages/server/test/process/replica.program.test.ts',
]
