const WORDS: Readonly<Record<string, string>> = {
  writeResource: 'Wrote',
  deleteResource: 'Deleted',
}

/** An operation in a word; one that a newer service has stays as it is called. */
export function describeOperation(operation: string): string {
  return WORDS[operation] ?? operation
}
