/** Yields lines as they arrive; undefined for one that is too long, which is discarded. */
export async function* readLines(
  input: AsyncIterable<string | Buffer>,
  maxLength: number,
): AsyncGenerator<string | undefined> {
  const decoder = new TextDecoder()
  let parts: string[] = []
  let length = 0
  const take = (): string | undefined => {
    const line = length > maxLength ? undefined : parts.join('')
    ;[parts, length] = [[], 0]
    return line
  }
  const add = (part: string): void => {
    length += part.length
    if (length > maxLength) parts = []
    else parts.push(part)
  }
  for await (const chunk of input) {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    const [first = '', ...others] = text.split('\n')
    add(first)
    for (const other of others) {
      const line = take()
      // Skip blank lines.
      if (line?.trim() !== '') yield line
      add(other)
    }
  }
  if (length > 0) yield take()
}
