import { readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import { createHash } from 'node:crypto'
import type { AgentId } from '@skein/contract'
import { FileBlobStore } from '@skein/host/blobs'
import { S3_KEYS, startTestServer, TestClient, TestS3 } from '@skein/testkit'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { AgentWorld, must } from '../agents/agent-world.ts'
import { SegmentWorld } from './segment-world.ts'

const compress = promisify(zstdCompress)

let segments: SegmentWorld

/** An agent with old events, which have been moved. */
async function moved(name: string): Promise<AgentId> {
  const agentId = await segments.world.spawn(name)
  must(await segments.world.queue(agentId))
  await segments.age(agentId, 1)
  await segments.move()
  return agentId
}

const ask = (agentId: AgentId, afterSequence = '0') =>
  segments.world.admin.post('/v1/agent/timeline', { agentId, afterSequence })

const reasonOf = ({ body }: { body: Record<string, unknown> }) =>
  (body['details'] as { reason: string }[])[0]?.reason

async function fileOf(agentId: AgentId): Promise<string> {
  const name = String((await segments.segments(agentId))[0]?.['name'])
  const hash = createHash('sha256').update(`timelines/c1/${name}`).digest('hex')
  const file = (await segments.objects()).find((path) => path.endsWith(hash))
  if (file === undefined) throw new Error('The object is not there')
  return file
}

/** Lets the database refer to another object. */
async function rewrite(
  agentId: AgentId,
  name: string,
  stored: number,
  others: Record<string, unknown> = {},
): Promise<void> {
  await segments.world.sql(
    `update timeline_segment set object = decode($2, 'hex'), stored_bytes = $3,
       plain_bytes = coalesce($4, plain_bytes), last_sequence = coalesce($5, last_sequence)
     where agent_id = $1`,
    [await segments.idOf(agentId), name, stored, others['plain_bytes'], others['last_sequence']],
  )
}

/** One that has not read anything yet. */
async function onAnotherServer(
  settings: Record<string, string>,
  work: (client: TestClient) => Promise<void>,
): Promise<void> {
  const { document } = await segments.world.admin.write('token', 'elsewhere', {
    account: 'bob',
    role: 'admin',
  })
  const server = await startTestServer({ database: segments.world.server.database, settings })
  try {
    await work(new TestClient(server.app, String(document['key'])))
  } finally {
    await server.close()
  }
}

describe('in a folder', () => {
  beforeEach(async () => {
    segments = await SegmentWorld.start()
  })

  afterEach(() => segments.close())

  test.each<[string, (file: string) => Promise<void>]>([
    ['is missing', (file) => rm(file)],
    ['is empty', (file) => truncate(file, 0)],
    ['was cut', (file) => truncate(file, 20)],
    [
      'is longer than it was',
      async (file) => writeFile(file, Buffer.concat([await readFile(file), Buffer.alloc(1)])),
    ],
    [
      'has a wrong bit',
      async (file) => {
        const content = await readFile(file)
        content[10] = (content[10] ?? 0) ^ 1
        await writeFile(file, content)
      },
    ],
    [
      'was replaced by a bomb',
      async (file) => writeFile(file, await compress(Buffer.alloc(64 * 1024 * 1024))),
    ],
  ])('an object that %s is an error that says what to do, never a gap', async (_what, damage) => {
    const agentId = await moved('a')
    await damage(await fileOf(agentId))
    const answer = await ask(agentId)
    expect(answer.status).toBe(400)
    expect(reasonOf(answer)).toBe('TIMELINE_DAMAGED')
    expect(JSON.stringify(answer.body)).toContain('"lastSequence":"1"')
    // Before the stream begins.
    expect((await segments.world.admin.post('/v1/agent/watch', { agentId })).status).toBe(400)
    const rest = must(await ask(agentId, '1')).body['events'] as { sequence: string }[]
    expect(rest[0]?.sequence).toBe('2')
    const { text } = await segments.world.server.anonymous.get('/metrics')
    expect(text).toMatch(/^skein_timeline_segment_failures_total\{cause="damaged"\} [1-9]/m)
  })

  test('a bomb whose checksum somebody put into the database is not decompressed', async () => {
    const agentId = await moved('a')
    const bomb = await compress(Buffer.alloc(64 * 1024 * 1024))
    const name = createHash('sha256').update(bomb).digest('hex')
    await rewrite(agentId, name, bomb.length)
    await new FileBlobStore(segments.folder).put(`timelines/c1/${name}`, bomb)
    expect(reasonOf(await ask(agentId))).toBe('TIMELINE_DAMAGED')
  })

  test('a segment of another agent or tenant is never read, even if the database refers to it', async () => {
    const { server } = segments.world
    const other = await AgentWorld.in(server, await server.createTenant())
    const theirs = await other.spawn('theirs', { description: 'their secret plan' })
    await other.sql(
      `update timeline set created_at = created_at - interval '100 days' where tenant_id = $1`,
      [other.tenant.id],
    )
    const mine = await moved('mine')
    const [foreign] = await other.sql(
      `select encode(object, 'hex') as name, stored_bytes, plain_bytes, last_sequence from timeline_segment
       where tenant_id = $1`,
      [other.tenant.id],
    )
    await rewrite(mine, String(foreign?.['name']), Number(foreign?.['stored_bytes']), foreign)
    const answer = await ask(mine)
    expect(reasonOf(answer)).toBe('TIMELINE_DAMAGED')
    expect(JSON.stringify(answer.body)).not.toContain('secret')
    expect(
      must(await other.admin.post('/v1/agent/timeline', { agentId: theirs })).body['events'],
    ).not.toEqual([])
    // Nor by asking for it.
    expect((await segments.world.admin.post('/v1/agent/timeline', { agentId: theirs })).status).not.toBe(200)
  })

  test('without a blob store, what was moved is unavailable, and everything else works', async () => {
    const agentId = await moved('a')
    await onAnotherServer({}, async (client) => {
      const answer = await client.post('/v1/agent/timeline', { agentId })
      expect([answer.status, reasonOf(answer)]).toEqual([503, 'TIMELINE_UNAVAILABLE'])
      expect((await client.post('/v1/agent/timeline', { agentId, afterSequence: '1' })).status).toBe(200)
    })
  })
})

describe('in S3', () => {
  let s3: TestS3

  beforeEach(async () => {
    s3 = new TestS3()
    await s3.start()
    vi.stubEnv('AWS_ACCESS_KEY_ID', S3_KEYS.id)
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', S3_KEYS.secret)
    segments = await SegmentWorld.start(`s3://bucket/old?endpoint=${encodeURIComponent(s3.endpoint)}`)
  })

  afterEach(async () => {
    vi.unstubAllEnvs()
    await segments.close()
    await s3.stop()
  })

  test('a store that is down keeps events where they are, and old ones unread until it is back', async () => {
    const agentId = await moved('a')
    const expected = await segments.read(agentId)
    const waiting = await segments.world.spawn('b')
    await segments.age(waiting)
    const rows = await segments.rows(waiting)
    const buckets = [...s3.buckets]
    s3.buckets.clear()
    await expect(segments.move()).rejects.toThrow(/NoSuchBucket/)
    expect(await segments.rows(waiting)).toBe(rows)
    expect(await segments.read(waiting)).toHaveLength(rows)
    await onAnotherServer({ SKEIN_BLOBS: segments.world.server.config.SKEIN_BLOBS }, async (client) => {
      const answer = await client.post('/v1/agent/timeline', { agentId })
      expect([answer.status, reasonOf(answer)]).toEqual([503, 'TIMELINE_UNAVAILABLE'])
      expect(JSON.stringify(answer.body)).toContain('retryDelay')
    })
    for (const bucket of buckets) s3.buckets.add(bucket)
    expect(await segments.read(agentId)).toEqual(expected)
    await segments.move()
    expect(await segments.rows(waiting)).toBe(0)
    expect(s3.objects.size).toBe(2)
  })

  test('a store that returns something else than was stored moves nothing', async () => {
    const agentId = await segments.world.spawn('a')
    await segments.age(agentId)
    const rows = await segments.rows(agentId)
    const set = s3.objects.set.bind(s3.objects)
    s3.objects.set = (key, content) => set(key, content.subarray(1))
    await expect(segments.move()).rejects.toThrow('did not return what was stored')
    expect(await segments.rows(agentId)).toBe(rows)
    s3.objects.set = set
    await segments.move()
    expect(await segments.rows(agentId)).toBe(0)
  })
})
