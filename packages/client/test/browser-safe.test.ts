import { fileURLToPath } from 'node:url'
import { createContext, runInContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { afterAll, expect, test } from 'vitest'

// Vite opens standard input when it is imported, and leaves it open.
afterAll(() => {
  process.stdin.destroy()
})

test('a browser gets the transport without the contract, in a few KiB', async () => {
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
  const chunks = (Array.isArray(result) ? result : [result])
    .flatMap((output) => ('output' in output ? output.output : []))
    .filter((part) => part.type === 'chunk')
  const code = chunks.map((chunk) => chunk.code).join('\n')
  expect(chunks.flatMap((chunk) => chunk.imports)).toEqual([])
  expect(
    chunks.flatMap((chunk) => Object.keys(chunk.modules)).filter((id) => !id.includes('/client/src/')),
  ).toEqual([])
  expect(gzipSync(code).length).toBeLessThan(4 * 1024)
  const context = createContext({ URL, Headers, AbortController, crypto, setTimeout, clearTimeout, fetch })
  runInContext(code, context)
  expect(
    runInContext("typeof client.createTransport({ baseUrl: 'https://x', apiKey: 'k' }).call", context),
  ).toBe('function')
})
