interface Page<Entry> {
  readonly entries: readonly Entry[]
  readonly nextPageToken: string
}

/** All entries of all pages. The next page is requested when the previous one is used up. */
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
