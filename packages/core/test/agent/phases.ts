import type { Phase } from '@skein/contract'
import type { SpawnAgent } from '../../src/index.ts'
import { outcomeOf } from './builders.ts'
import { World } from './world.ts'

export type Reached = Exclude<Phase, 'PHASE_UNSPECIFIED'>
export const LIVE: readonly Reached[] = ['PHASE_PENDING', 'PHASE_RUNNING', 'PHASE_WAITING']
export const TERMINAL: readonly Reached[] = ['PHASE_COMPLETED', 'PHASE_FAILED', 'PHASE_CANCELED']

/** A world whose agent `root` is in the phase. */
export function worldIn(phase: Reached, facts: Partial<SpawnAgent> = {}): World {
  const world = new World()
  world.spawn('root', facts)
  bring(world, 'root', phase)
  return world
}

/** Takes an agent that was just spawned to a phase. */
export function bring(world: World, path: string, phase: Reached): void {
  if (phase === 'PHASE_PENDING') return
  if (phase === 'PHASE_CANCELED') return world.kill(path)
  world.start(path)
  if (phase === 'PHASE_WAITING') world.end(path, outcomeOf('rested'))
  if (phase === 'PHASE_COMPLETED') world.end(path, outcomeOf('finished'))
  if (phase === 'PHASE_FAILED') world.end(path, outcomeOf('failed'))
}
