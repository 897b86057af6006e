import { fileURLToPath } from 'node:url'
import { scriptOf } from '@skein/testkit'
import ts from 'typescript'
import { afterAll, afterEach, beforeAll, describe, expect, expectTypeOf, test, vi } from 'vitest'
import { phaseName, Skein, tokensOf } from '../src/index.ts'
import { startSkeinWorld, type SkeinWorld } from './skein-world.ts'

let world: SkeinWorld
beforeAll(async () => {
  world = await startSkeinWorld()
  await world.startRunner()
})
afterEach(() => vi.unstubAllEnvs())
afterAll(() => world.close())

describe('without options', () => {
  test('the service and the key are those of the environment', async () => {
    vi.stubEnv('SKEIN_URL', world.directUrl)
    vi.stubEnv('SKEIN_API_KEY', world.apiKey)
    expect(await new Skein().whoami()).toMatchObject({ role: 'admin' })
  })

  test('what is missing is named', () => {
    vi.stubEnv('SKEIN_URL', '')
    expect(() => new Skein()).toThrow('Pass baseUrl, or set SKEIN_URL.')
    vi.stubEnv('SKEIN_URL', world.directUrl)
    vi.stubEnv('SKEIN_API_KEY', '')
    expect(() => new Skein()).toThrow('Pass apiKey, or set SKEIN_API_KEY.')
    expect(() => new Skein({ baseUrl: world.directUrl, apiKey: '' })).toThrow('apiKey is empty')
  })

  test('the key of the environment is not sent to another address', async () => {
    vi.stubEnv('SKEIN_URL', 'https://skein.example.com')
    vi.stubEnv('SKEIN_API_KEY', world.apiKey)
    const headers: (string | null)[] = []
    const elsewhere = new Skein({
      baseUrl: 'http://127.0.0.1:9',
      retries: 0,
      fetch: async (_url, init) => {
        headers.push(new Headers(init?.headers).get('authorization'))
        return Response.json({})
      },
    })
    await elsewhere.whoami()
    expect(headers).toEqual([null])
  })
})

describe('a result', () => {
  test('has plain words, numbers and the output as an object of its type', async () => {
    const agent = await world.skein.spawn<{ readonly ok: boolean }>({
      description: scriptOf({ do: 'say', text: 'Done.' }, { do: 'finish', output: '{"ok":true}' }),
      outputSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
    })
    const result = await agent.result()
    expectTypeOf(result.output).toEqualTypeOf<{ readonly ok: boolean } | undefined>()
    expect(result).toMatchObject({
      name: agent.name,
      outcome: 'completed',
      output: { ok: true },
      question: '',
    })
    expect(result.error).toBeUndefined()
    expect(result.tokens.total).toBe(Number(result.status.totalTokens))
    expect(phaseName(result.status.phase)).toBe('completed')
    expect(JSON.parse(result.status.outputSchema)).toMatchObject({ required: ['ok'] })
  })

  test('says what the agent asks, why it failed, and that the time was over', async () => {
    const asking = await world.skein.spawn({ description: scriptOf({ do: 'ask', question: 'Which?' }) })
    expect(await asking.result()).toMatchObject({ outcome: 'waiting', question: 'Which?', output: undefined })
    const failing = await world.skein.spawn({ description: scriptOf({ do: 'fail', isRetryable: false }) })
    const { outcome, error } = await failing.result()
    expect(outcome).toBe('failed')
    expect(error?.code).not.toBe('')
    const slow = await world.skein.spawn({ description: scriptOf({ do: 'hang' }) })
    expect(await slow.result({ timeoutMs: 0 })).toMatchObject({ outcome: 'timeout' })
  })
})

test('a persona is called persona', async () => {
  await world.tenant.admin.write('persona', 'reviewer', { prompt: 'Review.' })
  const agent = await world.skein.spawn({ description: scriptOf({ do: 'rest' }), persona: 'reviewer' })
  expect((await agent.status()).persona).toBe('reviewer')
})

test('an agent reads as its name, and its tokens as numbers', async () => {
  const agent = world.skein.agent('shop/release')
  expect(String(agent)).toBe('shop/release')
  const counts = { inputTokens: '9', cachedInputTokens: '2', outputTokens: '1', totalTokens: '10' }
  expect(tokensOf(counts)).toEqual({ input: 9, cachedInput: 2, output: 1, total: 10 })
})

test('a consumer with nothing but --strict compiles the sources', () => {
  const program = ts.createProgram([fileURLToPath(new URL('../src/index.ts', import.meta.url))], {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2024.d.ts', 'lib.dom.d.ts', 'lib.dom.asynciterable.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
    skipLibCheck: true,
    allowImportingTsExtensions: true,
  })
  const found = ts
    .getPreEmitDiagnostics(program)
    .filter(({ file }) => file?.fileName.includes('/client/src/') === true)
  expect(found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))).toEqual([])
}, 300_000)
