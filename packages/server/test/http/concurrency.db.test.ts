import { startTestServer, type TestAnswer, type TestServer, type TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

let server: TestServer
let tenant: TestTenant

beforeAll(async () => {
  server = await startTestServer()
  tenant = await server.createTenant('acme')
})

afterAll(() => server.close())

const atOnce = (count: number, send: (index: number) => Promise<TestAnswer>) =>
  Promise.all(Array.from({ length: count }, (_, index) => send(index)))

const tally = (answers: readonly TestAnswer[]) => ({
  succeeded: answers.filter(({ status }) => status === 200).length,
  mismatched: answers.filter(({ status, reason, body }) => {
    return status === 400 && reason === 'GENERATION_MISMATCH' && body['code'] === 9
  }).length,
})

async function historyOf(kind: string, name: string): Promise<unknown[]> {
  const { body } = await tenant.admin.get(`/v1/catalog/${kind}/${name}/history`)
  return body['entries'] as unknown[]
}

describe('200 concurrent writes, conditioned on one generation', () => {
  test('change the resource exactly once', async () => {
    await tenant.admin.write('persona', 'contended', {})
    const answers = await atOnce(200, (index) =>
      tenant.admin.write('persona', 'contended', { prompt: `${index}` }, { ifGenerationMatch: '1' }),
    )
    expect(tally(answers)).toEqual({ succeeded: 1, mismatched: 199 })
    expect(await historyOf('persona', 'contended')).toHaveLength(2)
    const winner = answers.find(({ status }) => status === 200)
    const { document } = await tenant.admin.read('persona', 'contended')
    expect(document).toEqual(winner?.document)
  })

  test('create the resource exactly once', async () => {
    const answers = await atOnce(200, (index) =>
      tenant.admin.write('persona', 'created', { prompt: `${index}` }, { ifGenerationMatch: '0' }),
    )
    expect(tally(answers)).toEqual({ succeeded: 1, mismatched: 199 })
    expect(await historyOf('persona', 'created')).toHaveLength(1)
  })
})

test('50 concurrent patches of different fields all take effect, each with its own generation', async () => {
  await tenant.admin.write('environment', 'shared', {})
  const answers = await atOnce(50, (index) =>
    tenant.admin.write(
      'environment',
      'shared',
      { variables: { [`V${index}`]: `${index}` } },
      { updateMask: `variables.V${index}` },
    ),
  )
  expect(tally(answers).succeeded).toBe(50)
  expect(new Set(answers.map(({ body }) => body['generation'])).size).toBe(50)
  const { document } = await tenant.admin.read('environment', 'shared')
  expect(document['variables']).toEqual(
    Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`V${index}`, `${index}`])),
  )
})

test('20 concurrent rotations of one token to the same version create one key', async () => {
  await tenant.admin.write('token', 'spun', { account: 'ci', role: 'viewer' })
  const answers = await atOnce(20, () =>
    tenant.admin.write('token', 'spun', { keyVersion: 2 }, { updateMask: 'keyVersion' }),
  )
  expect(tally(answers).succeeded).toBe(20)
  expect(answers.filter(({ document }) => 'key' in document)).toHaveLength(1)
})

test('a delete that races with a write which refers to the resource never leaves it dangling', async () => {
  const rounds = 60
  const outcomes = new Set<string>()
  for (let round = 0; round < rounds; round += 10) {
    await Promise.all(Array.from({ length: 10 }, (_, index) => race(round + index)))
  }
  expect([...outcomes].sort()).toEqual(['the delete won', 'the write won'])

  async function race(round: number): Promise<void> {
    const name = `round-${round}`
    await tenant.admin.write('persona', name, {})
    const refer = () => tenant.admin.write('workspace', name, { persona: name })
    // A write takes as long as a few reads, so that the delete meets it now before, now at, now after its locks.
    const removeAfterReads = async (reads: number): Promise<TestAnswer> => {
      for (let read = 0; read < reads; read++) await tenant.admin.read('persona', name)
      return tenant.admin.delete(`/v1/catalog/persona/${name}`)
    }
    const [written, deleted] = await Promise.all([refer(), removeAfterReads(round % 6)])
    const isReferred = (await tenant.admin.read('workspace', name)).status === 200
    const isThere = (await tenant.admin.read('persona', name)).status === 200
    expect(isReferred).toBe(isThere)
    const reasons = [written.reason, deleted.reason]
    expect(reasons).toEqual(isThere ? [undefined, 'RESOURCE_REFERENCED'] : ['DOCUMENT_INVALID', undefined])
    outcomes.add(isThere ? 'the write won' : 'the delete won')
  }
})
