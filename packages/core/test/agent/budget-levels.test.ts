import { describe, expect, test } from 'vitest'
import {
  AgentChange,
  announceBudgets,
  evolve,
  type AgentState,
  type BudgetHolder,
  type Decision,
} from '../../src/index.ts'
import { worldIn } from './phases.ts'

const NOW = 1_750_000_000_000
const CENT = 10_000n

/** A running agent with a budget of one dollar. */
function capped(): AgentState {
  return { ...worldIn('PHASE_RUNNING').agent('root'), maxCostMicros: 100n * CENT }
}

function meter(agent: AgentState, cents: bigint): Decision<null> {
  const change = new AgentChange(agent, NOW)
  const usage = { costMicros: cents * CENT, inputTokens: 0n, cachedInputTokens: 0n, outputTokens: 0n }
  change.emit({ type: 'run.metered', runId: 1n, ...usage })
  return { answer: null, changes: [change] }
}

const levelsOf = ({ changes }: Decision<unknown>) =>
  changes.flatMap(({ events }) =>
    events.flatMap(({ event }) => (event.type === 'agent.budget-reached' ? [event.percent] : [])),
  )

/** Meters one amount after the other, and returns the level that each announced. */
function announced(agent: AgentState, ...amounts: bigint[]): number[][] {
  let state = agent
  let spentMicros = 0n
  return amounts.map((cents) => {
    const decision = announceBudgets(meter(state, cents), [{ agent: state, spentMicros }], NOW)
    spentMicros += cents * CENT
    state = decision.changes[0]?.agent ?? state
    return levelsOf(decision)
  })
}

describe('a budget', () => {
  test('is announced at 80 and at 100 %, once each', () => {
    expect(announced(capped(), 79n, 1n, 1n, 18n, 1n, 1n, 50n)).toEqual([[], [80], [], [], [100], [], []])
  })

  test('that is passed in one step is announced once, at 100 %', () => {
    expect(announced(capped(), 500n, 1n)).toEqual([[100], []])
  })

  test('that was changed starts over', () => {
    const reached = { ...capped(), budgetReached: 100 }
    const raised = evolve(reached, {
      sequence: reached.sequence + 1n,
      at: NOW,
      event: { type: 'agent.budget-changed', maxCostMicros: 200n * CENT },
    })
    expect(raised).not.toHaveProperty('budgetReached')
    expect(announced(raised, 160n, 1n)).toEqual([[80], []])
  })

  test('of an agent above is announced there, also if the command does not touch it otherwise', () => {
    const child = worldIn('PHASE_RUNNING').agent('root')
    const identity = { ...child.identity, path: ['root', 'child'] }
    const parent: BudgetHolder = { agent: { ...capped(), id: 'parent' }, spentMicros: 79n * CENT }
    const decision = announceBudgets(meter({ ...child, identity }, 2n), [parent], NOW)
    expect(decision.changes.map(({ agent }) => [agent.id, agent.budgetReached])).toEqual([
      [child.id, undefined],
      ['parent', 80],
    ])
  })

  test('that left no room for another call is used up; others are not', () => {
    const change = new AgentChange(capped(), NOW)
    change.emit({ type: 'run.ended', runId: 1n, reason: 'limit', message: '', output: '', limit: 'budget' })
    const rich = { ...capped(), maxCostMicros: 900n * CENT }
    const above = { ...rich, identity: { ...rich.identity, path: ['above'] } }
    const holders = [
      { agent: capped(), spentMicros: 99n * CENT },
      { agent: above, spentMicros: 99n * CENT },
    ]
    expect(levelsOf(announceBudgets({ answer: null, changes: [change] }, holders, NOW))).toEqual([100])
  })

  test('of an agent that has ended is not announced', () => {
    const ended = worldIn('PHASE_COMPLETED').agent('root')
    const holder = { agent: { ...ended, maxCostMicros: CENT }, spentMicros: CENT }
    expect(levelsOf(announceBudgets({ answer: null, changes: [] }, [holder], NOW))).toEqual([])
  })
})
