import type { AgentId, Assignment } from '@skein/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { S3_KEYS, TestS3 } from '@skein/testkit'
import { BACKENDS } from './backends-under-test.ts'
import { RunnerWorld } from './runner-world.ts'

let world: RunnerWorld
let s3: TestS3

beforeAll(async () => {
  s3 = new TestS3()
  await s3.start()
  world = await RunnerWorld.start()
})

afterAll(async () => {
  await world.close()
  await s3.stop()
})

/** What an admin can do with its own runner key: take a turn and report anything. */
async function finishTurnWith(session: string): Promise<void> {
  const token = { account: 'mallory', role: 'runner', pools: ['default'] }
  const { document } = await world.tenant.operator.write('token', 'mallory', token, { justification: 'test' })
  const mallory = world.tenant.client(String(document['key']))
  const { body } = await mallory.post('/v1/runner/poll', { capacity: 1, waitMs: 5_000 })
  const [assignment] = body['runs'] as Assignment[]
  const outcome = { reason: 'rested', message: 'Done.', session }
  const done = await mallory.post('/v1/runner/complete', { lease: assignment?.lease, outcome })
  expect(done.body).toMatchObject({ accepted: true })
}

function isMark(key: string): boolean {
  return key.includes('/marks/')
}

test('a session that names a foreign object has it neither read nor removed', async () => {
  const [{ backend, model }] = BACKENDS
  const foreign = 'customer-backups/db.dump.gz'
  s3.buckets.add('customer-backups')
  s3.objects.set(foreign, Buffer.from('backup'))
  const agentId: AgentId = await world.spawn('thief', [{ say: 'Hello.' }], { model })
  const session = { backend, id: 'x', transcript: 'home/x' }
  const blob = '../../../customer-backups/db.dump.gz'
  await finishTurnWith(JSON.stringify({ version: 1, session, blob, runId: '1', snapshot: blob }))
  await world.startRunner({
    SKEIN_RUNNER_BLOBS: `s3://bucket/some/prefix?region=eu-central-1&endpoint=${encodeURIComponent(s3.endpoint)}`,
    AWS_ACCESS_KEY_ID: S3_KEYS.id,
    AWS_SECRET_ACCESS_KEY: S3_KEYS.secret,
  })
  await world.send(agentId, [{ say: 'Again.' }])
  await world.waitUntil('the second turn', async () => (await world.status(agentId)).run.runId === '2')
  await world.settled(agentId)
  expect(s3.objects.get(foreign)?.toString()).toBe('backup')
  expect(s3.requests.length).toBeGreaterThan(0)
  for (const { path } of s3.requests)
    expect(path).toMatch(
      path.startsWith('/bucket?list-type=2')
        ? /[?&]prefix=some%2Fprefix%2Fmarks%2F[0-9a-f]{2}%2F[0-9a-f]{64}\.$/
        : /^\/bucket\/some\/prefix\/(marks\/)?[0-9a-f]{2}\/[0-9a-f]{64}(\.[0-9a-z-]+)?$/,
    )
  const saved = [...s3.objects.keys()].filter((key) => key !== foreign)
  expect(saved.filter((key) => !isMark(key))).toHaveLength(1)
  expect(saved.filter(isMark)).toHaveLength(1)
})
