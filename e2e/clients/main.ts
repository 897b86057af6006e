/**
 * `npm run test:clients`: lints openapi.json with the recommended rules, and compiles the clients that three
 * generators make from it. The tools are in a separate package, so that nobody else has to install them.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const folder = import.meta.dirname
const document = join(folder, '..', '..', 'openapi.json')
const out = join(folder, 'dist')

/** Fails to compile if a generator doesn't recognise which event has which fields. */
const USE = `import type { components } from './openapi-typescript.ts'
import type { TimelineEvent } from './hey-api/index.ts'
export const reasonOf = (event: components['schemas']['TimelineEvent']) =>
  event.type === 'run.ended' ? event.reason : undefined
export const textOf = (event: TimelineEvent) => (event.type === 'run.message' ? event.text : undefined)
`
const COMPILER_OPTIONS = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  types: [],
}

const steps: [string, () => Promise<void>][] = [
  ['the tools are installed', () => run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'])],
  [
    'Redocly’s recommended rules hold',
    () => tool('redocly', 'lint', '--extends', 'recommended-strict', document),
  ],
  [
    'openapi-typescript',
    () => tool('openapi-typescript', document, '-o', join(out, 'openapi-typescript.ts')),
  ],
  ['@hey-api/openapi-ts', () => tool('openapi-ts', '-i', document, '-o', join(out, 'hey-api'))],
  ['oazapfts', () => tool('oazapfts', document, join(out, 'oazapfts.ts'))],
  ['what they made compiles', compile],
]

rmSync(out, { recursive: true, force: true })
mkdirSync(out)
let failed = 0
try {
  for (const [name, step] of steps) {
    const startedAt = performance.now()
    const problem = await step().then(
      () => undefined,
      (error: Error & { stdout?: string; stderr?: string }) => error.stdout ?? error.message,
    )
    if (problem !== undefined) failed++
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    console.log(`${problem === undefined ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`)
    if (problem !== undefined) console.log(problem.slice(-4000))
  }
} finally {
  rmSync(out, { recursive: true, force: true })
}
console.log(JSON.stringify({ steps: steps.length, failed }))
process.exitCode = failed === 0 ? 0 : 1

function tool(name: string, ...args: string[]): Promise<void> {
  return run(join(folder, 'node_modules', '.bin', name), args)
}

async function run(command: string, args: string[]): Promise<void> {
  // Disables the linter's telemetry and update check.
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  await promisify(execFile)(command, args, { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 })
}

async function compile(): Promise<void> {
  writeFileSync(join(out, 'use.ts'), USE)
  writeFileSync(join(out, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS }))
  await tool('tsc', '-p', out)
}
