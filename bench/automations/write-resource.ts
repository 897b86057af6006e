import { BenchClient } from '../http-client.ts'

export type WriteResource = (kind: string, name: string, document: object) => Promise<Record<string, unknown>>

/** Writes to the catalog, and returns the documents as the service answers them. */
export async function openCatalog(
  baseUrl: string,
  key: string,
): Promise<{ write: WriteResource; close: () => void }> {
  const client = await BenchClient.open(baseUrl, key)
  return {
    write: async (kind, name, document) => {
      const payload = Buffer.from(JSON.stringify(document)).toString('base64')
      const answer = await client.post(`/v1/catalog/${kind}/${name}`, JSON.stringify({ payload }))
      const { payload: written } = JSON.parse(answer) as { payload: string }
      return JSON.parse(Buffer.from(written, 'base64').toString()) as Record<string, unknown>
    },
    close: () => client.close(),
  }
}
