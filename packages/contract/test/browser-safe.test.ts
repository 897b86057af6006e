import { builtinModules } from 'node:module'
import { fileURLToPath } from 'node:url'
import { createContext, runInContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

interface Bundle {
  readonly code: string
  readonly imports: readonly string[]
  readonly modules: readonly string[]
}

async function bundleForBrowsers(source: string): Promise<Bundle> {
  const entry = fileURLToPath(new URL(source, import.meta.url))
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      target: 'es2022',
      minify: true,
      lib: { entry, formats: ['iife'], name: 'contract', fileName: 'contract' },
    },
  })
  const outputs = Array.isArray(result) ? result : [result]
  const chunks = outputs
    .flatMap((output) => ('output' in output ? output.output : []))
    .filter((part) => part.type === 'chunk')
  return {
    code: chunks.map((chunk) => chunk.code).join('\n'),
    imports: chunks.flatMap((chunk) => [...chunk.imports, ...chunk.dynamicImports]),
    modules: chunks.flatMap((chunk) => Object.keys(chunk.modules)),
  }
}

describe('the contract in a browser', () => {
  let bundle: Bundle
  beforeAll(async () => {
    bundle = await bundleForBrowsers('../src/index.ts')
    const size = `${(bundle.code.length / 1024).toFixed(0)} KiB, ${(gzipSync(bundle.code).length / 1024).toFixed(0)} KiB gzipped`
    console.log(`@skein/contract bundles to ${size}`)
  })

  // Vite opens standard input when it is imported, and leaves it open.
  afterAll(() => {
    process.stdin.destroy()
  })

  it('needs no Node built-in, not even one that the bundler replaced by a stub', () => {
    expect(bundle.imports).toEqual([])
    expect(bundle.modules.length).toBeGreaterThan(40)
    const builtins = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]))
    const strays = bundle.modules.filter((id) => id.includes('__vite-browser-external') || builtins.has(id))
    expect(strays).toEqual([])
  })

  it('loads with nothing but the language and four functions of the platform', () => {
    const context = createContext({ TextEncoder, TextDecoder, atob, btoa })
    runInContext(bundle.code, context)
    expect(runInContext('contract.OPERATIONS.length', context)).toBeGreaterThan(20)
  })

  it('works there too, with the URL that the schema compiler needs', () => {
    const context = createContext({ TextEncoder, TextDecoder, atob, btoa, URL })
    runInContext(bundle.code, context)
    const run = (expression: string): unknown =>
      JSON.parse(String(runInContext(`JSON.stringify(${expression})`, context)))
    expect(run(`contract.validatorFor(contract.stopTurn.body).violations({ agentId: {} })`)).toEqual([
      { field: 'runId', description: 'required' },
    ])
    expect(run(`contract.encodeBase64Text('é')`)).toBe('w6k=')
    expect(run(`contract.generateOpenApi('1').openapi`)).toBe('3.1.0')
  })

  it('validates even where a content security policy forbids to compile code', () => {
    const context = createContext(
      { TextEncoder, TextDecoder, atob, btoa, URL },
      { codeGeneration: { strings: false } },
    )
    runInContext(bundle.code, context)
    const violations: unknown = runInContext(
      'contract.validatorFor(contract.stopTurn.body).violations({ agentId: {} }).length',
      context,
    )
    expect(violations).toBe(1)
  })

  it('has its facts without TypeBox, in a few KiB', async () => {
    const facts = await bundleForBrowsers('../src/facts.ts')
    expect(facts.modules.filter((id) => !id.includes('/contract/src/facts'))).toEqual([])
    expect(facts.code.length).toBeLessThan(8 * 1024)
  })
})
