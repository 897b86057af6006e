import { SkeinApiError, SkeinClientError } from '@skein/client'
import { CommanderError } from 'commander'
import type { CommandContext } from './command-context.ts'
import type { Environment } from './environment.ts'
import { exitCodeForCode, exitCodeOf } from './exit-codes.ts'
import { formatJson } from './output/clean-text.ts'
import type { Profile } from './profile.ts'
import { ServerDownError, UsageError } from './usage-error.ts'

interface ErrorReport {
  readonly exitCode: number
  readonly code: string
  readonly reason: string
  readonly message: string
  /** What to do next. */
  readonly next: string
  readonly requestId: string
}

/** Says what went wrong and what to do next, and answers with the exit code. The only place that does. */
export async function reportError(error: unknown, { io, isJson, server }: CommandContext): Promise<number> {
  // Commander has printed its own message, or the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodeOf('usage')
  const { exitCode, ...report } = await describeError(error, io.env, server)
  if (isJson) {
    io.note(formatJson({ error: report }))
    return exitCode
  }
  io.note(`${io.paint('red', 'Error:')} ${report.message.replaceAll('\n', '\n  ')}`)
  if (report.next !== '') io.note(report.next)
  if (report.requestId !== '') io.note(io.paint('dim', `Request id: ${report.requestId}`))
  return exitCode
}

async function describeError(
  error: unknown,
  env: Environment,
  server: Profile | undefined,
): Promise<ErrorReport> {
  if (error instanceof SkeinApiError) return describeApiError(error)
  if (error instanceof SkeinClientError) {
    return { ...describeSilence(error, server), reason: error.name, requestId: error.requestId }
  }
  if (error instanceof ServerDownError) {
    const { message, next } = error
    const exitCode = exitCodeOf('unavailable')
    return { exitCode, code: 'UNAVAILABLE', reason: '', message, next, requestId: '' }
  }
  if (error instanceof UsageError) {
    const { message, next } = error
    return {
      exitCode: exitCodeOf('usage'),
      code: 'INVALID_ARGUMENT',
      reason: '',
      message,
      next,
      requestId: '',
    }
  }
  const message = error instanceof Error ? error.message : String(error)
  const stack = env['SKEIN_DEBUG'] && error instanceof Error ? `\n${error.stack ?? ''}` : ''
  return {
    exitCode: exitCodeOf('fault'),
    code: 'INTERNAL',
    reason: '',
    message: message + stack,
    next: stack === '' ? 'Set SKEIN_DEBUG=1 to see where it comes from.' : '',
    requestId: '',
  }
}

/** The address and where it comes from: whoever reads this cannot ask the server. */
function describeSilence(error: SkeinClientError, server: Profile | undefined) {
  const who = server === undefined ? 'The server' : `The server at ${server.url}`
  const origin = server === undefined ? '' : ` (the URL is from ${server.source})`
  return {
    exitCode: exitCodeOf('unavailable'),
    code: 'UNAVAILABLE',
    message: error.message.replace(/^\w+ had no answer/, `${who} did not answer`),
    next: `Check that it is running and that the URL is right${origin}. To run one on this machine: skein dev`,
  }
}

async function describeApiError(error: SkeinApiError): Promise<ErrorReport> {
  return {
    exitCode: exitCodeForCode(error.code),
    code: error.code,
    reason: error.reason,
    message: [error.message, ...violationsOf(error)].join('\n'),
    next: await nextStep(error),
    requestId: error.requestId,
  }
}

/** Where the command line has a shorter way than the API's remedy. */
const NEXT_STEPS: Readonly<Record<string, string>> = {
  AGENT_NOT_FOUND: 'See what there is with: skein ps --all',
  AGENT_NOT_RUNNING: 'It has ended. Continue it with: skein send --continue <agent> <message>',
  AGENT_ALREADY_EXISTS: 'Write to it with skein send, end it with skein kill, or choose another --name.',
  CREDENTIAL_MISSING: 'Sign in with: skein login',
  CREDENTIAL_INVALID: 'Sign in again with: skein login. An admin makes a new key with: skein token create',
  GENERATION_MISMATCH: 'Somebody else changed it. Look at it with skein get, then try again.',
  JUSTIFICATION_REQUIRED: 'Say why with --justification.',
  KIND_UNKNOWN: 'See the kinds with: skein get',
  RESOURCE_NOT_FOUND: 'See what there is with: skein get <kind>',
  RUN_NOT_CURRENT: 'No run is executing. See with: skein status <agent>',
  TASK_NOT_FOUND: 'See the checklist with: skein tasks <agent>',
}

async function nextStep({ reason }: SkeinApiError): Promise<string> {
  const known = NEXT_STEPS[reason]
  if (known !== undefined) return known
  // Loaded only here: the whole contract takes longer to load than a command takes to run.
  const { REASONS } = await import('@skein/contract')
  const registry: Readonly<Record<string, { readonly remedy: string }>> = REASONS
  return registry[reason]?.remedy ?? ''
}

function violationsOf({ details, message }: SkeinApiError): string[] {
  return details.flatMap((detail) => {
    const list: unknown = detail['fieldViolations']
    if (!Array.isArray(list)) return []
    return list.flatMap((violation: unknown) => {
      if (typeof violation !== 'object' || violation === null) return []
      const { field, description } = { field: '', description: '', ...violation }
      const line = `${field}: ${description}`
      return message.includes(description) ? [] : [line]
    })
  })
}
