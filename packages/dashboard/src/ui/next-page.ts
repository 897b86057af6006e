/** Of an infinite query whose parameter is the token of the page: undefined after the last. */
export function findNextPage({ nextPageToken }: { readonly nextPageToken: string }): string | undefined {
  return nextPageToken === '' ? undefined : nextPageToken
}
