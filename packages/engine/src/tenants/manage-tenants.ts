import { formatTimestamp, SkeinError, type Tenant, type TenantEntry } from '@skein/contract'
import {
  nameOfTenant,
  requireConfirmation,
  requireJustification,
  requireNamedProvider,
  requireOpenTenant,
  requireOtherTenant,
  tenantStateOf,
} from '@skein/core'
import {
  closeTenant,
  countLeftovers,
  createTenant as addTenant,
  describeTenant,
  listTenants as listRecords,
  setSuspended,
  type TenantRecord,
  type Transaction,
} from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import { NOBODY } from '../access/tenant-in-path.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { CommandContext, CommandOutcome } from '../commands/command.ts'
import { carryOutTenantCommand } from '../commands/tenant-command.ts'
import { decodePageToken, encodePageToken, pageSizeOf, splitPage, type Page } from '../paging.ts'
import type { EngineResources } from '../resources.ts'

/** What operators do with tenants (docs/adr/0066). Routes have checked the permission. */

const LIST = 'tenants'
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The audit of the operator's own tenant has it: the new tenant is empty. */
export function createTenant(
  engine: EngineResources,
  context: CommandContext,
  { tenant, justification }: { readonly tenant: Tenant; readonly justification: string },
): Promise<CommandOutcome<TenantEntry>> {
  requireJustification(context.caller, justification)
  requireNamedProvider(tenant)
  return carryOutTenantCommand(engine, context, async (transaction) => {
    const { id, isNew } = await addTenant(transaction, uuidV7(), tenant)
    const record = await requireTenant(transaction, id)
    requireOpenTenant(record)
    if (isNew) await audit(engine, transaction, context, { operation: 'createTenant', tenant, justification })
    return answering(record)
  })
}

export async function listTenants(
  { database }: EngineResources,
  { org, ...page }: Page & { readonly org?: string | undefined },
): Promise<{ tenants: TenantEntry[]; nextPageToken: string }> {
  const [after = NOBODY] = decodePageToken(LIST, page, ID) ?? []
  const pageSize = pageSizeOf(page)
  const records = await database.statement((transaction) =>
    listRecords(transaction, { org, after, amount: pageSize + 1 }),
  )
  const { shown, last } = splitPage(records, pageSize)
  return { tenants: shown.map(toEntry), nextPageToken: last ? encodePageToken(LIST, [last.id]) : '' }
}

export async function readTenant(
  { database }: EngineResources,
  tenantId: string,
): Promise<{ tenant: TenantEntry; held: { pool: string; agents: number; failed: number }[] }> {
  const record = await database.statement((transaction) => requireTenant(transaction, tenantId))
  const held =
    record.closedAt === undefined
      ? []
      : await database.forTenant(tenantId, (transaction) => countLeftovers(transaction))
  return {
    tenant: toEntry(record),
    held: held.map(({ pool, amount, failed }) => ({ pool, agents: amount, failed })),
  }
}

interface SetStanding {
  readonly isSuspended: boolean
  readonly justification: string
}

/** The audit of that tenant has it, as all that operators do there. */
export function setStanding(
  engine: EngineResources,
  context: CommandContext,
  { isSuspended, justification }: SetStanding,
): Promise<CommandOutcome<TenantEntry>> {
  const { caller, tenantId } = context
  requireJustification(caller, justification)
  if (isSuspended) requireOtherTenant(caller, tenantId)
  const operation = isSuspended ? 'suspendTenant' : 'resumeTenant'
  return carryOutTenantCommand(engine, context, async (transaction) => {
    // First, because it waits for concurrent changes of the tenant.
    const isChanged = await setSuspended(transaction, tenantId, isSuspended)
    const record = await requireTenant(transaction, tenantId)
    requireOpenTenant(record)
    if (isChanged) {
      await audit(engine, transaction, context, { operation, tenant: record.tenant, justification })
    }
    return answering(record)
  })
}

interface CloseTenant {
  readonly tenantId: string
  readonly confirm: string
  readonly abandonsLeftovers: boolean
  readonly justification: string
}

/** The audit of the operator's own tenant has it: that of the tenant is deleted with it. Servers do the rest. */
export function startDeletion(
  engine: EngineResources,
  context: CommandContext,
  { tenantId, confirm, abandonsLeftovers, justification }: CloseTenant,
): Promise<CommandOutcome<TenantEntry>> {
  const { caller } = context
  requireJustification(caller, justification)
  requireOtherTenant(caller, tenantId)
  return carryOutTenantCommand(engine, context, async (transaction) => {
    const { tenant } = await requireTenant(transaction, tenantId)
    requireConfirmation({ tenant }, confirm)
    await closeTenant(transaction, tenantId, { abandonsLeftovers, byServers: true })
    await audit(engine, transaction, context, { operation: 'deleteTenant', tenant, justification })
    return answering(await requireTenant(transaction, tenantId))
  })
}

export async function requireTenant(transaction: Transaction, tenantId: string): Promise<TenantRecord> {
  const record = await describeTenant(transaction, tenantId)
  if (!record) throw new SkeinError('TENANT_NOT_FOUND')
  return record
}

interface Deed {
  readonly operation: string
  readonly tenant: Tenant
  readonly justification: string
}

async function audit(
  { clock }: EngineResources,
  transaction: Transaction,
  context: CommandContext,
  { operation, tenant, justification }: Deed,
): Promise<void> {
  const deed = { operation, kind: 'tenant', name: nameOfTenant(tenant), at: clock.now(), justification }
  await recordAudit(transaction, context, deed)
}

function answering(record: TenantRecord): { answer: TenantEntry; recorded: TenantEntry } {
  const answer = toEntry(record)
  return { answer, recorded: answer }
}

function toEntry(record: TenantRecord): TenantEntry {
  const { id, tenant, createdAt, suspendedAt, closedAt } = record
  return {
    id,
    tenant,
    state: tenantStateOf(record),
    createTime: formatTimestamp(createdAt),
    // One that is being deleted is held like a suspended one.
    suspendTime: suspendedAt === undefined || closedAt !== undefined ? '' : formatTimestamp(suspendedAt),
    deleteTime: closedAt === undefined ? '' : formatTimestamp(closedAt),
  }
}
