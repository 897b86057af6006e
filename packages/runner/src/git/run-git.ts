import { HostGit } from './host-git.ts'

export interface GitRun {
  readonly git?: HostGit
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly stdin?: string
  readonly timeoutMs?: number
  readonly maxOutputBytes?: number
  readonly signal?: AbortSignal
}

export interface GitOutcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly isTimedOut: boolean
}

const MAX_STDERR_BYTES = 64 * 1024

/**
 * Runs git outside the sandbox, and only on a directory no agent can write to. Never rejects. A run that is cut off,
 * by time, by its signal or by the size of its output, has no exit code.
 */
export function runGit({
  git = new HostGit(),
  args,
  env,
  stdin = '',
  timeoutMs = 60_000,
  maxOutputBytes = 256 * 1024 * 1024,
  signal,
}: GitRun): Promise<GitOutcome> {
  const { child, kill } = git.start({ args, env, stdio: ['pipe', 'pipe', 'pipe'] })
  return new Promise((resolve) => {
    const stdout: Buffer[] = []
    const stderr: Buffer[] = []
    let outBytes = 0
    let errBytes = 0
    let isTimedOut = false
    let isCut = false
    const cut = (): void => {
      isCut = true
      kill()
    }
    const timer = setTimeout(() => {
      isTimedOut = true
      cut()
    }, timeoutMs)
    signal?.addEventListener('abort', cut, { once: true })
    if (signal?.aborted === true) cut()
    child.stdout?.on('data', (chunk: Buffer) => {
      outBytes += chunk.length
      if (outBytes > maxOutputBytes) cut()
      else stdout.push(chunk)
    })
    child.stderr?.on('data', (chunk: Buffer) => {
      errBytes += chunk.length
      if (errBytes <= MAX_STDERR_BYTES) stderr.push(chunk)
    })
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(stdin)
    const finish = (code: number | null, extra = '') => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cut)
      resolve({
        code: isCut ? null : code,
        stdout: Buffer.concat(stdout).toString(),
        stderr: Buffer.concat(stderr).toString() + extra,
        isTimedOut,
      })
    }
    child.on('error', (error) => finish(127, `fatal: git cannot be started: ${error.message}`))
    child.on('close', (code) => finish(code))
  })
}
