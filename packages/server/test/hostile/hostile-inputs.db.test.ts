import { encodeBase64Text } from '@skein/contract'
import type { TestClient } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HostileWorld, list } from './hostile-world.ts'

let hostile: HostileWorld

beforeAll(async () => {
  hostile = await HostileWorld.start()
})

afterAll(() => hostile.close())

interface Attack {
  readonly by: TestClient
  readonly path: string
  readonly body: string
}

const attack = (path: string, body: unknown, by = hostile.member): Attack => ({
  by,
  path,
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

const write = (document: string): Attack =>
  attack('/v1/catalog/persona/large', { payload: encodeBase64Text(document) }, hostile.world.admin)

const SELECTORS = {
  'many blanks': `a=${' '.repeat(2_000)}${'x'.repeat(2_000)}`,
  'many terms': 'a=b,'.repeat(1_000),
  'nothing but commas': ','.repeat(4_000),
  'many values': `a in (${'b,'.repeat(1_900)}b)`,
}
const GLOBS = {
  'nested repeats': '+(*)+(*)+(*)+(*)b',
  'many stars': `${'*a'.repeat(120)}b`,
  'many deep stars': '**/'.repeat(80),
  'many choices': '{a,b}'.repeat(50),
  'open brackets': '['.repeat(250),
}
const links = (count: number, id: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => id(index))

/** Created before measuring: building them is the attacker's cost. */
const ATTACKS: Readonly<Record<string, () => Attack>> = {
  ...Object.fromEntries(
    Object.entries(SELECTORS).map(([what, labelSelector]) => [
      `a selector with ${what}`,
      () => attack('/v1/agents', { labelSelector, account: '*' }),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(GLOBS).map(([what, pattern]) => [
      `a glob with ${what}`,
      () =>
        attack('/v1/agent/tasks/create', {
          agentId: hostile.agentId,
          tasks: links(500, (index) => `T${index}`).map((subject) => ({
            subject,
            activation: { filesModified: { pattern } },
          })),
        }),
    ]),
  ),
  'nested lists': () => attack('/v1/agent/queue', `${'['.repeat(400_000)}${']'.repeat(400_000)}`),
  'nested objects': () => attack('/v1/agent/queue', `${'{"a":'.repeat(150_000)}1${'}'.repeat(150_000)}`),
  'a text of escapes': () =>
    attack('/v1/agent/queue', `{"agentId":{},"description":"${'\\u0041'.repeat(150_000)}"}`),
  'many small numbers': () => attack('/v1/agent/queue', `{"tasks":[${'1,'.repeat(500_000)}1]}`),
  'one field many times': () => attack('/v1/agent/queue', `{${list(150_000, () => '"a":1')}}`),
  'a long name': () =>
    attack('/v1/agent/spawn', { description: 'W', agentId: { agent: ['a'.repeat(900_000)] } }),
  'a deep path': () => attack('/v1/agent/status', { agentId: { agent: links(150_000, () => 'a') } }),
  'links to tasks that do not exist': () =>
    attack('/v1/agent/tasks/create', {
      agentId: hostile.agentId,
      tasks: links(300, (index) => `s${index}`).map((subject) => ({
        subject,
        blocks: links(400, (index) => `x${index}`),
      })),
    }),
  'tasks that are all linked with each other': () =>
    attack('/v1/agent/tasks/create', {
      agentId: hostile.agentId,
      tasks: links(400, (index) => `k${index}`).map((id, at) => ({
        id,
        subject: id,
        blocks: links(400 - at - 1, (index) => `k${at + index + 1}`),
      })),
    }),
  'tasks that are all linked anew': () =>
    attack('/v1/agent/tasks/update', {
      agentId: hostile.agentId,
      tasks: links(400, (index) => `k${index}`).map((id, at) => ({
        id,
        blocks: links(400 - at - 1, (index) => `k${at + index + 1}`),
      })),
    }),
  'many labels': () =>
    attack('/v1/agent/spawn', `{"description":"W","labels":{${list(60_000, (index) => `"l${index}":"x"`)}}}`),
  'many unknown fields': () =>
    attack('/v1/agent/spawn', `{"description":"W",${list(60_000, (index) => `"f${index}":1`)}}`),
  'a document of many unknown fields': () => write(`{${list(200_000, (index) => `"f${index}":1`)}}`),
  'a document of many small texts': () => write(`{"tools":[${list(500_000, () => '"a"')}]}`),
  'a document that is one long text': () => write(`{"prompt":"${'é\\n'.repeat(700_000)}"}`),
  'a document of escapes': () => write(`{"prompt":"${'\\u0041'.repeat(500_000)}"}`),
  'a nested document': () => write(`{"tools":${'['.repeat(1_500_000)}${']'.repeat(1_500_000)}}`),
  'a page token of many parts': () =>
    attack('/v1/agents', { pageToken: Buffer.from('['.repeat(300_000)).toString('base64url') }),
  'a long update mask': () =>
    attack(
      '/v1/catalog/persona/large',
      {
        payload: encodeBase64Text('{}'),
        updateMask: 'a.'.repeat(500_000),
      },
      hostile.world.admin,
    ),
}

describe('no other tenant waits for', () => {
  test.each(Object.entries(ATTACKS))('%s', async (_what, prepare) => {
    const { by, path, body } = prepare()
    const { status } = await hostile.withstands(() => by.post(path, body))
    expect(status).toBeLessThan(500)
  })

  test('a header of many cookies', async () => {
    const headers = { cookie: 'a=b; '.repeat(3_000) }
    const { anonymous } = hostile.world.server
    const { status } = await hostile.withstands(() => anonymous.get('/v1/whoami', { headers }))
    expect(status).toBe(401)
  })
})
