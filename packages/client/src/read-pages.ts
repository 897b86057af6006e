interface Page {
  readonly nextPageToken: string
}

/** All entries of all pages. The next page is requested when the previous one is used up. */
export async function* readPages<Of extends Page, Entry>(
  readPage: (pageToken: string | undefined) => Promise<Of>,
  entriesOf: (page: Of) => readonly Entry[],
): AsyncGenerator<Entry, void> {
  let pageToken: string | undefined
  do {
    const page = await readPage(pageToken)
    yield* entriesOf(page)
    pageToken = page.nextPageToken
  } while (pageToken !== '')
}
