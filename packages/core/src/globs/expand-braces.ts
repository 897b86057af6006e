import { GlobError } from './glob-error.ts'

/** Alternatives are matched one by one, so their number multiplies the work. */
const MAX_ALTERNATIVES = 32

/** Expands `src/*.{js,ts}` to `src/*.js` and `src/*.ts`. */
export function expandBraces(pattern: string): string[] {
  const expanded: string[] = []
  // Depth first, without recursion. Stops at the first alternative over the limit, however many there are.
  const open = [pattern]
  for (let text = open.pop(); text !== undefined; text = open.pop()) {
    const found = findBraces(text)
    if (!found) {
      if (expanded.push(text) > MAX_ALTERNATIVES)
        throw new GlobError(`must not have more than ${MAX_ALTERNATIVES} alternatives in braces`)
      continue
    }
    const { before, choices, after } = found
    open.push(...choices.map((choice) => before + choice + after).reverse())
  }
  return expanded
}

/** The first brace group and its choices. */
function findBraces(text: string): { before: string; choices: string[]; after: string } | undefined {
  let depth = 0
  let start = 0
  let choiceStart = 0
  const choices: string[] = []
  for (const { character, at } of outsideClasses(text)) {
    if (character === '{' && depth++ === 0) {
      start = at
      choiceStart = at + 1
    } else if (character === ',' && depth === 1) {
      choices.push(text.slice(choiceStart, at))
      choiceStart = at + 1
    } else if (character === '}' && depth > 0 && --depth === 0) {
      choices.push(text.slice(choiceStart, at))
      if (choices.length < 2) throw new GlobError('must use braces only around a list such as {js,ts}')
      return { before: text.slice(0, start), choices, after: text.slice(at + 1) }
    }
  }
  if (depth > 0) throw new GlobError('has a { without a matching }')
  return undefined
}

/** Characters that are neither escaped nor inside brackets. */
function* outsideClasses(text: string): Generator<{ character: string; at: number }> {
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '\\') at++
    else if (character === '[') at = classEnd(text, at)
    else yield { character, at }
  }
}

/** The end of the character class that starts here. A leading `]` is literal. */
export function classEnd(text: string, start: number): number {
  let at = start + 1
  if (text[at] === '!' || text[at] === '^') at++
  if (text[at] === ']') at++
  for (; at < text.length && text[at] !== ']'; at++) if (text[at] === '\\') at++
  if (at >= text.length) throw new GlobError('has a [ without a matching ]')
  return at
}
