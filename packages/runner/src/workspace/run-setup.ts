import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { StringDecoder } from 'node:string_decoder'
import { setTimeout as pause } from 'node:timers/promises'
import { Redactor } from '../secrets/redactor.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { measureTrees } from './remove-tree.ts'

export interface SetupScript {
  readonly script: string
  readonly variables: Readonly<Record<string, string>>
  /** Also passed as variables. Their values are removed from the output. */
  readonly secrets: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** Maximum size of its folder and home afterwards. */
  readonly maxBytes: number
}

export interface SetupOutcome {
  readonly status: 'done' | 'failed' | 'timed-out' | 'too-large'
  readonly code: number | null
  /** The end of its output. */
  readonly output: string
}

const MAX_OUTPUT = 64 * 1024

/** Not on standard input, which the script's own commands may read, nor as an argument, because those are limited. */
const RUN = `set -eu
file=$(mktemp)
cat > "$file"
shell=$(command -v bash || command -v sh)
exec "$shell" -e "$file" < /dev/null 2>&1
`

export async function runSetupScript(
  sandbox: Sandbox,
  workDir: string,
  { script, variables, secrets, timeoutMs, maxBytes }: SetupScript,
): Promise<SetupOutcome> {
  const program = sandbox.spawn({
    program: 'sh',
    args: ['-c', RUN],
    env: { ...variables, ...secrets },
    workDir,
  })
  const redactor = new Redactor(Object.values(secrets))
  const tail = new Tail()
  const printed = Promise.all([program.stdout, program.stderr].map((stream) => tail.read(stream, redactor)))
  program.stdin.end(script)
  let isTimedOut = false
  const timer = setTimeout(() => {
    isTimedOut = true
    program.kill()
  }, timeoutMs)
  const { code } = await program.ended
  clearTimeout(timer)
  const patience = new AbortController()
  // An escaped process may hold a stream open forever.
  await Promise.race([printed, pause(1_000, undefined, { signal: patience.signal }).catch(() => undefined)])
  patience.abort()
  program.stdout.destroy()
  program.stderr.destroy()
  const output = tail.text
  if (isTimedOut || code !== 0) return { status: isTimedOut ? 'timed-out' : 'failed', code, output }
  const bytes = await measure(sandbox)
  if (bytes <= maxBytes) return { status: 'done', code, output }
  const problem = `It left ${toMebibytes(bytes)} MiB of files; the limit is ${toMebibytes(maxBytes)} MiB.\n`
  return { status: 'too-large', code, output: output + problem }
}

function toMebibytes(bytes: number): number {
  return Math.ceil(bytes / 1024 ** 2)
}

async function measure({ spec }: Sandbox): Promise<number> {
  const sizes = await measureTrees([spec.workDir, spec.stateDir])
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0)
}

/** The end of the output. Secrets are hidden before truncating, so that no part of one remains. */
class Tail {
  text = ''

  async read(stream: Readable, redactor: Redactor): Promise<void> {
    const decoder = new StringDecoder()
    const clean = stream.pipe(redactor.stream())
    clean.on('data', (chunk: Buffer) => {
      this.text = (this.text + decoder.write(chunk)).slice(-MAX_OUTPUT)
    })
    // A broken stream passes on what it has.
    stream.once('close', () => clean.end())
    await finished(clean).catch(() => undefined)
  }
}
