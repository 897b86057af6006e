import { classEnd, expandBraces } from './expand-braces.ts'
import { GlobError } from './glob-error.ts'
import type { Runs } from './match-runs.ts'

/** Whether one character matches. */
type CharacterTest = (character: string) => boolean

/** Characters between stars. */
export type SegmentPattern = Runs<CharacterTest>

/** Segments between double stars. */
export type PathPattern = Runs<SegmentPattern>

export interface Glob {
  /** A leading `!`: files that match none of the alternatives. */
  readonly isNegated: boolean
  readonly alternatives: readonly PathPattern[]
}

/** Why a string is not a valid file pattern; undefined if it is. */
export function globProblem(pattern: string): string | undefined {
  try {
    parseGlob(pattern)
    return undefined
  } catch (error) {
    if (error instanceof GlobError) return error.message
    throw error
  }
}

/** Throws GlobError for an invalid pattern. */
export function parseGlob(pattern: string): Glob {
  const isNegated = /^!(?!\()/.test(pattern)
  const alternatives = expandBraces(isNegated ? pattern.slice(1) : pattern)
  return { isNegated, alternatives: alternatives.map(parsePath) }
}

function parsePath(text: string): PathPattern {
  const runs: SegmentPattern[][] = [[]]
  for (const segment of splitSegments(text.replace(/^(\.\/)+/, ''))) {
    if (segment === '**') runs.push([])
    else runs.at(-1)?.push(parseSegment(segment))
  }
  // `docs/**` matches every file below docs, but not a file named docs.
  if (runs.at(-1)?.length === 0) runs.at(-1)?.push(parseSegment('*'))
  return runs
}

function splitSegments(text: string): string[] {
  const segments = text.split('/')
  if (segments[0] === '') throw new GlobError('must be relative to the repository, without a leading /')
  if (segments.at(-1) === '') throw new GlobError('must not end in /: use /** for all files below')
  if (segments.includes('')) throw new GlobError('must not contain //')
  return segments
}

function parseSegment(text: string): SegmentPattern {
  const runs: CharacterTest[][] = [[]]
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if ('!?*+@'.includes(character) && text[at + 1] === '(') {
      throw new GlobError(`must not contain ${character}(: list alternatives in braces`)
    }
    switch (character) {
      case '*':
        if (text[at + 1] !== '*') runs.push([])
        break
      case '?':
        runs.at(-1)?.push(isAny)
        break
      case '[': {
        const end = classEnd(text, at)
        runs.at(-1)?.push(parseClass(text.slice(at + 1, end)))
        at = end
        break
      }
      case '\\':
        at += 1
        if (at === text.length) throw new GlobError('must not end in a backslash')
        runs.at(-1)?.push(isExactly(text.charAt(at)))
        break
      default:
        runs.at(-1)?.push(isExactly(character))
    }
  }
  return runs
}

const isAny: CharacterTest = () => true

function isExactly(expected: string): CharacterTest {
  return (character) => character === expected
}

/** A bracket expression: characters and ranges, negated by a leading `!` or `^`. */
function parseClass(text: string): CharacterTest {
  if (text.includes('[:')) throw new GlobError('must not contain a named class: use a range such as [a-z]')
  const isNegated = /^[!^]/.test(text)
  const characters = [...(isNegated ? text.slice(1) : text).matchAll(/\\?([^])/g)].map(
    ([whole, character = '']) => ({ character, isDash: whole === '-' }),
  )
  const ranges: [string, string][] = []
  for (let at = 0; at < characters.length; at++) {
    const from = characters[at]?.character ?? ''
    const isRange = characters[at + 1]?.isDash === true && at + 2 < characters.length
    const to = isRange ? (characters[at + 2]?.character ?? '') : from
    if (to < from) throw new GlobError(`has the range ${from}-${to}, which is reversed`)
    ranges.push([from, to])
    if (isRange) at += 2
  }
  return (character) => ranges.some(([from, to]) => character >= from && character <= to) !== isNegated
}
