/**
 * `*` matches any characters, everything else is literal. Not a regular expression: with a few stars it backtracks
 * for minutes and blocks the event loop.
 */
export function matchesModel(pattern: string, model: string): boolean {
  const [start = '', ...between] = pattern.split('*')
  const end = between.pop()
  if (end === undefined) return model === pattern
  const endAt = model.length - end.length
  let position = start.length
  if (position > endAt || !model.startsWith(start) || !model.endsWith(end)) return false
  for (const part of between) {
    const found = model.indexOf(part, position)
    if (found === -1 || found + part.length > endAt) return false
    position = found + part.length
  }
  return true
}
