import type { Document } from '@skein/core'
import type { Transaction } from '../database/transaction.ts'
import { meant } from '../database/columns.ts'
import { statement } from '../database/statement.ts'

/** The tenant's own documents for executing a run. Absent ones are built-in or don't exist. */
export interface RunSurroundings {
  readonly workspace: Document | undefined
  readonly environment: Document | undefined
  readonly pool: Document | undefined
  readonly vmProfile: Document | undefined
  readonly backend: Document | undefined
  readonly ceiling: Document | undefined
}

const DOCUMENT = meant<Document | null>('json?')

/** One round trip, because the tree is locked meanwhile. A missing name means the default. */
const surroundings = statement(
  'run_surroundings',
  `select w.document as workspace, e.document as environment, p.document as pool, v.document as vm_profile,
     b.document as backend, c.document as ceiling
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
  },
)

export async function readRunSurroundings(
  transaction: Transaction,
  { workspace, pool, backend }: { workspace: string; pool: string; backend: string },
): Promise<RunSurroundings> {
  const row = await transaction.row(surroundings, [workspace, pool, backend])
  return {
    workspace: row?.workspace ?? undefined,
    environment: row?.environment ?? undefined,
    pool: row?.pool ?? undefined,
    vmProfile: row?.vm_profile ?? undefined,
    backend: row?.backend ?? undefined,
    ceiling: row?.ceiling ?? undefined,
  }
}
