import { isAsking, type AgentEntry } from '@skein/client'
import * as facts from '@skein/contract/facts'
import type { Io } from '../io.ts'
import type { Style } from './colors.ts'

const PHASE_STYLES: Readonly<Record<string, Style>> = {
  pending: 'yellow',
  running: 'cyan',
  waiting: 'blue',
  asking: 'magenta',
  completed: 'green',
  failed: 'red',
  killed: 'dim',
}

/** PHASE_RUNNING as "running". Killing an agent cancels it, and people know it as killed. */
export function phaseName(phase: string): string {
  return phase === 'PHASE_CANCELED' ? 'killed' : facts.phaseName(phase)
}

const RUN_END_NAMES: Readonly<Record<string, string>> = {
  // Runs are stopped, gently or not. Only agents are killed.
  interrupted: 'stopped',
  killed: 'stopped',
  rested: 'ended',
  limit: 'ended at its limit',
}

/** Why a run ended, in words. */
export function runEndName(reason: string): string {
  return RUN_END_NAMES[reason] ?? reason
}

export function paintPhase(io: Io, phase: string): string {
  return paintState(io, phaseName(phase))
}

/** The phase, or "asking" if the agent waits for an answer rather than for its next message. */
export function paintStanding(io: Io, entry: Pick<AgentEntry, 'phase' | 'needsInput'>): string {
  return paintState(io, isAsking(entry) ? 'asking' : phaseName(entry.phase))
}

function paintState(io: Io, name: string): string {
  return io.paint(PHASE_STYLES[name] ?? 'bold', name)
}

export function formatCost(dollars: number): string {
  if (dollars === 0) return '$0'
  return dollars < 0.01 ? `$${dollars.toPrecision(2)}` : `$${dollars.toFixed(2)}`
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const

/** The two largest units: 2h30m, 45s. */
export function formatSpan(spanMs: number): string {
  let rest = Math.max(0, Math.round(spanMs / 1000))
  const parts: string[] = []
  for (const [unit, seconds] of UNITS) {
    const count = Math.floor(rest / seconds)
    rest -= count * seconds
    if (count > 0) parts.push(`${count}${unit}`)
    if (parts.length === 2) break
  }
  return parts.join('') || '0s'
}

export function formatAge(time: string, nowMs: number): string {
  return time === '' ? '' : formatSpan(nowMs - Date.parse(time))
}
