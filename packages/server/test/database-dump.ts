import type { TestDatabase } from '@skein/testkit'
import { Client, escapeIdentifier } from 'pg'

/** Every row of every table, as the owner sees it: what a stolen backup would show. */
export async function dumpDatabase({ ownerUrl }: TestDatabase): Promise<string> {
  const owner = new Client({ connectionString: ownerUrl })
  await owner.connect()
  try {
    const tables = await owner.query<{ schema: string; name: string }>(
      `select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind = 'r' and n.nspname !~ '^(pg_|information_schema)'`,
    )
    const parts = ['']
    for (const { schema, name } of tables.rows) {
      const table = `${escapeIdentifier(schema)}.${escapeIdentifier(name)}`
      const { rows } = await owner.query<{ line: string }>(`select t::text as line from ${table} t`)
      parts.push(`-- ${name}`, ...rows.map(({ line }) => line))
    }
    return parts.join('\n')
  } finally {
    await owner.end()
  }
}
