/** Where an agent is in its life. */
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

/** In these it has ended. */
export const TERMINAL_PHASES = ['PHASE_COMPLETED', 'PHASE_FAILED', 'PHASE_CANCELED'] as const
export type TerminalPhase = (typeof TERMINAL_PHASES)[number]

const TERMINAL: ReadonlySet<string> = new Set(TERMINAL_PHASES)

export function isTerminal(phase: string): boolean {
  return TERMINAL.has(phase)
}

/** Nothing more comes of it by itself: it has ended, or needs someone to go on. */
export function isAtRest(phase: string): boolean {
  return phase === 'PHASE_WAITING' || isTerminal(phase)
}

/** The phases by the words for them. */
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

/** The word for a phase; `unknown` for one that a newer service has. */
export function phaseName(phase: string): PhaseName | 'unknown' {
  return PHASE_NAMES.find((name) => PHASE_BY_NAME[name] === phase) ?? 'unknown'
}
