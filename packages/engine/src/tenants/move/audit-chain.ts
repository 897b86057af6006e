import { ConfigError } from '@skein/contract'
import { AuditChainCheck, auditSpans, sealedText, type FoundSeal, type TimeSpan } from '@skein/core'
import { addSeal, holdSealedTimes, readSealedTimes, readSeals, removeSeals, sumEntries } from '@skein/store'
import { isEqual } from '../../is-equal.ts'
import type { Vault } from '../../vault.ts'
import type { Cell, Cells } from './cells.ts'

interface Log {
  readonly tenantId: string
  /** Entries before this may have expired. */
  readonly expiredBefore: number
}

/** What does not fit in a cell's log of the tenant. */
export async function checkAuditChain(
  { connection, vault }: Cell,
  { tenantId, expiredBefore }: Log,
): Promise<readonly string[]> {
  const isMac = (text: string, mac: string) => isMacOf(vault, text, mac)
  const check = new AuditChainCheck({ tenantId, expiredBefore, isMac })
  for await (const seal of readSeals(connection, tenantId)) check.add(seal)
  const { from, until } = await holdSealedTimes(connection)
  const counted = { from: Math.max(from, check.countedFrom), until }
  check.checkTotal((await sumEntries(connection, tenantId, counted)).entries)
  return check.problems
}

export function isMacOf(vault: Vault, text: string, mac: string): boolean {
  return vault.digests(text).some((digest) => isEqual(digest, Buffer.from(mac, 'hex')))
}

/** A log that somebody changed must not get seals that say otherwise. */
export async function requireSoundAudit(source: Cell, log: Log): Promise<void> {
  const [problem] = await checkAuditChain(source, log)
  if (problem === undefined) return
  throw new ConfigError(`The audit log does not match its seals, so it is not moved: ${problem}`)
}

/** Seals of other tenants are rarely made while those of a move are computed. The last attempt lets them wait. */
const ATTEMPTS = 3

/**
 * Makes the chain again with the target's key. The cells seal at different times: the target's chain ends where its servers
 * go on, and holds no entry twice. It is computed before the transaction, behind which all readers of the target's outbox
 * wait.
 */
export async function moveAuditSeals({ source, target }: Cells, log: Log, now: number): Promise<void> {
  const { tenantId } = log
  await requireSoundAudit(source, log)
  const { connection } = target
  for (let attempt = 1; ; attempt += 1) {
    const expected = await readSealedTimes(connection)
    const seals = await chainOf({ source, target }, log, expected, now)
    const isDone = await connection.transaction(async () => {
      const sealed = await holdSealedTimes(connection)
      const hasMoved = sealed.from !== expected.from || sealed.until !== expected.until
      if (hasMoved && attempt < ATTEMPTS) return false
      await removeSeals(connection, tenantId)
      const all = hasMoved ? await chainOf({ source, target }, log, sealed, now) : seals
      for (const seal of all) await addSeal(connection, tenantId, seal)
      return true
    })
    if (isDone) return
  }
}

type NewSeal = Omit<FoundSeal, 'foundEntries' | 'foundDigest'>

async function chainOf(
  { source, target }: Cells,
  { tenantId }: Log,
  sealed: TimeSpan,
  now: number,
): Promise<NewSeal[]> {
  const seals: NewSeal[] = []
  const add = (seal: Omit<NewSeal, 'mac'>) => {
    const mac = target.vault.digests(sealedText({ ...seal, tenantId }))[0]?.toString('hex') ?? ''
    seals.push({ ...seal, mac })
  }
  for await (const seal of readSeals(source.connection, tenantId)) {
    if (seal.until > sealed.until) break
    add({ ...seal, previousMac: seals.at(-1)?.mac ?? seal.previousMac })
  }
  const rest = { from: Math.max(seals.at(-1)?.until ?? 0, sealed.from), until: sealed.until }
  for (const span of auditSpans(rest)) {
    const { entries, digest } = await sumEntries(target.connection, tenantId, span)
    if (entries === 0) continue
    const last = seals.at(-1)
    const number = (last?.number ?? 0n) + 1n
    add({ ...span, number, entries, digest, previousMac: last?.mac ?? '', sealedAt: now })
  }
  return seals
}
