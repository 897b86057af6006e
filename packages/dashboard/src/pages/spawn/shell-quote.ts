const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/

/** One word for a POSIX shell, whatever it holds. */
export function quoteWord(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
