import { isDocument } from '../catalog/document.ts'
import { invalidSyntax, invalidValue, ScimError } from './scim-error.ts'
import { attributeOf, requireObject } from './scim-values.ts'

/** One change of one attribute. */
export interface ScimChange {
  readonly op: 'add' | 'replace' | 'remove'
  /** In lower case, without the schema of the resource; with its filter, if it has one. */
  readonly path: string
  readonly value: unknown
}

const MAX_OPERATIONS = 500
const MAX_PATH_LENGTH = 512
const CORE = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/i
const PATH = /^[A-Za-z][\w$.:-]*(?:\[[^\]]{1,300}\](?:\.[A-Za-z$][\w$-]*)?)?$/

/**
 * The changes of a PATCH, in order. Without a path, the value's fields are the paths: Okta sends it so. Entra ID
 * capitalizes the operations.
 */
export function readPatch(body: unknown): ScimChange[] {
  const operations = attributeOf(requireObject(body), 'Operations')
  if (!Array.isArray(operations) || operations.length === 0) throw invalidSyntax('Operations is required.')
  if (operations.length > MAX_OPERATIONS) {
    throw new ScimError(400, `At most ${MAX_OPERATIONS} operations are accepted in one request.`, 'tooMany')
  }
  return operations.flatMap((operation: unknown) => readOperation(operation))
}

function readOperation(operation: unknown): ScimChange[] {
  if (!isDocument(operation)) throw invalidSyntax('An operation must be an object.')
  const op = readOp(attributeOf(operation, 'op'))
  const path = attributeOf(operation, 'path') ?? ''
  const value = attributeOf(operation, 'value')
  if (typeof path !== 'string') throw invalidPath()
  if (path !== '') return [{ op, path: normalPath(path), value }]
  if (op === 'remove') throw new ScimError(400, 'To remove something, name its path.', 'noTarget')
  if (!isDocument(value)) throw invalidValue('Without a path, the value must be an object.')
  return Object.entries(value).map(([name, field]) => ({ op, path: normalPath(name), value: field }))
}

function readOp(op: unknown): ScimChange['op'] {
  const name = typeof op === 'string' ? op.toLowerCase() : ''
  if (name === 'add' || name === 'replace' || name === 'remove') return name
  throw invalidSyntax('op must be add, replace or remove.')
}

/** The filter in brackets keeps its case: it may contain an id. */
function normalPath(path: string): string {
  const bare = path.replace(CORE, '')
  if (bare.length > MAX_PATH_LENGTH || !PATH.test(bare)) throw invalidPath()
  const [name = '', ...filter] = bare.split('[')
  return [name.toLowerCase(), ...filter].join('[')
}

function invalidPath(): ScimError {
  return new ScimError(
    400,
    'A path names an attribute, such as active or members[value eq "id"].',
    'invalidPath',
  )
}
