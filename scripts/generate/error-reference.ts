import {
  BODY_REASONS,
  CODES,
  COMMON_REASONS,
  MUTATION_REASONS,
  OPERATIONS,
  REASONS,
  SkeinError,
  toEnvelope,
  type Code,
  type Operation,
  type Reason,
  type ReasonEntry,
} from '../../packages/contract/src/index.ts'
import { anchor, blocks, code, GENERATED, json, linkTo, prose, table } from './markdown.ts'

const operations: readonly Operation[] = OPERATIONS
const reasons = Object.keys(REASONS).filter(isReason)
const codes = Object.keys(CODES).filter(isCode)

function isReason(name: string): name is Reason {
  return Object.hasOwn(REASONS, name)
}

function isCode(name: string): name is Code {
  return Object.hasOwn(CODES, name)
}

const example = new SkeinError('REQUEST_INVALID', {
  message: 'The request has 2 invalid fields.',
  violations: [
    { field: 'description', description: 'required' },
    { field: 'tasks[0].status', description: 'must be one of TASK_STATUS_PENDING, …' },
  ],
})

const intro = `Every error response has the same JSON body:`

const howToRead = `Read it from the inside out:

1. **\`reason\`**, in the detail of type \`ErrorInfo\`, says exactly what happened. Programs branch on it. A reason never changes its name or its meaning. All of them are on this page.
2. **\`fieldViolations\`**, in the detail of type \`BadRequest\`, lists every invalid field: \`tasks[0].status\` is the field \`status\` of the first task.
3. **\`retryDelay\`**, in the detail of type \`RetryInfo\`, says how long to wait before retrying. Without it, the same request will fail again, unless the remedy below says to retry.
4. **\`code\`** is the class of the error and corresponds to the HTTP status. It is enough to decide whether the caller or the service has to act.
5. **\`message\`** is for people. Its wording can change, so never compare it.

Details whose \`@type\` you do not know can be skipped. Each response also has the header \`x-request-id\`: quote it when you ask for help.`

export function errorReference(): string {
  return blocks(
    GENERATED,
    '# Errors',
    intro,
    json(toEnvelope(example)),
    howToRead,
    '## Codes',
    'The numbers and names are those of [google.rpc.Code](https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto). Some reasons have a more specific HTTP status than their code; it is listed with the reason.',
    table(['Code', 'Name', 'HTTP status'], codes.map(codeRow)),
    ...codes.map(codeSection),
  )
}

function codeRow(name: Code): string[] {
  const { number, httpStatus } = CODES[name]
  const isUsed = reasons.some((reason) => REASONS[reason].code === name)
  return [String(number), isUsed ? linkTo(name) : name, String(httpStatus)]
}

function codeSection(name: Code): string {
  const own = reasons.filter((reason) => REASONS[reason].code === name)
  return own.length === 0 ? '' : blocks(`## ${name}`, ...own.map(reasonSection))
}

function reasonSection(reason: Reason): string {
  const entry: ReasonEntry = REASONS[reason]
  const status = entry.httpStatus ?? CODES[entry.code].httpStatus
  return blocks(
    `### ${reason}`,
    prose(entry.summary),
    `**What to do:** ${prose(entry.remedy)}`,
    `HTTP status ${status}. Returned by ${givenBy(reason)}.`,
  )
}

function givenBy(reason: Reason): string {
  if (COMMON_REASONS.includes(reason)) return 'any operation'
  if (BODY_REASONS.includes(reason)) return 'any operation that takes a body'
  if (MUTATION_REASONS.includes(reason)) return 'any operation that changes something'
  const own = operations.filter((operation) => operation.reasons.includes(reason))
  if (own.length === 0) return 'the server, for any operation'
  return own.map(({ id, summary }) => `[${code(id)}](api.md#${anchor(summary)})`).join(', ')
}
