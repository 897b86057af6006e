import { setTimeout as pause } from 'node:timers/promises'
import { listChildProcesses } from '@skein/host'
import type { PostgresKill } from '@skein/local-postgres'
import type { Random } from '@skein/testkit'
import { LEASE_MS, type Installation } from '../installation/install.ts'
import { LINE_FAULTS } from '../installation/line.ts'
import type { Supervised } from '../installation/supervised.ts'
import { killClaimingServers } from './kill-claiming-servers.ts'

/** What was done, by kind. Only `kills` ended a process. */
export interface HavocCounts {
  readonly kills: Record<'server' | 'runner' | 'postgres' | 'backend', number>
  readonly freezes: Record<'server' | 'runner', number>
  readonly cuts: Record<string, number>
}

export interface Havoc {
  readonly target: Installation
  readonly random: Random
  readonly counts: HavocCounts
  /** Frozen processes, until they continue. */
  readonly thaws: Promise<void>[]
}

export function noHavoc(): HavocCounts {
  return {
    kills: { server: 0, runner: 0, postgres: 0, backend: 0 },
    freezes: { server: 0, runner: 0 },
    cuts: {},
  }
}

export function totalKills({ kills }: HavocCounts): number {
  return Object.values(kills).reduce((sum, amount) => sum + amount, 0)
}

/** PostgreSQL takes seconds to recover, during which nothing else is tested, so it is killed least often. */
export const FAULTS: readonly (readonly [weight: number, inflict: (havoc: Havoc) => Promise<void>])[] = [
  [26, killServer],
  [4, killAtClaim],
  [34, killRunner],
  [7, killBackend],
  [3, killPostgres],
  [8, freezeRunner],
  [3, freezeServer],
  [15, strikeLine],
]

async function killServer({ target, random, counts }: Havoc): Promise<void> {
  await killOne(target.servers, random)
  counts.kills.server += 1
}

export async function killAtClaim({ target, counts }: Havoc): Promise<void> {
  counts.kills.server += await killClaimingServers(target)
}

async function killRunner({ target, random, counts }: Havoc): Promise<void> {
  await killOne(target.runners, random)
  counts.kills.runner += 1
}

/** Kills one that is up. If all are down, waits for the first that comes up. */
async function killOne(processes: readonly Supervised[], random: Random): Promise<void> {
  for (;;) {
    const ready = processes.filter(({ isReady }) => isReady)
    if (ready.length > 0 && random.pick(ready).kill()) return
    await pause(50)
  }
}

/** Kills one PostgreSQL process. The postmaster ends the others and recovers by itself. */
async function killBackend({ target: { postgres }, random, counts }: Havoc): Promise<void> {
  const backends = listChildProcesses(postgres.pid ?? 0).filter(({ command }) =>
    command.includes('skein_crash'),
  )
  if (backends.length === 0) return
  process.kill(random.pick(backends).pid, 'SIGKILL')
  counts.kills.backend += 1
}

async function killPostgres({ target: { postgres }, random, counts }: Havoc): Promise<void> {
  await postgres.kill(random.pick<PostgresKill>(['every-process', 'postmaster', 'immediate']))
  counts.kills.postgres += 1
  await pause(random.below(1_000))
  await postgres.start()
}

/** Longer than its lease: it continues after its runs have gone to others, and reports as if nothing had happened. */
async function freezeRunner({ target, random, counts, thaws }: Havoc): Promise<void> {
  thaws.push(random.pick(target.runners).freeze(LEASE_MS + random.below(LEASE_MS)))
  counts.freezes.runner += 1
}

async function freezeServer({ target, random, counts, thaws }: Havoc): Promise<void> {
  thaws.push(random.pick(target.servers).freeze(500 + random.below(4_000)))
  counts.freezes.server += 1
}

async function strikeLine({ target: { network }, random, counts }: Havoc): Promise<void> {
  const fault = random.pick(LINE_FAULTS)
  network.strike(random.pick(network.lines), fault, 200 + random.below(2_000))
  counts.cuts[fault] = (counts.cuts[fault] ?? 0) + 1
}
