/** The phases of an agent. */
export const PHASES = [
  'PHASE_UNSPECIFIED',
  'PHASE_PENDING',
  'PHASE_RUNNING',
  'PHASE_WAITING',
  'PHASE_COMPLETED',
  'PHASE_FAILED',
  'PHASE_CANCELED',
] as const
export type Phase = (typeof PHASES)[number]

/** The agent has ended. */
export const TERMINAL_PHASES = ['PHASE_COMPLETED', 'PHASE_FAILED', 'PHASE_CANCELED'] as const
export type TerminalPhase = (typeof TERMINAL_PHASES)[number]

const TERMINAL: ReadonlySet<string> = new Set(TERMINAL_PHASES)

export function isTerminal(phase: string): boolean {
  return TERMINAL.has(phase)
}

/** The agent does nothing more by itself: it has ended, or is waiting for someone. */
export function isAtRest(phase: string): boolean {
  return phase === 'PHASE_WAITING' || isTerminal(phase)
}

/** Phases by their short names. */
export const PHASE_BY_NAME = {
  pending: 'PHASE_PENDING',
  running: 'PHASE_RUNNING',
  waiting: 'PHASE_WAITING',
  completed: 'PHASE_COMPLETED',
  failed: 'PHASE_FAILED',
  canceled: 'PHASE_CANCELED',
} as const satisfies Record<string, Phase>
export type PhaseName = keyof typeof PHASE_BY_NAME

export const PHASE_NAMES: readonly PhaseName[] = [
  'pending',
  'running',
  'waiting',
  'completed',
  'failed',
  'canceled',
]

/** The short name of a phase; `unknown` for one added by a newer service. */
export function phaseName(phase: string): PhaseName | 'unknown' {
  return PHASE_NAMES.find((name) => PHASE_BY_NAME[name] === phase) ?? 'unknown'
}
