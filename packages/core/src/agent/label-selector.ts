import { SkeinError } from '@skein/contract'
import { MAX_LABEL_VALUE_LENGTH, MAX_LABELS } from '@skein/contract/facts'

const NAME = /^[a-z0-9./-]{1,63}$/

/**
 * `team=payments,env=dev`: all terms must match. Parsed by hand, because a single regular expression per term
 * backtracked for a second over 4 KB of spaces.
 */
export function parseLabelSelector(selector: string): Record<string, string> {
  if (selector.trim() === '') return {}
  const terms = selector.split(',')
  if (terms.length > MAX_LABELS) throw invalid(`must not have more than ${MAX_LABELS} labels`)
  return Object.fromEntries(terms.map(parseTerm))
}

function parseTerm(term: string): [string, string] {
  const equals = term.indexOf('=')
  const name = term.slice(0, equals).trim()
  const value = term.slice(equals + 1).trim()
  if (equals === -1 || !NAME.test(name) || value.length > MAX_LABEL_VALUE_LENGTH || /[\r\n]/.test(value))
    throw invalid('must be name=value pairs, separated by commas')
  return [name, value]
}

function invalid(description: string): SkeinError {
  return new SkeinError('REQUEST_INVALID', {
    message: `The request is not valid: labelSelector: ${description}.`,
    violations: [{ field: 'labelSelector', description }],
  })
}
