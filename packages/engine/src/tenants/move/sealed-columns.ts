import { ConfigError } from '@skein/contract'
import { sealedText } from '@skein/core'
import { lastSeal, lastSecret, sealedRows, type MovedRow, type MoveTable } from '@skein/store'
import { placeOf } from '../../catalog/secrets.ts'
import { answerPlace } from '../../code-hosts/host-call.ts'
import { invitationPlace } from '../../invitations/to-invitation.ts'
import { grantPlace } from '../../people/grants/sealed-grant.ts'
import type { Vault } from '../../vault.ts'
import { isMacOf } from './audit-chain.ts'
import type { Cells } from './cells.ts'

type Field = (column: string) => string

/** What each sealed value is bound to, by table. */
const PLACES: Readonly<Record<string, (tenantId: string, of: Field) => string>> = {
  sealed_value: (tenantId, of) => placeOf(tenantId, { kind: of('kind'), name: of('name') }),
  code_host_call: (tenantId, of) => answerPlace(tenantId, of('id')),
  invitation: (tenantId, of) => invitationPlace(tenantId, of('id')),
  person_grant: (tenantId, of) =>
    grantPlace(tenantId, {
      identityProvider: of('identity_provider'),
      issuer: of('issuer'),
      subject: of('subject'),
    }),
}

/** These are soon over: one whose master key is gone is of no use in either cell, and stops nothing. */
const PASSING: ReadonlySet<string> = new Set(['code_host_call', 'invitation', 'person_grant'])

export function isSealedTable({ columns }: MoveTable): boolean {
  return columns.some(({ isSealed }) => isSealed)
}

interface SealedField {
  readonly index: number
  readonly place: string
  readonly sealed: string
}

function sealedField(table: MoveTable, row: MovedRow, tenantId: string): SealedField | undefined {
  const index = table.columns.findIndex(({ isSealed }) => isSealed)
  const sealed = index === -1 ? null : row[index]
  if (sealed === null || sealed === undefined) return undefined
  const place = PLACES[table.name]
  if (!place) throw new Error(`Nobody knows what the sealed values of ${table.name} are bound to`)
  const of = (column: string) => row[table.columns.findIndex(({ name }) => name === column)] ?? ''
  return { index, sealed, place: place(tenantId, of) }
}

/** The row for the other cell. What it holds is in the clear only in this process. */
export function resealRow(
  { source, target }: Cells,
  tenantId: string,
  table: MoveTable,
  row: MovedRow,
): MovedRow {
  const field = sealedField(table, row, tenantId)
  if (!field) return row
  const opened = open(source.vault, table, field)
  if (opened === undefined) return row
  return row.with(field.index, target.vault.seal(opened, field.place))
}

/** Undefined if its master key is gone and nobody will miss it. */
function open(vault: Vault, { name }: MoveTable, { sealed, place }: SealedField): string | undefined {
  try {
    return vault.open(sealed, place)
  } catch (error) {
    if (PASSING.has(name)) return undefined
    const why = error instanceof Error ? error.message : String(error)
    throw new ConfigError(`The master key of the cell does not open what is stored for ${place}: ${why}`)
  }
}

/** Otherwise a wrong key would be noticed only after the tenant has stopped. */
export async function requireMasterKey(
  { source }: Cells,
  tables: readonly MoveTable[],
  tenantId: string,
): Promise<void> {
  for (const table of tables.filter(isSealedTable)) {
    for await (const row of sealedRows(source.connection, table, tenantId)) {
      const field = sealedField(table, row, tenantId)
      if (field) open(source.vault, table, field)
    }
  }
}

/**
 * What the target's servers have sealed last shows whether its key is the right one: a secret or an audit log of any tenant,
 * but not of one that arrives, which this command has sealed. A new cell cannot tell.
 */
export async function requireTargetKey({ target: { connection, vault } }: Cells): Promise<boolean> {
  const secret = await lastSecret(connection)
  const seal = await lastSeal(connection)
  const isRight =
    (!secret || canOpen(vault, secret.sealed, placeOf(secret.tenantId, secret))) &&
    (!seal || isMacOf(vault, sealedText(seal), seal.mac))
  if (!isRight)
    throw new ConfigError(
      'The master key of the target is not the one that its servers use. Nothing was changed.',
    )
  return secret !== undefined || seal !== undefined
}

function canOpen(vault: Vault, sealed: string, place: string): boolean {
  try {
    vault.open(sealed, place)
    return true
  } catch {
    return false
  }
}

/** Where the two cells hold different values, as `table: key`. */
export async function* differentSealed(
  { source, target }: Cells,
  table: MoveTable,
  tenantId: string,
): AsyncGenerator<string> {
  const theirs = sealedRows(target.connection, table, tenantId)
  for await (const row of sealedRows(source.connection, table, tenantId)) {
    const next = await theirs.next()
    const one = sealedField(table, row, tenantId)
    const two = next.done === true ? undefined : sealedField(table, next.value, tenantId)
    const isSame = one && two && one.place === two.place && isSameValue({ source, target }, table, one, two)
    if (isSame !== true) yield `${table.name}: ${one?.place ?? ''}`
  }
}

function isSameValue(
  { source, target }: Cells,
  table: MoveTable,
  one: SealedField,
  two: SealedField,
): boolean {
  const opened = open(source.vault, table, one)
  if (opened === undefined) return one.sealed === two.sealed
  try {
    return opened === target.vault.open(two.sealed, two.place)
  } catch {
    return false
  }
}
