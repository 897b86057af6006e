import { inspect } from 'node:util'
import {
  CODES,
  pollRuns,
  readResource,
  REASONS,
  spawnAgent,
  SkeinError,
  toEnvelope,
  whoami,
  writeResource,
  type Reason,
} from '@skein/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  createTransport,
  SkeinApiError,
  SkeinClientError,
  SkeinConnectionError,
  SkeinTimeoutError,
} from '../src/index.ts'
import { startFaultyProxy } from './faulty-proxy.ts'
import { startTransportWorld, type TransportWorld } from './transport-world.ts'

let world: TransportWorld
beforeAll(async () => {
  world = await startTransportWorld()
})
beforeEach(() => world.proxy.plan())
afterAll(() => world.close())

const thrownBy = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    (value) => Promise.reject(new Error(`Nothing thrown: ${inspect(value)}`)),
    (error: unknown) => error,
  )

describe('a refusal of the real service', () => {
  test('of a wrong key says so, and never names the key', async () => {
    const apiKey = `${world.apiKey.slice(0, -6)}AAAAAA`
    const error = await thrownBy(world.connect({ apiKey }).call(whoami))
    expect(error).toBeInstanceOf(SkeinApiError)
    expect(error).toMatchObject({
      status: 401,
      code: 'UNAUTHENTICATED',
      reason: 'CREDENTIAL_INVALID',
      isRetryable: false,
    })
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(apiKey.slice(8))
  })

  test('of a missing resource has code, reason, request id and the details', async () => {
    const call = world.connect().call(readResource, {
      params: { 'ref.kind': 'persona', 'ref.name': 'nobody' },
      headers: { 'x-request-id': 'mine-1' },
    })
    expect(await thrownBy(call)).toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
      reason: 'RESOURCE_NOT_FOUND',
      requestId: 'mine-1',
      retryDelayMs: undefined,
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', domain: 'skein' }],
    })
  })

  test('of a body that breaks its rules names each field', async () => {
    const call = world.connect().call(spawnAgent, { body: { agentId: { agent: ['a'] }, description: '' } })
    const error = await thrownBy(call)
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', reason: 'REQUEST_INVALID' })
    expect(JSON.stringify((error as SkeinApiError).details)).toContain('"field":"description"')
  })

  test('of a role without the permission is not retryable', async () => {
    const call = world.connect().call(pollRuns, { body: { capacity: 1 } })
    expect(await thrownBy(call)).toMatchObject({ status: 403, code: 'PERMISSION_DENIED', isRetryable: false })
  })

  test('of a stale write says which rule', async () => {
    const call = world.connect().call(writeResource, {
      params: { 'ref.kind': 'persona', 'ref.name': 'stale' },
      body: { payload: btoa('{}'), ifGenerationMatch: '9' },
    })
    expect(await thrownBy(call)).toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'GENERATION_MISMATCH' })
  })
})

test('every reason of the registry arrives with its code and status', async () => {
  const { call } = world.connect({ retries: 0 })
  const reasons = Object.keys(REASONS) as Reason[]
  for (const reason of reasons) {
    const refusal = new SkeinError(reason, { message: `About ${reason}.` })
    world.proxy.plan({ do: 'answer', status: refusal.httpStatus, body: JSON.stringify(toEnvelope(refusal)) })
    expect(await thrownBy(call(whoami))).toMatchObject({
      reason,
      code: refusal.code,
      status: refusal.httpStatus,
      message: `About ${reason}.`,
    })
  }
  expect(Object.keys(CODES)).toEqual(expect.arrayContaining(reasons.map((reason) => REASONS[reason].code)))
})

