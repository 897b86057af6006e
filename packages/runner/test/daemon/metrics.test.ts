import { ConfigError } from '@skein/contract'
import { expect, test } from 'vitest'
import { RunnerMetrics } from '../../src/daemon/metrics.ts'

test('metrics are served on the address that the operator names, and on no other', async () => {
  const server = await new RunnerMetrics().serve('127.0.0.2', 0)
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const answer = await fetch(`http://127.0.0.2:${port}/metrics`)
  expect(await answer.text()).toContain('skein_runner_active_runs 0')
  await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow('fetch failed')
  server.close()
})

test('an address that is not of this machine is refused by the names of its settings', async () => {
  const serving = new RunnerMetrics().serve('192.0.2.1', 0)
  await expect(serving).rejects.toThrow(ConfigError)
  await expect(serving).rejects.toThrow('SKEIN_RUNNER_METRICS_HOST')
})
