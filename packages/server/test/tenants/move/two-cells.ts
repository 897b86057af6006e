import { randomBytes } from 'node:crypto'
import { moveTenant, sealAudit, Vault, type MoveTenant } from '@skein/engine'
import { MoveConnection } from '@skein/store'
import { startTestServer, type TestServer } from '@skein/testkit'
import { Client } from 'pg'

export interface TestCell {
  readonly name: string
  readonly server: TestServer
  readonly masterKey: string
  sql<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>
}

/** Two cells with their own databases, servers and master keys. */
export class TwoCells {
  readonly one: TestCell
  readonly two: TestCell
  readonly #clients: readonly Client[]

  private constructor(one: TestCell, two: TestCell, clients: readonly Client[]) {
    this.one = one
    this.two = two
    this.#clients = clients
  }

  static async start(settings: Readonly<Record<string, string>> = {}): Promise<TwoCells> {
    const started = [await startCell('c1', settings), await startCell('c2', settings)] as const
    return new TwoCells(
      started[0].cell,
      started[1].cell,
      started.map(({ client }) => client),
    )
  }

  /** As `skein-admin tenant move` does, without its patience. */
  async move(
    org: string,
    options: Partial<MoveTenant> = {},
    [from, to] = [this.one, this.two],
  ): Promise<{ tenantId: string }> {
    return this.between(from, to, (cells) =>
      moveTenant({
        cells,
        segments: from.server.engine.segments,
        tenant: { provider: 'PROVIDER_CODEHOST_APP', org },
        drainMs: 0,
        settleMs: 0,
        patienceMs: 30_000,
        auditRetentionMs: 400 * 86_400_000,
        onProgress: () => {},
        ...options,
      }),
    )
  }

  /** Which cells would serve the tenant now. */
  async owners(tenantId: string): Promise<string[]> {
    const found = await Promise.all(
      [this.one, this.two].map(async (cell) => {
        const [row] = await cell.sql<{ hold: string | null }>(
          'select tenant_hold(id) as hold from tenant where id = $1',
          [tenantId],
        )
        return row && row.hold === null ? [cell.name] : []
      }),
    )
    return found.flat()
  }

  /** Its connections end with the work, as those of a process that is killed. */
  async between<Result>(
    from: TestCell,
    to: TestCell,
    work: (cells: MoveTenant['cells']) => Promise<Result>,
  ): Promise<Result> {
    const source = await openCell(from)
    const target = await openCell(to)
    try {
      return await work({ source, target })
    } finally {
      await Promise.all([source.connection.close(), target.connection.close()])
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.end()))
    await Promise.all([this.one.server.close(), this.two.server.close()])
  }
}

/** All rows of a tenant in a table, in an order of their own, without what each cell has of its own. */
export async function rowsOf(cell: TestCell, table: string, tenantId: string): Promise<string[]> {
  const without = ['xid', 'sealed', 'request_sha256', 'mac', 'previous_mac']
  const rows = await cell.sql<{ row: string }>(
    `select (to_jsonb(t) - $2::text[])::text as row from "${table}" t where tenant_id = $1 order by 1`,
    [tenantId, without],
  )
  return rows.map(({ row }) => row)
}

/** Old enough to be sealed. */
export async function makeAuditOlder(cell: TestCell, tenantId: string): Promise<void> {
  await cell.sql(`update audit set created_at = created_at - interval '20 minutes' where tenant_id = $1`, [
    tenantId,
  ])
}

/** Everything until ten minutes ago is sealed. */
export async function sealAll(cell: TestCell): Promise<void> {
  await cell.sql(`update audit_position set begun_at = now() - interval '1 day', sealed_until = date_bin('5 minutes',
    (select greatest(sealed_until - interval '1 hour', coalesce((select max(until_at) from audit_seal), '-infinity'))
     from audit_position), '2000-01-01Z')`)
  await sealAudit(cell.server.engine)
}

async function openCell({ name, server, masterKey }: TestCell) {
  const connection = await MoveConnection.open(server.database.ownerUrl)
  return { name, connection, vault: new Vault([Buffer.from(masterKey, 'base64')]) }
}

async function startCell(name: string, settings: Readonly<Record<string, string>>) {
  const masterKey = randomBytes(32).toString('base64')
  const server = await startTestServer({
    sweeps: true,
    settings: { SKEIN_CELL: name, SKEIN_MASTER_KEY: masterKey, SKEIN_LEASE_MS: '1000', ...settings },
  })
  const client = new Client({ connectionString: server.database.ownerUrl })
  await client.connect()
  const sql = async <Row extends object>(text: string, values: readonly unknown[] = []) =>
    (await client.query<Row>(text, [...values])).rows
  const cell: TestCell = { name, server, masterKey, sql }
  return { cell, client }
}
