/** For an infinite query whose parameter is the page token; undefined after the last page. */
export function findNextPage({ nextPageToken }: { readonly nextPageToken: string }): string | undefined {
  return nextPageToken === '' ? undefined : nextPageToken
}
