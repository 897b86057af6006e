import type { AgentId } from '@skein/contract'
import { S3_KEYS, TestS3 } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BACKENDS } from './backends-under-test.ts'
import { RunnerWorld, type RunnerProcess } from './runner-world.ts'

let world: RunnerWorld
let s3: TestS3

beforeAll(async () => {
  s3 = new TestS3()
  await s3.start()
  world = await RunnerWorld.start()
  await world.useSandbox('process')
})

afterAll(async () => {
  await world.close()
  await s3.stop()
})

/** How the runner's runs ended, as its log says. */
function endings(runner: RunnerProcess): string[] {
  return runner
    .output()
    .split('\n')
    .filter((line) => line.includes('"a run ended"'))
    .map((line) => /"reason":"([a-z-]+)"/.exec(line)?.[1] ?? '')
}

test('a run whose earlier conversation takes long to remove has not lost its lease', async () => {
  const [{ model }] = BACKENDS
  const runner = await world.startRunner({
    SKEIN_RUNNER_BLOBS: `s3://bucket/prefix?region=eu-central-1&endpoint=${encodeURIComponent(s3.endpoint)}`,
    AWS_ACCESS_KEY_ID: S3_KEYS.id,
    AWS_SECRET_ACCESS_KEY: S3_KEYS.secret,
  })
  // Longer than a heartbeat takes to be told that the run has ended.
  s3.removalMs = 1_000
  const agentId: AgentId = await world.spawn('warm', [{ say: 'Hello.' }], { model })
  await world.settled(agentId)
  for (const runId of ['2', '3']) {
    await world.send(agentId, [{ say: 'Again.' }])
    await world.waitUntil(`turn ${runId}`, async () => (await world.status(agentId)).run.runId === runId)
    await world.settled(agentId)
  }
  await world.waitUntil('three ends', async () => endings(runner).length === 3)
  expect(endings(runner)).toEqual(['rested', 'rested', 'rested'])
})
