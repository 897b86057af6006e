/**
 * `node scripts/run-suite.ts vitest.process.config.ts [files]`: runs a suite, without its longest files if none are
 * named, then reruns failed files alone, up to twice and for ten minutes at most (docs/adr/0032). Files that never pass
 * fail the suite. Those that pass alone are listed, to be fixed too.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { LONG_TESTS } from './long-tests.ts'

/** More failed files than this are no coincidence. */
const MAX_REPEATED = 8

/** A time limit exceeded twice because of a slow machine may hold the third time. A bug fails every time. */
const MAX_REPEATS = 2

/** On a machine too slow for these tests, repeating them would keep the other suites from running at all. */
const MAX_REPEATING_MS = 10 * 60_000

const VITEST = 'node_modules/vitest/vitest.mjs'

interface Outcome {
  readonly isPassed: boolean
  /** Files with a failed test. If empty although the run failed, something else went wrong. */
  readonly failedFiles: readonly string[]
}

async function runFiles(config: string, options: readonly string[], timeout?: number): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'skein-suite-'))
  const outputFile = join(folder, 'results.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${outputFile}`]
  try {
    const arguments_ = [VITEST, 'run', '--config', config, ...reporters, ...options]
    const child = spawn(process.execPath, arguments_, { stdio: 'inherit', timeout })
    const status = await new Promise<number | null>((resolve) => child.once('close', resolve))
    return { isPassed: status === 0, failedFiles: status === 0 ? [] : await readFailedFiles(outputFile) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function canRepeat({ isPassed, failedFiles }: Outcome): boolean {
  return !isPassed && failedFiles.length > 0 && failedFiles.length <= MAX_REPEATED
}

async function readFailedFiles(outputFile: string): Promise<string[]> {
  const text = await readFile(outputFile, 'utf8').catch(() => '{}')
  const { testResults = [] } = JSON.parse(text) as {
    testResults?: { readonly name: string; readonly status: string }[]
  }
  return testResults.filter(({ status }) => status !== 'passed').map(({ name }) => relative('', name))
}

const [config = 'vitest.config.ts', ...files] = process.argv.slice(2)
const chosen = files.length > 0 ? files : LONG_TESTS.map((file) => `--exclude=${file}`)
const first = await runFiles(config, chosen)
let last = first
const repeatUntil = performance.now() + MAX_REPEATING_MS
for (let repeat = 1; repeat <= MAX_REPEATS && canRepeat(last); repeat++) {
  console.log(`\nRunning what failed once more, alone: ${last.failedFiles.join(', ')}`)
  const leftMs = Math.max(1, Math.round(repeatUntil - performance.now()))
  last = await runFiles(config, ['--no-file-parallelism', ...last.failedFiles], leftMs)
}
for (const file of first.failedFiles) {
  const hasFailed = !last.isPassed && (last.failedFiles.length === 0 || last.failedFiles.includes(file))
  console.log(hasFailed ? `FAILED ${file}` : `UNSTABLE ${file}: failed beside others, passed alone`)
}
process.exitCode = last.isPassed ? 0 : 1
