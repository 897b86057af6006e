import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { agentFromJson, eventFromJson, replay, toJson } from '../../src/index.ts'
import { Choices } from './choices.ts'
import { checkInvariants } from './invariants.ts'
import { randomCommand } from './random-commands.ts'
import { World } from './world.ts'

/** Each run has another seed, so every change tries others. At night there are twenty times as many. */
const COMMANDS = Number(process.env['SKEIN_MODEL_COMMANDS'] ?? 10_000)
/** Far more than a starved machine needs. */
const LIMIT_MS = 270_000 * Math.ceil(COMMANDS / 50_000)
const PER_WORLD = 300
/** Small limits, so that they are met. */
const QUOTA = {
  liveAgents: 14,
  childrenPerAgent: 2,
  queuedFollowUpsPerAgent: 6,
  queuedBytesPerAgent: 100_000,
  queuedBytes: 20_000,
  tasksPerAgent: 8,
  taskBytesPerAgent: 100_000,
  schedules: 10,
  triggers: 10,
}

const given = process.env['SKEIN_MODEL_SEED']
const seed = given === undefined ? Math.trunc(Math.random() * 0x7fffffff) : Number(given)

test(
  'random commands on random trees never break a rule, and every timeline replays to its state',
  () => {
    const started = performance.now()
    const counts = { commands: 0, events: 0, agents: 0 }
    // A command is one number, so a failure shrinks to the few commands that matter.
    const commands = fc.array(fc.nat(), { minLength: 1, maxLength: 2 * PER_WORLD, size: 'max' })
    fc.assert(
      fc.property(commands, (numbers) => {
        const world = new World(checkInvariants)
        world.quota = QUOTA
        for (const number of numbers) randomCommand(world, new Choices(number))
        checkTimelines(world)
        counts.commands += numbers.length
        counts.agents += world.agents.size
        for (const events of world.timelines.values()) counts.events += events.length
      }),
      {
        seed,
        // Worlds differ in length: with half as many again, there are enough commands but for one time in 30,000.
        numRuns: Math.ceil((COMMANDS * 1.5) / PER_WORLD),
        unbiased: true,
        // Ends the search for a smaller failure, not the search for one: the count below would tell.
        interruptAfterTimeLimit: LIMIT_MS,
      },
    )
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(
      `agents against the rules: ${counts.commands} commands on ${counts.agents} agents made ${counts.events} events ` +
        `in ${seconds} s (SKEIN_MODEL_SEED=${seed})`,
    )
    expect(counts.commands).toBeGreaterThanOrEqual(COMMANDS)
  },
  2 * LIMIT_MS,
)

/** What is stored is exactly what the timeline makes of it, and neither loses anything on its way through JSON. */
function checkTimelines(world: World): void {
  for (const [path, events] of world.timelines) {
    const stored = world.agent(path)
    const recorded = events.map(({ event, ...place }) => ({
      ...place,
      event: eventFromJson(viaJson(toJson(event))),
    }))
    if (!isDeepStrictEqual(recorded, events)) throw new Error(`JSON changes an event of ${path}`)
    if (!isDeepStrictEqual(replay(recorded), stored))
      throw new Error(`The timeline of ${path} leads elsewhere`)
    if (!isDeepStrictEqual(agentFromJson(viaJson(toJson(stored))), stored))
      throw new Error(`JSON changes ${path}`)
  }
}

function viaJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
