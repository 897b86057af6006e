import { describe, expect, test } from 'vitest'
import { agentFromJson, AgentChange, eventFromJson, evolve, replay, toJson } from '../../src/index.ts'
import { outcomeOf, pushOf, retryableFailure, taskOf } from './builders.ts'
import { worldIn } from './phases.ts'
import type { World } from './world.ts'

/** A life with a bit of everything in it. */
function eventful(): World {
  const world = worldIn('PHASE_RUNNING', { labels: { runId: '5', usage: 'much' }, maxCostMicros: 9n })
  const usage = { costMicros: 2n ** 60n, inputTokens: 3n, cachedInputTokens: 2n, outputTokens: 1n }
  world.progress('root', [pushOf('a.ts')], world.attempt('root'), usage)
  world.queue('root', { tasks: [taskOf('t')], override: { model: 'a-big' } })
  world.queue('root', { deliverAt: world.now + 5 })
  world.spawn('root/kid')
  world.end('root', retryableFailure())
  world.start('root')
  world.end('root', outcomeOf('rested'))
  world.start('root')
  world.now += 5
  return world
}

describe('a timeline', () => {
  test('that is replayed gives exactly the stored state', () => {
    const world = eventful()
    for (const [path, events] of world.timelines) expect(replay(events)).toStrictEqual(world.agent(path))
  })

  test('numbers its events from 1 without a gap, across all incarnations', () => {
    const world = eventful()
    world.kill('root')
    world.spawn('root')
    const sequences = world.timelines.get('root')?.map(({ sequence }) => sequence)
    expect(sequences).toEqual(sequences?.map((_sequence, index) => BigInt(index + 1)))
    expect(world.agent('root').sequence).toBe(sequences?.at(-1))
  })

  test('lists the branches that were pushed, the newest push first', () => {
    const world = worldIn('PHASE_RUNNING')
    const [first, second, third] = [
      { repo: 'shop', ref: 'one', commit: 'c1' },
      { repo: 'shop', ref: 'two', commit: 'c2' },
      { repo: 'shop', ref: 'one', commit: 'c3' },
    ]
    world.progress(
      'root',
      [first, second, third].map((branch) => ({ ...pushOf('a.ts'), ...branch })),
    )
    expect(world.agent('root').branches).toEqual([third, second])
    world.kill('root')
    world.spawn('root')
    expect(world.agent('root').branches).toBeUndefined()
  })

  test('keeps eight branches, however many are pushed', () => {
    const world = worldIn('PHASE_RUNNING')
    world.progress(
      'root',
      Array.from({ length: 20 }, (_, index) => ({ ...pushOf('a.ts'), ref: `b${index}` })),
    )
    expect(world.agent('root').branches).toHaveLength(8)
    expect(world.agent('root').branches?.[0]?.ref).toBe('b19')
  })

  test('without events leads nowhere', () => {
    expect(replay([])).toBeUndefined()
  })

  test('cannot begin before a spawn', () => {
    const event = { type: 'follow-up.cleared', followUpId: 'm' } as const
    expect(() => evolve(undefined, { sequence: 1n, at: 0, event })).toThrow('never spawned')
    expect(() => new AgentChange(undefined, 0).agent).toThrow('once it was spawned')
  })
})

describe('JSON', () => {
  test('carries an agent without loss', () => {
    const agent = eventful().agent('root')
    const json: unknown = JSON.parse(JSON.stringify(toJson(agent)))
    expect(json).toMatchObject({
      sequence: agent.sequence.toString(),
      usage: { costMicros: '1152921504606846976' },
      run: { runId: '2', usage: { outputTokens: '0' } },
      settings: { personaGeneration: '0' },
    })
    expect(agentFromJson(json)).toStrictEqual(agent)
  })

  test('carries every event without loss', () => {
    for (const event of eventful().events('root')) {
      expect(eventFromJson(JSON.parse(JSON.stringify(toJson(event))))).toStrictEqual(event)
    }
  })

  test('never takes for a number what a caller wrote', () => {
    const { labels } = agentFromJson(toJson(eventful().agent('root')))
    expect(labels).toEqual({ runId: '5', usage: 'much' })
  })

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['a list', []],
    ['an empty record', {}],
    ['a number that is none', { id: 'a', phase: '', sequence: 'many' }],
    ['a number as a float', { id: 'a', phase: '', sequence: 1 }],
    ['a run that is none', { id: 'a', phase: '', sequence: '1', run: 'fast' }],
  ])('that we did not write is refused: %s', (_what, json) => {
    expect(() => agentFromJson(json)).toThrow('not one that this service wrote')
    expect(() => eventFromJson(json)).toThrow('not one that this service wrote')
  })
})
