import { randomBytes } from 'node:crypto'
import { createConnection } from 'node:net'
import { formatKey, KEY_PREFIXES, parseKey } from '@skein/contract/facts'
import { PAGE_SECRET, startTestServer, TestClock, type TestServer, type TestTenant } from '@skein/testkit'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cookieOf, SAME_ORIGIN } from '../browser.ts'

const clock = new TestClock(Date.UTC(2026, 10, 15))
const settings = { SKEIN_SIGN_INS_PER_MINUTE: '60', SKEIN_TRUSTED_PROXIES: '127.0.0.1' }
let server: TestServer
let other: TestServer
let tenant: TestTenant

beforeAll(async () => {
  server = await startTestServer({ clock, settings })
  other = await startTestServer({ clock, settings, database: server.database })
  tenant = await server.createTenant('acme')
})

afterAll(async () => {
  await other.close()
  await server.close()
})

function signInFrom(address: string, apiKey: string, by = server) {
  const headers = { ...SAME_ORIGIN, 'x-forwarded-for': address }
  return by.anonymous.post('/v1/session', { apiKey, pageSecret: PAGE_SECRET }, { headers })
}

/** How many are answered before the limit is met. */
async function countUntilRefused(attempt: (count: number) => ReturnType<typeof signInFrom>): Promise<number> {
  for (let count = 0; count < 200; count++) {
    if ((await attempt(count)).status === 429) return count
  }
  throw new Error('There is no limit')
}

const guess = (count: number) => `skn_c1${count.toString().padStart(24, '0')}.nothing`

async function rowCount(table: string): Promise<number> {
  const owner = new Client({ connectionString: server.database.ownerUrl })
  await owner.connect()
  const { rowCount: count } = await owner.query(`select from ${table}`)
  await owner.end()
  return count ?? 0
}

describe('attempts to sign in', () => {
  test('from one address are limited, with the time to wait, whatever keys are tried', async () => {
    expect(await countUntilRefused((count) => signInFrom('203.0.113.1', guess(count)))).toBe(10)
    const refused = await signInFrom('203.0.113.1', tenant.admin.key ?? '')
    expect(refused).toMatchObject({ status: 429, reason: 'RATE_LIMITED' })
    expect(refused.text).toContain('RetryInfo')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect((await signInFrom('203.0.113.2', tenant.admin.key ?? '')).status).toBe(200)
  })

  test('are allowed again once the time has passed that the refusal named', async () => {
    const { headers } = await signInFrom('203.0.113.1', guess(1))
    clock.advance(Number(headers['retry-after']) * 1000)
    expect((await signInFrom('203.0.113.1', guess(1))).status).toBe(401)
    clock.advance(60_000)
  })

  test('are counted on all servers together', async () => {
    const turns = [server, other]
    const attempt = (count: number) => signInFrom('203.0.113.3', guess(count), turns[count % 2])
    expect(await countUntilRefused(attempt)).toBe(10)
  })

  test('that succeed count a sixth', async () => {
    const { key = '' } = await tenant.as('viewer', 'busy')
    expect(await countUntilRefused(() => signInFrom('203.0.113.4', key))).toBeGreaterThan(50)
    clock.advance(60_000)
  })

  test('with one key are limited from however many addresses', async () => {
    const { key = '' } = await tenant.as('viewer', 'target')
    const wrong = formatKey(KEY_PREFIXES.apiKey, parseKey(key)?.keyId ?? '', randomBytes(32))
    expect(await countUntilRefused((count) => signInFrom(`198.51.100.${count}`, wrong))).toBe(10)
  })

  test('from one IPv6 network count together, because each has addresses without end', async () => {
    const attempt = (count: number) => signInFrom(`2001:db8:1:2::${count.toString(16)}`, guess(count))
    expect(await countUntilRefused(attempt)).toBe(10)
    expect((await signInFrom('2001:db8:1:3::1', guess(1))).status).toBe(401)
  })

  test('at the same time gain nothing', async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, count) => signInFrom('203.0.113.5', guess(count))),
    )
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10)
  })

  test('leave no more rows than there are slots', async () => {
    const before = await rowCount('sign_in_level')
    await Promise.all(Array.from({ length: 20 }, (_, count) => signInFrom('203.0.113.5', guess(count))))
    expect(await rowCount('sign_in_level')).toBe(before)
  })

  test('of a tenant’s people are never limited where the limit is off', async () => {
    const open = await startTestServer({ database: server.database })
    for (let count = 0; count < 30; count++) {
      expect((await signInFrom('203.0.113.6', guess(count), open)).status).toBe(401)
    }
    await open.close()
  })
})

describe('an account', () => {
  test('has at most 50 sessions: another one ends the oldest, and no row is left of it', async () => {
    const { key = '' } = await tenant.as('viewer', 'many')
    const cookies: string[] = []
    for (let count = 0; count < 55; count++) {
      clock.advance(2_000)
      cookies.push(cookieOf(await signInFrom('203.0.113.7', key)))
    }
    const statuses = await Promise.all(
      cookies.map(
        async (cookie) => (await server.anonymous.get('/v1/whoami', { headers: { cookie } })).status,
      ),
    )
    expect(statuses).toEqual([...Array<number>(5).fill(401), ...Array<number>(50).fill(200)])
  })
})

test('a request without Host gets the envelope', async () => {
  const url = new URL(await server.app.listen({ host: '127.0.0.1', port: 0 }))
  const answerTo = async (head: string) => {
    const socket = createConnection(Number(url.port), url.hostname)
    socket.end(`${head}\r\nConnection: close\r\n\r\n`)
    const chunks = await socket.toArray()
    return chunks.join('')
  }
  const answer = await answerTo('GET /v1/whoami HTTP/1.1')
  expect(answer).toMatch(/^HTTP\/1.1 400 /)
  const body: unknown = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))
  expect(body).toMatchObject({ code: 3, details: [{ reason: 'HTTP_INVALID' }] })
  expect(answer.toLowerCase()).toContain('x-request-id: ')
  expect(await answerTo('GET /healthz HTTP/1.0')).toMatch(/^HTTP\/1.1 200 /)
})
