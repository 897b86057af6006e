import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { UsageError } from '../command-line/usage-error.ts'
import type { Io } from '../io.ts'
import { setting, type Environment } from '../profile/environment.ts'
import { asRecord } from '../profile/profile-file.ts'

export interface KeyringRequest {
  readonly account: string
  /** What to store; null removes it; undefined reads it. */
  readonly change?: string | null
}

export type KeyringAnswer =
  | { readonly kind: 'found'; readonly secret: string }
  /** It was stored or removed, or there is nothing to read. */
  | { readonly kind: 'done' }
  | { readonly kind: 'unusable'; readonly why: string }

/** Who asks a keyring, and may have to wait for it. */
export type Asker = Pick<Io, 'env' | 'canAsk' | 'note'>

/** An unlocked keyring answers in milliseconds. */
const QUICK_MS = 10_000
/** For a person to type the keyring's password. */
const UNLOCK_MS = 60_000
const NOTE_AFTER_MS = 2_000
const MAX_WHY = 200

/** Whether to look for one. On Linux it is reached through the session's bus, which servers and containers lack. */
export function hasKeyring(env: Environment): boolean {
  const wanted = setting(env, 'SKEIN_KEYRING') ?? 'on'
  if (wanted !== 'on' && wanted !== 'off')
    throw new UsageError(`SKEIN_KEYRING is ${JSON.stringify(wanted)}.`, 'Set it to on or off.')
  if (wanted === 'off') return false
  if (process.platform === 'darwin' || process.platform === 'win32') return true
  const folder = setting(env, 'XDG_RUNTIME_DIR')
  return (
    setting(env, 'DBUS_SESSION_BUS_ADDRESS') !== undefined ||
    (folder !== undefined && existsSync(join(folder, 'bus')))
  )
}

/** Asks at once, and fails if the keyring is locked: for callers who keep others waiting. */
export function askKeyring(env: Environment, request: KeyringRequest): Promise<KeyringAnswer> {
  return ask(env, request, QUICK_MS)
}

/** What is stored. If a person is there, they have time to unlock the keyring. */
export function openKeyring(asker: Asker, account: string): Promise<KeyringAnswer> {
  return askPatiently(asker, { account })
}

/**
 * Makes sure that something can be stored. Only a write tells: a locked keyring says that it has nothing of this name
 * without asking for its password.
 */
export async function unlockKeyring(asker: Asker, account: string): Promise<KeyringAnswer> {
  const probe = `${account} (test)`
  const written = await askPatiently(asker, { account: probe, change: 'test' })
  return written.kind === 'unusable' ? written : askKeyring(asker.env, { account: probe, change: null })
}

async function askPatiently({ env, canAsk, note }: Asker, request: KeyringRequest): Promise<KeyringAnswer> {
  if (!canAsk) return ask(env, request, QUICK_MS)
  const noted = setTimeout(
    () => note('Waiting for the system keyring. Unlock it if it asks you.'),
    NOTE_AFTER_MS,
  )
  try {
    return await ask(env, request, UNLOCK_MS)
  } finally {
    clearTimeout(noted)
  }
}

/** The secret goes through pipes: other users can see arguments. */
async function ask(env: Environment, request: KeyringRequest, limitMs: number): Promise<KeyringAnswer> {
  if (!hasKeyring(env)) return { kind: 'unusable', why: whyNone(env) }
  const child = spawn(process.execPath, [entry()], {
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  })
  const failed = new Promise<KeyringAnswer>((resolve) => {
    child.once('error', ({ message }) => resolve({ kind: 'unusable', why: message }))
  })
  let isLate = false
  const limit = setTimeout(() => {
    isLate = true
    child.kill('SIGKILL')
  }, limitMs)
  // It may be gone before it has read everything.
  child.stdin.on('error', () => undefined)
  child.stdin.end(JSON.stringify(request))
  try {
    const answered = text(child.stdout).then((said): KeyringAnswer =>
      isLate ? { kind: 'unusable', why: `no answer within ${limitMs / 1000} seconds` } : parseAnswer(said),
    )
    return await Promise.race([answered, failed])
  } finally {
    clearTimeout(limit)
  }
}

function entry(): string {
  const source = new URL('./keyring-process.ts', import.meta.url)
  return fileURLToPath(
    import.meta.url.endsWith('.ts') ? source : new URL('./keyring-process.js', import.meta.url),
  )
}

function whyNone(env: Environment): string {
  return setting(env, 'SKEIN_KEYRING') === 'off' ? 'SKEIN_KEYRING is off' : 'this session has no D-Bus'
}

function parseAnswer(said: string): KeyringAnswer {
  try {
    const { kind, secret, why } = asRecord(JSON.parse(said))
    if (kind === 'done') return { kind }
    if (kind === 'found' && typeof secret === 'string') return { kind, secret }
    return { kind: 'unusable', why: String(why).slice(0, MAX_WHY) }
  } catch {
    return { kind: 'unusable', why: 'its process ended without an answer' }
  }
}
