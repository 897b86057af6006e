/** One word for a POSIX shell, whatever is in it. */
export function quoteWord(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/** For a program without a tool that writes files. */
export function writeFileCommand(path: string, text: string): string {
  const file = quoteWord(path)
  return `mkdir -p "$(dirname -- ${file})" && printf '%s' ${quoteWord(text)} > ${file}`
}
