import { randomBytes } from 'node:crypto'
import { moveTenant, Vault, type MoveTenant } from '@skein/engine'
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
