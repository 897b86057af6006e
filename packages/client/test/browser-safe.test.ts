import { fileURLToPath } from 'node:url'
import { createContext, runInContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** What a browser has, of what the package uses. No more: a Node built-in would be missed here. */
const PLATFORM = {
  AbortController,
  atob,
  btoa,
  clearTimeout,
  crypto,
  fetch,
  Headers,
  setTimeout,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
}
const MAX_GZIPPED_BYTES = 15 * 1024

let chunks: { readonly code: string; readonly imports: readonly string[]; readonly modules: object }[]
let code: string

beforeAll(async () => {
  const entry = fileURLToPath(new URL('../src/index.ts', import.meta.url))
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      target: 'es2022',
      minify: true,
      lib: { entry, formats: ['iife'], name: 'client', fileName: 'client' },
    },
  })
  chunks = (Array.isArray(result) ? result : [result])
    .flatMap((output) => ('output' in output ? output.output : []))
    .filter((part) => part.type === 'chunk')
  code = chunks.map((chunk) => chunk.code).join('\n')
})

// Vite opens standard input when it is imported, and leaves it open.
afterAll(() => {
  process.stdin.destroy()
})

test('a browser gets the SDK, the parser of events and some facts, and nothing of Node or of the schemas', () => {
  expect(chunks.flatMap((chunk) => chunk.imports)).toEqual([])
  const foreign = chunks
    .flatMap((chunk) => Object.keys(chunk.modules))
    .filter((id) => !/\/client\/src\/|\/contract\/src\/facts\/|\/eventsource-parser\/dist\//.test(id))
  expect(foreign).toEqual([])
  expect(code).not.toMatch(/node:|\bprocess\.|\bBuffer\b|\brequire\(/)
})

test('a browser gets it in a few KiB', () => {
  const gzippedBytes = gzipSync(code).length
  console.log(`The SDK for browsers: ${code.length} bytes, ${gzippedBytes} gzipped`)
  expect(gzippedBytes).toBeLessThan(MAX_GZIPPED_BYTES)
})

test('the bundle works with only what a browser provides', async () => {
  const answered: string[] = []
  const context = createContext({
    ...PLATFORM,
    fetch: async (url: string) => {
      answered.push(url)
      return new Response('data: {"sequence":"1","type":"run.queued"}\n\n', {
        headers: { 'content-type': 'text/event-stream' },
      })
    },
  })
  runInContext(code, context)
  const script = `(async () => {
    const skein = new client.Skein({ baseUrl: 'https://x.example', apiKey: 'k' })
    for await (const event of skein.agent('w/a').watch()) return event.type
  })()`
  expect(await runInContext(script, context)).toBe('run.queued')
  expect(answered).toEqual(['https://x.example/v1/agent/watch'])
  expect(
    runInContext("typeof client.createTransport({ baseUrl: 'https://x', apiKey: 'k' }).call", context),
  ).toBe('function')
})
