/**
 * `node scripts/run-suite.ts vitest.process.config.ts [files]`: runs a suite, and what failed once more with nothing
 * beside it (docs/adr/0032). What fails twice fails the suite; what passes alone is named, because it has to be fixed too.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

/** More than so many failed files are no coincidence. */
const MAX_REPEATED = 5

interface Outcome {
  readonly isPassed: boolean
  /** Files with a failed test. Empty with a run that failed means that something else went wrong. */
  readonly failedFiles: readonly string[]
}

async function runFiles(config: string, options: readonly string[]): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'skein-suite-'))
  const outputFile = join(folder, 'results.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${outputFile}`]
  try {
    const child = spawn('npx', ['vitest', 'run', '--config', config, ...reporters, ...options], {
      stdio: 'inherit',
    })
    const status = await new Promise<number | null>((resolve) => child.once('close', resolve))
    return { isPassed: status === 0, failedFiles: status === 0 ? [] : await readFailedFiles(outputFile) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function readFailedFiles(outputFile: string): Promise<string[]> {
  const text = await readFile(outputFile, 'utf8').catch(() => '{}')
  const { testResults = [] } = JSON.parse(text) as {
    testResults?: { readonly name: string; readonly status: string }[]
  }
  return testResults.filter(({ status }) => status !== 'passed').map(({ name }) => relative('', name))
}

const [config = 'vitest.config.ts', ...files] = process.argv.slice(2)
const first = await runFiles(config, files)
const { failedFiles } = first
if (first.isPassed) {
  process.exitCode = 0
} else if (failedFiles.length === 0 || failedFiles.length > MAX_REPEATED) {
  process.exitCode = 1
} else {
  console.log(`\nRunning what failed once more, alone: ${failedFiles.join(', ')}`)
  const second = await runFiles(config, ['--no-file-parallelism', ...failedFiles])
  for (const file of second.isPassed ? failedFiles : second.failedFiles) {
    console.log(
      second.isPassed ? `UNSTABLE ${file}: failed beside others, passed alone` : `FAILED TWICE ${file}`,
    )
  }
  process.exitCode = second.isPassed ? 0 : 1
}
