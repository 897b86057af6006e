import { SkeinApiError, SkeinClientError } from '@skein/client'
import { CommanderError } from 'commander'
import type { CommandContext } from './command-line/command-context.ts'
import type { Environment } from './profile/environment.ts'
import { messageOf } from './errors/error-message.ts'
import { nextStepOf } from './errors/next-steps.ts'
import { exitCodeForCode, exitCodeOf } from './exit-codes.ts'
import { formatJson } from './output/clean-text.ts'
import type { Profile } from './profile/profile.ts'
import { ServerDownError, UsageError } from './command-line/usage-error.ts'

interface ErrorReport {
  readonly exitCode: number
  readonly code: string
  readonly reason: string
  readonly message: string
  /** What to do next. */
  readonly next: string
  readonly requestId: string
}

/** The only place that reports errors: what went wrong and what to do next. Returns the exit code. */
export async function reportError(error: unknown, context: CommandContext): Promise<number> {
  const { io, isJson } = context
  if (error instanceof CommanderError && (error.exitCode === 0 || error.code === 'commander.help')) return 0
  // Commander has already printed its message, except for programs.
  if (error instanceof CommanderError && !isJson) return exitCodeOf('usage')
  const { exitCode, ...report } = await describeError(error, context)
  if (isJson) {
    io.note(formatJson({ error: report }))
    return exitCode
  }
  io.note(`${io.paint('red', 'Error:')} ${report.message.replaceAll('\n', '\n  ')}`)
  if (report.next !== '') io.note(report.next)
  if (report.requestId !== '') io.note(io.paint('dim', `Request id: ${report.requestId}`))
  return exitCode
}

async function describeError(error: unknown, context: CommandContext): Promise<ErrorReport> {
  if (error instanceof SkeinApiError) return describeApiError(error, context)
  if (error instanceof SkeinClientError) {
    return { ...describeSilence(error, context.server), reason: error.name, requestId: error.requestId }
  }
  if (error instanceof ServerDownError) {
    const { message, next } = error
    const exitCode = exitCodeOf('unavailable')
    return { exitCode, code: 'UNAVAILABLE', reason: '', message, next, requestId: '' }
  }
  if (error instanceof UsageError) return describeUsage(error.message, error.next, error.code)
  if (error instanceof CommanderError) {
    return describeUsage(error.message.replace(/^error: /, ''), 'For usage, add --help.')
  }
  return describeFault(error, context.io.env)
}

function describeUsage(message: string, next: string, code = 'INVALID_ARGUMENT'): ErrorReport {
  return {
    exitCode: exitCodeForCode(code),
    code,
    reason: '',
    message,
    next,
    requestId: '',
  }
}

function describeFault(error: unknown, env: Environment): ErrorReport {
  const message = error instanceof Error ? error.message : String(error)
  const stack = env['SKEIN_DEBUG'] && error instanceof Error ? `\n${error.stack ?? ''}` : ''
  return {
    exitCode: exitCodeOf('fault'),
    code: 'INTERNAL',
    reason: '',
    message: message + stack,
    next: stack === '' ? 'Set SKEIN_DEBUG=1 to see the stack trace.' : '',
    requestId: '',
  }
}

/** Includes the address and its source: the server cannot be asked. */
function describeSilence(error: SkeinClientError, server: Profile | undefined) {
  const who = server === undefined ? 'The server' : `The server at ${server.url}`
  const origin = server === undefined ? '' : ` (the URL is from ${server.source})`
  return {
    exitCode: exitCodeOf('unavailable'),
    code: 'UNAVAILABLE',
    message: error.message.replace(/^\w+ got no response/, `${who} did not respond`),
    next: `Check that it is running and that the URL is right${origin}. To run one on this machine: skein dev`,
  }
}

async function describeApiError(error: SkeinApiError, { namedAgents }: CommandContext): Promise<ErrorReport> {
  const isAgentMissing = error.reason === 'AGENT_NOT_FOUND' && namedAgents.length > 0
  return {
    exitCode: exitCodeForCode(error.code),
    code: error.code,
    reason: error.reason,
    message: isAgentMissing ? `Agent not found: ${namedAgents.join(', ')}.` : messageOf(error),
    next: nextStepOf(error.reason) || (await remedyOf(error)),
    requestId: error.requestId,
  }
}

async function remedyOf({ reason }: SkeinApiError): Promise<string> {
  // Loaded on demand: loading the contract takes longer than most commands.
  const { REASONS } = await import('@skein/contract')
  const registry: Readonly<Record<string, { readonly remedy: string }>> = REASONS
  return registry[reason]?.remedy ?? ''
}
