/** All entries of a list that is read page by page. */
export async function readAll<Entry>(entries: AsyncIterable<Entry>): Promise<Entry[]> {
  const found: Entry[] = []
  for await (const entry of entries) found.push(entry)
  return found
}
