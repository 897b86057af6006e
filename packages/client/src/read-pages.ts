interface Page<Entry> {
  readonly entries: readonly Entry[]
  readonly nextPageToken: string
}

/** Every entry of every page. A page is asked for when the one before is used up. */
export async function* readPages<Entry>(
  readPage: (pageToken: string | undefined) => Promise<Page<Entry>>,
): AsyncGenerator<Entry, void> {
  let pageToken: string | undefined
  do {
    const { entries, nextPageToken } = await readPage(pageToken)
    yield* entries
    pageToken = nextPageToken
  } while (pageToken !== '')
}