describe('an answer that is not the service’s', () => {
  test.each([
    [
      'a page of a proxy',
      { status: 502, body: '<html>Bad gateway</html>' },
      { status: 502, isRetryable: true },
    ],
    ['nothing', { status: 500 }, { status: 500, isRetryable: false }],
    [
      'JSON of someone else',
      { status: 403, body: '{"code":"no","details":[7]}' },
      { status: 403, details: [] },
    ],
  ])('%s is an API error of unknown code', async (_name, answer, expected) => {
    world.proxy.plan({ do: 'answer', ...answer })
    const error = await thrownBy(world.connect({ retries: 0 }).call(whoami))
    expect(error).toMatchObject({ code: 'UNKNOWN', reason: '', ...expected })
    expect((error as Error).message).toBe(`The response was HTTP ${answer.status}.`)
  })

  test('a successful response that is not JSON is an error', async () => {
    world.proxy.plan({ do: 'answer', status: 200, body: '<html>Welcome to this hotel</html>' })
    const error = await thrownBy(world.connect().call(whoami))
    expect(error).toBeInstanceOf(SkeinConnectionError)
    expect(error).toMatchObject({ isRetryable: false })
  })

  test('a redirect is not followed, and says what to do', async () => {
    world.proxy.plan({ do: 'answer', status: 301, headers: { location: 'http://127.0.0.1:1/' } })
    expect(await thrownBy(world.connect().call(whoami))).toMatchObject({
      name: 'SkeinConnectionError',
      message: expect.stringContaining('baseUrl') as string,
    })
  })

  test('a failed connection reports the system’s error code', async () => {
    const gone = await startFaultyProxy(world.proxy.url)
    await gone.close()
    const { call } = createTransport({ baseUrl: gone.url, apiKey: 'k', retries: 0 })
    expect(await thrownBy(call(whoami))).toMatchObject({
      name: 'SkeinConnectionError',
      requestId: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      message: 'whoami got no response: the connection failed (ECONNREFUSED).',
    })
  })
})

describe('the family of errors', () => {
  const facts = { requestId: 'r' }
  const timeout = new SkeinTimeoutError('t', facts)
  const connection = new SkeinConnectionError('c', { ...facts, isRetryable: true })

  test('is recognised by instanceof, even between two copies of this package', async () => {
    const copy = (await import(`${new URL('../src/errors.ts', import.meta.url).href}?copy`)) as {
      SkeinTimeoutError: typeof SkeinTimeoutError
    }
    expect(copy.SkeinTimeoutError).not.toBe(SkeinTimeoutError)
    const foreign = new copy.SkeinTimeoutError('t', facts)
    for (const error of [timeout, foreign]) {
      expect(error instanceof SkeinTimeoutError).toBe(true)
      expect(error instanceof SkeinClientError).toBe(true)
      expect(error instanceof SkeinConnectionError).toBe(false)
      expect(error instanceof SkeinApiError).toBe(false)
    }
    expect(connection instanceof SkeinConnectionError).toBe(true)
  })

  test('does not take in other errors', () => {
    for (const other of [new Error('x'), { name: 'SkeinTimeoutError' }, null, 'x']) {
      expect(other instanceof SkeinClientError).toBe(false)
      expect(other instanceof SkeinTimeoutError).toBe(false)
    }
  })
})

describe('what cannot be sent', () => {
  test.each(['', '.', '..'])('a parameter that would lead to another path is refused (%j)', async (name) => {
    const call = world.connect().call(readResource, { params: { 'ref.kind': 'persona', 'ref.name': name } })
    await expect(call).rejects.toThrow('ref.name cannot be')
  })

  test('a parameter is escaped', async () => {
    const odd = world
      .connect()
      .call(readResource, { params: { 'ref.kind': 'persona', 'ref.name': 'a/../b?c' } })
    await expect(odd).rejects.toMatchObject({ reason: 'REQUEST_INVALID' })
    expect(world.proxy.requests.at(-1)?.url).toBe('/v1/catalog/persona/a%2F..%2Fb%3Fc')
  })

  test('a key that no header can carry is refused without being repeated', () => {
    const apiKey = 'skn_secret\n'
    const make = () => createTransport({ baseUrl: 'http://127.0.0.1:1', apiKey })
    expect(make).toThrow(TypeError)
    expect(make).not.toThrow('skn_secret')
  })

  test.each(['ftp://x', 'nowhere', 'http://user:secret@x', 'http://x/?a=b'])(
    'a base of %s is refused',
    (baseUrl) => {
      expect(() => createTransport({ baseUrl, apiKey: 'k' })).toThrow('baseUrl must be')
    },
  )
})
