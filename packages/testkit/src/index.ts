export {
  createServerLogin,
  startPostgresServer,
  type PostgresServer,
  type PostgresServerOptions,
} from '@skein/local-postgres'
export { bareEnvironment } from './bare-environment.ts'
export { TestClock, type Clock } from './clock.ts'
export {
  explainedBy,
  explainStatements,
  insertUnchecked,
  scansIn,
  type ExplainedStatement,
  type PlanScan,
} from './query-plans.ts'
export { LongestTick } from './longest-tick.ts'
export { machineNow } from './machine-time.ts'
export { NO_LIMITS } from './no-limits.ts'
export { Random } from './random.ts'
export {
  ScriptedRunner,
  scriptOf,
  type ScriptedRunnerEvent,
  type ScriptedRunnerOptions,
  type Step,
} from './scripted-runner.ts'
export { PAGE_SECRET, TestClient, type TestAnswer, type TestRequestOptions } from './test-client.ts'
export {
  createEmptyDatabase,
  createTestDatabase,
  type EmptyDatabase,
  type TestDatabase,
} from './test-databases.ts'
export { startTestServer, type TestServer, type TestServerOptions } from './test-server.ts'
export { S3_KEYS, TestS3 } from './test-s3.ts'
export { TestTenant } from './test-tenant.ts'
export { startTraceCollector, type ReceivedSpan, type TraceCollector } from './trace-collector.ts'
export { waitFor, type WaitForOptions } from './wait-for.ts'
