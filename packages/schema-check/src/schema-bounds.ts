/**
 * Bounds the cost of compiling a schema. The validator generates code for every part, and some keywords multiply: 52
 * kB of patterns took ten seconds. Real schemas stay far below these limits.
 */
const MAX_DEPTH = 64
const MAX_OBJECTS = 500
const MAX_VALUES = 5_000
const MAX_PATTERNS = 100
const MAX_PATTERN_LENGTH = 256
const MAX_UNEVALUATED = 10

/** Why a schema would be too expensive to compile; undefined if it isn't. */
export function schemaBoundsProblem(schema: object): string | undefined {
  const counts = { objects: 0, values: 0, patterns: 0, unevaluated: 0 }
  let depth = 0
  // Level by level instead of recursively: a hostile schema may be nested deeper than the stack.
  for (let level: object[] = [schema]; level.length > 0; level = level.flatMap(partsOf)) {
    if (++depth > MAX_DEPTH) return `is nested too deeply: the limit is ${MAX_DEPTH} levels`
    for (const part of level) {
      const problem = countPart(part, counts)
      if (problem !== undefined) return problem
    }
  }
  return undefined
}

function countPart(
  part: object,
  counts: { objects: number; values: number; patterns: number; unevaluated: number },
): string | undefined {
  counts.objects += Array.isArray(part) ? 0 : 1
  const entries: [string, unknown][] = Object.entries(part)
  counts.values += entries.length
  if (counts.objects > MAX_OBJECTS) return `is too large: the limit is ${MAX_OBJECTS} objects`
  if (counts.values > MAX_VALUES) return `is too large: the limit is ${MAX_VALUES} values`
  for (const [keyword, value] of entries) {
    const patterns = patternsIn(keyword, value)
    counts.patterns += patterns.length
    if (counts.patterns > MAX_PATTERNS) return `has too many patterns: the limit is ${MAX_PATTERNS}`
    if (patterns.some(({ length }) => length > MAX_PATTERN_LENGTH))
      return `has a pattern of more than ${MAX_PATTERN_LENGTH} characters`
    if (keyword.startsWith('unevaluated') && ++counts.unevaluated > MAX_UNEVALUATED)
      return `has too many unevaluated keywords: the limit is ${MAX_UNEVALUATED}`
  }
  return undefined
}

function patternsIn(keyword: string, value: unknown): string[] {
  if (keyword === 'pattern' && typeof value === 'string') return [value]
  return keyword === 'patternProperties' && typeof value === 'object' && value !== null
    ? Object.keys(value)
    : []
}

function partsOf(part: object): object[] {
  return Object.values(part).filter((value): value is object => typeof value === 'object' && value !== null)
}
