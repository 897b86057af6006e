import { isDocument, ScimError } from '@skein/core'
import type { ScimQuery } from '@skein/engine'
import type { FastifyRequest } from 'fastify'
import { MAX_RESULTS } from './scim-documents.ts'

const DEFAULT_RESULTS = 100
/** Beyond any directory. */
const LAST_INDEX = 1_000_000

/** Parameters that are not for us are ignored, as the protocol has it. */
export function readScimQuery(request: FastifyRequest): ScimQuery {
  const filter = parameterOf(request, 'filter')
  return {
    filter: filter === '' ? undefined : filter,
    startIndex: Math.min(Math.max(1, numberOf(request, 'startIndex', 1)), LAST_INDEX),
    count: Math.min(Math.max(0, numberOf(request, 'count', DEFAULT_RESULTS)), MAX_RESULTS),
  }
}

/** Entra ID asks for groups without their members. */
export function wantsMembers(request: FastifyRequest): boolean {
  const names = (parameter: string) =>
    (parameterOf(request, parameter) ?? '')
      .toLowerCase()
      .split(',', 100)
      .map((name) => name.trim())
  const [wanted, excluded] = [names('attributes'), names('excludedAttributes')]
  if (excluded.includes('members')) return false
  return wanted.join('') === '' || wanted.some((name) => name.startsWith('members'))
}

function parameterOf({ query }: FastifyRequest, name: string): string | undefined {
  const value: unknown = isDocument(query) ? query[name] : undefined
  if (value === undefined || typeof value === 'string') return value
  throw new ScimError(400, `${name} must be given once.`, 'invalidValue')
}

function numberOf(request: FastifyRequest, name: string, otherwise: number): number {
  const text = parameterOf(request, name)
  if (text === undefined || text === '') return otherwise
  if (!/^-?[0-9]{1,9}$/.test(text)) throw new ScimError(400, `${name} must be a number.`, 'invalidValue')
  return Number(text)
}

export function idOf({ params }: FastifyRequest): string {
  const id: unknown = isDocument(params) ? params['id'] : ''
  return typeof id === 'string' ? id : ''
}
