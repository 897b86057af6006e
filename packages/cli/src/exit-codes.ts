/** Scripts branch on these. Append-only: a number keeps its meaning. docs/cli.md prints the table. */
export const EXIT_CODES = [
  {
    exitCode: 0,
    name: 'ok',
    codes: [],
    meaning: 'Success. For an agent that was followed or waited for: it completed, or is waiting for input.',
  },
  {
    exitCode: 1,
    name: 'fault',
    codes: ['INTERNAL', 'UNKNOWN'],
    meaning: 'An internal error.',
  },
  {
    exitCode: 2,
    name: 'usage',
    codes: ['INVALID_ARGUMENT'],
    meaning: 'Invalid command or argument.',
  },
  { exitCode: 3, name: 'notFound', codes: ['NOT_FOUND'], meaning: 'Agent, resource or task not found.' },
  {
    exitCode: 4,
    name: 'conflict',
    codes: ['ALREADY_EXISTS', 'FAILED_PRECONDITION', 'ABORTED'],
    meaning: 'A conflict, such as a resource that someone else has changed.',
  },
  {
    exitCode: 5,
    name: 'access',
    codes: ['UNAUTHENTICATED', 'PERMISSION_DENIED'],
    meaning: 'No key, an invalid key, or a key without the permission.',
  },
  {
    exitCode: 6,
    name: 'limit',
    codes: ['RESOURCE_EXHAUSTED'],
    meaning: 'A limit was reached; try again later.',
  },
  {
    exitCode: 7,
    name: 'unavailable',
    codes: ['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'CANCELLED'],
    meaning: 'No response from the server, or not in time.',
  },
  {
    exitCode: 8,
    name: 'unsupported',
    codes: ['UNIMPLEMENTED'],
    meaning: 'The server does not support the operation.',
  },
  { exitCode: 10, name: 'agentFailed', codes: [], meaning: 'The agent failed.' },
  { exitCode: 11, name: 'agentCanceled', codes: [], meaning: 'The agent was killed.' },
  {
    exitCode: 12,
    name: 'waitTimedOut',
    codes: [],
    meaning: '--timeout expired while the agent was still working.',
  },
  { exitCode: 13, name: 'unhealthy', codes: [], meaning: '`skein doctor` found a problem.' },
  { exitCode: 130, name: 'interrupted', codes: [], meaning: 'Interrupted by Ctrl-C.' },
] as const satisfies readonly ExitCode[]

interface ExitCode {
  readonly exitCode: number
  readonly name: string
  /** The API's error codes it stands for. */
  readonly codes: readonly string[]
  readonly meaning: string
}

type ExitName = (typeof EXIT_CODES)[number]['name']

export function exitCodeOf(name: ExitName): number {
  return EXIT_CODES.find((entry) => entry.name === name)?.exitCode ?? 1
}

export function exitCodeForCode(code: string): number {
  const entries: readonly ExitCode[] = EXIT_CODES
  return entries.find((entry) => entry.codes.includes(code))?.exitCode ?? exitCodeOf('fault')
}

/** The exit code for an agent at rest. */
export function exitCodeForPhase(phase: string): number {
  if (phase === 'PHASE_FAILED') return exitCodeOf('agentFailed')
  return phase === 'PHASE_CANCELED' ? exitCodeOf('agentCanceled') : exitCodeOf('ok')
}
