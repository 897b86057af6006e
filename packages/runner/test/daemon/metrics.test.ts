import { ConfigError } from '@skein/contract'
import { expect, test } from 'vitest'
import { RunnerMetrics } from '../../src/daemon/metrics.ts'

test('metrics are served on the address that the operator names, and on no other', async () => {
  const server = await new RunnerMetrics(4).serve('127.0.0.2', 0)
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const answer = await fetch(`http://127.0.0.2:${port}/metrics`)
  expect(await answer.text()).toContain('skein_runner_active_runs 0')
  await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow('fetch failed')
  server.close()
})

test('an address that is not of this machine is refused by the names of its settings', async () => {
  const serving = new RunnerMetrics(4).serve('192.0.2.1', 0)
  await expect(serving).rejects.toThrow(ConfigError)
  await expect(serving).rejects.toThrow('SKEIN_RUNNER_METRICS_HOST')
})

test('model calls are counted by provider and status, and a status nobody knows is one of the others', async () => {
  const metrics = new RunnerMetrics(4)
  const call = { costUsd: 0.5, isFirst: false, sinceStartMs: 0, durationMs: 3_000, provider: 'anthropic' }
  for (const status of [200, 429, 429, 0, 777, 778])
    metrics.observe({ type: 'model-called', ...call, status })
  const text = await metrics.text()
  expect(text).toContain('skein_runner_model_calls_total{provider="anthropic",status="200"} 1')
  expect(text).toContain('skein_runner_model_calls_total{provider="anthropic",status="429"} 2')
  expect(text).toContain('skein_runner_model_calls_total{provider="anthropic",status="0"} 1')
  expect(text).toContain('skein_runner_model_calls_total{provider="anthropic",status="other"} 2')
  expect(text).toContain('skein_runner_model_call_duration_seconds_bucket{le="4",provider="anthropic"} 6')
  expect(text).toContain('skein_runner_cost_dollars_total 3')
})

test('runs, repositories and conversations are counted by how they went', async () => {
  const metrics = new RunnerMetrics(4)
  const run = {
    tenant: 'acme',
    workspace: 'shop',
    owner: 'ada',
    agent: 'secret-name',
    runId: '1',
    attempt: 1,
  }
  metrics.observe({ type: 'run-began', run })
  metrics.observe({ type: 'first-model-call', sinceQueuedMs: 4_000 })
  metrics.observe({ type: 'git-failed', kind: 'auth' })
  metrics.observe({ type: 'blob-failed', operation: 'put' })
  metrics.observe({ type: 'run-ended', run, reason: 'finished', durationMs: 1, costUsd: 0 })
  const text = await metrics.text()
  expect(text).toContain('skein_runner_capacity 4')
  expect(text).toContain('skein_runner_active_runs 0')
  expect(text).toContain('skein_runner_runs_total{reason="finished"} 1')
  expect(text).toContain('skein_runner_queued_to_first_model_call_seconds_bucket{le="5"} 1')
  expect(text).toContain('skein_runner_git_failures_total{kind="auth"} 1')
  expect(text).toContain('skein_runner_git_failures_total{kind="save"} 0')
  expect(text).toContain('skein_runner_blob_failures_total{operation="put"} 1')
  expect(text).toContain('skein_runner_nodejs_eventloop_lag_p99_seconds')
  expect(text).not.toContain('secret-name')
})
