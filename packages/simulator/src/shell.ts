/** Quotes a word for a POSIX shell. */
export function quoteWord(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/** For programs without a tool that writes files. */
export function writeFileCommand(path: string, text: string): string {
  const file = quoteWord(path)
  return `mkdir -p "$(dirname -- ${file})" && printf '%s' ${quoteWord(text)} > ${file}`
}
