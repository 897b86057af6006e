import { MAX_NAME_LENGTH } from '@skein/contract/facts'

/** In the name of an agent, stands for the time the firing was due. */
export const TIME_PLACEHOLDER = '{time}'

/** `20261117t020000z`: sorts by time and fits into a name. */
export function formatFiringTime(dueAt: number): string {
  return new Date(dueAt).toISOString().replaceAll(/[-:.]/g, '').replace(/000Z$/, 'Z').toLowerCase()
}

/** The time of a run by hand has milliseconds. */
const LONGEST_TIME = formatFiringTime(Date.UTC(2026, 0, 1) + 1).length

/** The name of a firing's agent. Without a pattern, the schedule's name and the time. */
export function agentNameOf(pattern: string, scheduleName: string, dueAt: number): string {
  const time = formatFiringTime(dueAt)
  if (pattern !== '') return pattern.replaceAll(TIME_PLACEHOLDER, time)
  const prefix = scheduleName.slice(0, MAX_NAME_LENGTH - LONGEST_TIME - 1)
  return `${prefix.replace(/-+$/, '')}-${time}`
}

/** The longest name that a pattern makes, to be checked when it is written. */
export function longestAgentName(pattern: string): string {
  return pattern.replaceAll(TIME_PLACEHOLDER, 'x'.repeat(LONGEST_TIME))
}

/** The same for all tries of a firing, so that a message is accepted once. */
export function followUpIdOf(scheduleName: string, dueAt: number): string {
  return `schedule:${scheduleName}:${formatFiringTime(dueAt)}`
}
