import { finished } from 'node:stream/promises'
import { StringDecoder } from 'node:string_decoder'
import { setTimeout as pause } from 'node:timers/promises'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { redactSecrets } from './redact-secrets.ts'

export interface SetupScript {
  readonly script: string
  readonly variables: Readonly<Record<string, string>>
  /** Also given as variables. Their values are taken out of the output. */
  readonly secrets: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

export interface SetupOutcome {
  readonly status: 'done' | 'failed' | 'timed-out'
  readonly code: number | null
  /** The end of what it printed. */
  readonly output: string
}

const MAX_OUTPUT = 64 * 1024

/** Not by standard input, which the script's own commands may read, nor as an argument: those are short. */
const RUN = `set -eu
cat > "$HOME/.skein-setup"
shell=$(command -v bash || command -v sh)
exec "$shell" -e "$HOME/.skein-setup" < /dev/null 2>&1
`

export async function runSetupScript(
  sandbox: Sandbox,
  workDir: string,
  { script, variables, secrets, timeoutMs }: SetupScript,
): Promise<SetupOutcome> {
  const program = sandbox.spawn({
    program: 'sh',
    args: ['-c', RUN],
    env: { ...variables, ...secrets },
    workDir,
  })
  const tail = new RedactedTail(Object.values(secrets))
  const printed = Promise.all(
    [program.stdout, program.stderr].map((stream) => {
      stream.on('data', (chunk: Buffer) => tail.add(chunk))
      return finished(stream).catch(() => undefined)
    }),
  )
  program.stdin.end(script)
  let isTimedOut = false
  const timer = setTimeout(() => {
    isTimedOut = true
    program.kill()
  }, timeoutMs)
  const { code } = await program.ended
  clearTimeout(timer)
  const patience = new AbortController()
  // A process that got away may hold a stream open for ever.
  await Promise.race([printed, pause(1_000, undefined, { signal: patience.signal }).catch(() => undefined)])
  patience.abort()
  program.stdout.destroy()
  program.stderr.destroy()
  const status = isTimedOut ? 'timed-out' : code === 0 ? 'done' : 'failed'
  return { status, code, output: tail.text() }
}

/** Secrets are replaced before anything is cut, or a cut could leave a part of one. */
class RedactedTail {
  readonly #secrets: readonly string[]
  readonly #decoder = new StringDecoder()
  #text = ''

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets
  }

  add(chunk: Buffer): void {
    this.#text += this.#decoder.write(chunk)
    if (this.#text.length > 4 * MAX_OUTPUT) this.#cut()
  }

  text(): string {
    this.#text += this.#decoder.end()
    this.#cut()
    return this.#text
  }

  #cut(): void {
    const redacted = redactSecrets(this.#text, this.#secrets)
    this.#text = redacted.slice(-MAX_OUTPUT)
  }
}
