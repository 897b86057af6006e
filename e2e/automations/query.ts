import type { PostgresServer } from '@skein/testkit'
import { Client, type QueryResult, type QueryResultRow } from 'pg'

/** Runs statements as the database's owner. Returns the rows of the last one. */
export async function query<Row extends QueryResultRow>(
  postgres: PostgresServer,
  text: string,
): Promise<Row[]> {
  const client = new Client({ connectionString: postgres.url() })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const answers = [(await client.query(text)) as unknown as QueryResult<Row> | QueryResult<Row>[]].flat()
    return answers.at(-1)?.rows ?? []
  } finally {
    await client.end()
  }
}
