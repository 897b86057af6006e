import { pipeline, type Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { ProcessEnd, SandboxProcess } from './sandbox.ts'

export interface CollectOptions {
  /** Per stream. The rest is read and discarded. */
  readonly maxBytes: number
  readonly stdin?: string | Buffer | Readable
  /** After this the whole tree is killed. No limit if absent. */
  readonly timeoutMs?: number
}

export interface CollectedOutput extends ProcessEnd {
  readonly stdout: string
  readonly stderr: string
  readonly isTruncated: boolean
  readonly isTimedOut: boolean
}

/** An escaped process may hold a stream open forever: don't wait longer than this for output. */
const STREAM_PATIENCE_MS = 1_000

/** Runs a started program to its end. Never rejects. */
export async function collectOutput(
  program: SandboxProcess,
  options: CollectOptions,
): Promise<CollectedOutput> {
  const stdout = collectStream(program.stdout, options.maxBytes)
  const stderr = collectStream(program.stderr, options.maxBytes)
  sendInput(program, options.stdin)
  let isTimedOut = false
  const timer =
    options.timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          isTimedOut = true
          program.kill()
        }, options.timeoutMs)
  const end = await program.ended
  clearTimeout(timer)
  const patience = new AbortController()
  await Promise.race([
    Promise.all([stdout.closed, stderr.closed]),
    pause(STREAM_PATIENCE_MS, undefined, { signal: patience.signal }).catch(() => undefined),
  ])
  patience.abort()
  program.stdout.destroy()
  program.stderr.destroy()
  return {
    ...end,
    stdout: stdout.text(),
    stderr: stderr.text(),
    isTruncated: stdout.isTruncated() || stderr.isTruncated(),
    isTimedOut,
  }
}

interface Collection {
  readonly closed: Promise<void>
  text(): string
  isTruncated(): boolean
}

function collectStream(stream: Readable, maxBytes: number): Collection {
  const chunks: Buffer[] = []
  let room = maxBytes
  let isTruncated = false
  stream.on('data', (chunk: Buffer) => {
    if (chunk.length > room) isTruncated = true
    if (room > 0) chunks.push(chunk.subarray(0, room))
    room = Math.max(0, room - chunk.length)
  })
  stream.on('error', () => undefined)
  return {
    closed: new Promise((resolve) => {
      stream.once('close', resolve)
    }),
    text: () => Buffer.concat(chunks).toString('utf8'),
    isTruncated: () => isTruncated,
  }
}

function sendInput({ stdin }: SandboxProcess, input: string | Buffer | Readable | undefined): void {
  if (input === undefined || typeof input === 'string' || Buffer.isBuffer(input)) {
    stdin.end(input)
    return
  }
  // A program may end before it has read all its input.
  pipeline(input, stdin, () => undefined)
}
