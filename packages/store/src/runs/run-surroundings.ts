import type { Documents } from '@skein/contract'
import { emptyDocument, parseDocument, parseOwnOrBuiltIn, type Document } from '@skein/core'
import type { Transaction } from '../database/transaction.ts'
import { meant } from '../database/columns.ts'
import { statement } from '../database/statement.ts'

/** The documents for executing a run: the tenant's own, else the built-in, else an empty one of the kind. */
export interface RunSurroundings {
  readonly workspace: Documents['workspace']
  readonly environment: Documents['environment']
  readonly pool: Documents['pool']
  readonly vmProfile: Documents['vm-profile']
  readonly backend: Documents['backend'] | undefined
  /** The tenant's ceiling, if an operator set one. */
  readonly ceiling: Documents['ceiling'] | undefined
}

const DOCUMENT = meant<Document | null>('json?')
/** The resources that an agent's state names. */
export interface SurroundingNames {
  readonly workspace: string
  readonly pool: string
  readonly backend: string
}

type SurroundingColumn = 'workspace' | 'environment' | 'pool' | 'vm_profile' | 'backend' | 'ceiling'

/** As stored, with the names it was read for. */
export interface StoredSurroundings {
  readonly names: SurroundingNames
  readonly documents: Readonly<Partial<Record<SurroundingColumn, Document | null>>>
  /** Whether the tenant has monthly budgets. */
  readonly hasBudgets: boolean
}

/** One round trip, because the tree is locked meanwhile. A missing name means the default. */
const surroundings = statement(
  'run_surroundings',
  `select w.document as workspace, e.document as environment, p.document as pool, v.document as vm_profile,
     b.document as backend, c.document as ceiling,
     exists (select from budget m where m.tenant_id = tenant.id) as has_budgets
   from (select skein_current_tenant() as id) as tenant
   left join resource w on w.tenant_id = tenant.id and w.kind = 'workspace' and w.name = $1
   left join resource p on p.tenant_id = tenant.id and p.kind = 'pool' and p.name = $2
   left join resource b on b.tenant_id = tenant.id and b.kind = 'backend' and b.name = $3
   left join resource c on c.tenant_id = tenant.id and c.kind = 'ceiling' and c.name = 'default'
   left join resource e on e.tenant_id = tenant.id and e.kind = 'environment'
     and e.name = coalesce(nullif(w.document ->> 'environment', ''), 'default')
   left join resource v on v.tenant_id = tenant.id and v.kind = 'vm-profile'
     and v.name = coalesce(nullif(p.document ->> 'vmProfile', ''), 'default')`,
  {
    workspace: DOCUMENT,
    environment: DOCUMENT,
    pool: DOCUMENT,
    vm_profile: DOCUMENT,
    backend: DOCUMENT,
    ceiling: DOCUMENT,
    has_budgets: 'boolean',
  },
)

export async function readRunSurroundings(
  transaction: Transaction,
  names: SurroundingNames,
): Promise<StoredSurroundings> {
  const row = await transaction.row(surroundings, [names.workspace, names.pool, names.backend])
  const { has_budgets: hasBudgets = true, ...documents } = row ?? {}
  return { names, documents, hasBudgets }
}

/** Throws a StoredDocumentError if one of them is broken. */
export function parseRunSurroundings({
  names: { workspace, pool, backend },
  documents: stored,
}: StoredSurroundings): RunSurroundings {
  const ofWorkspace = found('workspace', workspace, stored.workspace) ?? emptyDocument('workspace')
  const ofPool = found('pool', pool, stored.pool) ?? emptyDocument('pool')
  return {
    workspace: ofWorkspace,
    environment:
      found('environment', ofWorkspace.environment || 'default', stored.environment) ??
      emptyDocument('environment'),
    pool: ofPool,
    vmProfile:
      found('vm-profile', ofPool.vmProfile || 'default', stored.vm_profile) ?? emptyDocument('vm-profile'),
    backend: found('backend', backend, stored.backend),
    ceiling: stored.ceiling ? parseDocument('ceiling', 'default', stored.ceiling) : undefined,
  }
}

function found<Kind extends keyof Documents>(kind: Kind, name: string, own: Document | null | undefined) {
  return parseOwnOrBuiltIn(kind, name, own ?? undefined)
}
