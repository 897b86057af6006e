const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/

/** Quotes a word for a POSIX shell. */
export function quoteWord(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
