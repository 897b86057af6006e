import { escapeIdentifier, type Client } from 'pg'
import { asAdmin } from './admin-client.ts'
import { theTestRun, type TestDatabase } from './test-databases.ts'

/** How a plan reads the rows of one table. */
export interface PlanScan {
  readonly node: string
  readonly relation: string
  readonly isByCondition: boolean
  /** Rows read, matching or not. Only for executed plans. */
  readonly rows: number
}

export interface ExplainedStatement {
  readonly text: string
  readonly scans: readonly PlanScan[]
}

/** From now on each statement on a new connection, including those inside functions, reports its plan as a notice. */
export async function explainStatements({ name }: TestDatabase): Promise<void> {
  const settings = {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_nested_statements': 'on',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_format': 'json',
    'auto_explain.log_level': 'notice',
    'auto_explain.log_parameter_max_length': '0',
  }
  await asAdmin(theTestRun().adminUrl, async (admin) => {
    for (const [setting, value] of Object.entries(settings)) {
      await admin.query(`alter database ${escapeIdentifier(name)} set ${setting} = '${value}'`)
    }
  })
}

/** Skips foreign key checks, which take longer than the rows themselves. */
export async function insertUnchecked(
  { name }: TestDatabase,
  insert: (superuser: Client) => Promise<void>,
): Promise<void> {
  const url = new URL(theTestRun().adminUrl)
  url.pathname = `/${name}`
  await asAdmin(url.href, async (superuser) => {
    await superuser.query('set session_replication_role = replica')
    await superuser.query('begin')
    await insert(superuser)
    await superuser.query('commit')
  })
}

/** Undefined for other notices. */
export function explainedBy(notice: string): ExplainedStatement | undefined {
  const [, json] = /^duration: [^{]*plan:\s*(\{.*)$/s.exec(notice) ?? []
  if (json === undefined) return undefined
  const explained = asRecord(JSON.parse(json))
  return { text: String(explained['Query Text']), scans: scansIn(explained['Plan']) }
}

/** All scans of a JSON plan, including its branches. */
export function scansIn(plan: unknown): PlanScan[] {
  const node = asRecord(plan)
  const branches = Array.isArray(node['Plans']) ? node['Plans'].flatMap(scansIn) : []
  const { 'Node Type': type, 'Relation Name': relation, 'Index Name': index } = node
  // The index scan below shows how a bitmap's rows were found, but not their table.
  const name = relation ?? index
  if (typeof type !== 'string' || typeof name !== 'string' || !type.includes('Scan')) return branches
  const scan = {
    node: type,
    relation: name,
    isByCondition: 'Index Cond' in node || type === 'Bitmap Heap Scan' || type === 'Tid Scan',
    rows:
      (numberOf(node['Actual Rows']) +
        numberOf(node['Rows Removed by Filter']) +
        numberOf(node['Rows Removed by Index Recheck'])) *
      numberOf(node['Actual Loops']),
  }
  return [scan, ...branches]
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
