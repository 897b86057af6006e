import { spawn } from 'node:child_process'

export interface GitRun {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly stdin?: string
  readonly timeoutMs?: number
  readonly maxOutputBytes?: number
}

export interface GitOutcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly isTimedOut: boolean
}

const MAX_STDERR_BYTES = 64 * 1024

/**
 * Runs git outside of the sandbox: only ever on a directory that no agent can write. Never rejects; a run that is
 * cut, by time or by the size of its output, has no exit code.
 */
export function runGit({
  args,
  env,
  stdin = '',
  timeoutMs = 60_000,
  maxOutputBytes = 256 * 1024 * 1024,
}: GitRun): Promise<GitOutcome> {
  // A group of its own, so that the helpers which git starts end with it.
  const child = spawn('git', args, { env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  const end = () => killGroup(child.pid)
  return new Promise((resolve) => {
    const stdout: Buffer[] = []
    const stderr: Buffer[] = []
    let outBytes = 0
    let errBytes = 0
    let isTimedOut = false
    const timer = setTimeout(() => {
      isTimedOut = true
      end()
    }, timeoutMs)
    child.stdout.on('data', (chunk: Buffer) => {
      outBytes += chunk.length
      if (outBytes > maxOutputBytes) end()
      else stdout.push(chunk)
    })
    child.stderr.on('data', (chunk: Buffer) => {
      errBytes += chunk.length
      if (errBytes <= MAX_STDERR_BYTES) stderr.push(chunk)
    })
    child.stdin.on('error', () => undefined)
    child.stdin.end(stdin)
    const finish = (code: number | null, extra = '') => {
      clearTimeout(timer)
      resolve({
        code: isTimedOut || outBytes > maxOutputBytes ? null : code,
        stdout: Buffer.concat(stdout).toString(),
        stderr: Buffer.concat(stderr).toString() + extra,
        isTimedOut,
      })
    }
    child.on('error', (error) => finish(127, `fatal: git cannot be started: ${error.message}`))
    child.on('close', (code) => finish(code))
  })
}

export function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Gone already.
  }
}
