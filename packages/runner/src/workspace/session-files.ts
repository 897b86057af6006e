import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { SessionRef } from '../backends/backend.ts'
import type { BlobStore } from '@skein/host/blobs'
import { collectOutput } from '../sandbox/collect-output.ts'
import type { Redactor } from '../secrets/redactor.ts'
import type { Sandbox, SandboxProcess } from '../sandbox/sandbox.ts'
import { openInside } from './open-inside.ts'

export interface SessionPlace {
  readonly sandbox: Sandbox
  readonly store: BlobStore
  /** Its key in the store. */
  readonly key: string
  readonly session: SessionRef
  readonly maxBytes?: number
}

export type SessionOutcome = { readonly isDone: true } | { readonly isDone: false; readonly reason: string }

const DEFAULT_MAX_BYTES = 128 * 1024 * 1024
const TIMEOUT_MS = 120_000

/**
 * Neither the file nor a directory above it may be a link that leads outside the state directory. Truncated data does
 * not unpack, so part of a transcript never passes for the whole.
 */
const RESTORE = `set -eu
cd -- "$state"
root=$(pwd -P)
mkdir -p -- "$(dirname -- "$transcript")"
cd -- "$(dirname -- "$transcript")"
case $(pwd -P)/ in "$root"/*) ;; *) echo 'the transcript is outside the state directory' >&2; exit 4 ;; esac
name=$(basename -- "$transcript")
rm -f -- "$name.new"
gzip -dc > "$name.new"
mv -f -- "$name.new" "$name"
`

/** Copies the transcript to the store, with its secrets removed. */
export async function saveSession(
  place: SessionPlace & { readonly redactor: Redactor },
): Promise<SessionOutcome> {
  if (!isBelow(place.session.transcript))
    return { isDone: false, reason: 'the transcript’s name is not valid' }
  const packed = createGzip()
  const reading = pipeline(readTranscript(place), place.redactor.stream(), packed)
  try {
    // The store keeps nothing if reading the content fails.
    await Promise.all([place.store.put(place.key, packed), reading])
    return { isDone: true }
  } catch (error) {
    if (!(error instanceof UnusableTranscript)) throw error
    return { isDone: false, reason: error.message }
  } finally {
    // Also if the store failed, so that nothing is left waiting.
    packed.destroy()
  }
}

/** Puts the transcript where the session's program expects it. */
export async function restoreSession(place: SessionPlace): Promise<SessionOutcome> {
  if (!isBelow(place.session.transcript))
    return { isDone: false, reason: 'the transcript’s name is not valid' }
  const stdin = await place.store.get(place.key)
  if (!stdin) return { isDone: false, reason: 'the session was not saved' }
  const program = startScript(place, RESTORE)
  const outcome = await collectOutput(program, { maxBytes: 4096, stdin, timeoutMs: TIMEOUT_MS })
  if (outcome.code === 0) return { isDone: true }
  return { isDone: false, reason: outcome.stderr.trim() || 'the transcript cannot be written' }
}

class UnusableTranscript extends Error {}

async function* readTranscript({ sandbox, session, maxBytes }: SessionPlace): AsyncGenerator<Buffer> {
  const file = await openInside(sandbox.spec.stateDir, session.transcript)
  if (!file) throw new UnusableTranscript('the transcript does not exist')
  let room = maxBytes ?? DEFAULT_MAX_BYTES
  for await (const chunk of file.createReadStream()) {
    if (!Buffer.isBuffer(chunk)) throw new Error('A file has bytes')
    room -= chunk.length
    if (room < 0) throw new UnusableTranscript('the transcript is too large')
    yield chunk
  }
}

function startScript({ sandbox, session }: SessionPlace, text: string): SandboxProcess {
  const { stateDir } = sandbox.spec
  return sandbox.spawn({
    program: 'sh',
    args: ['-c', text],
    env: { LC_ALL: 'C', state: stateDir, transcript: session.transcript },
    workDir: stateDir,
  })
}

/** Relative, without going up. */
function isBelow(path: string): boolean {
  const parts = path.split('/')
  return !path.includes('\0') && parts.every((part) => part !== '' && part !== '.' && part !== '..')
}
