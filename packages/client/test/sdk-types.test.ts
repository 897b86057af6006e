import type * as contract from '@skein/contract'
import { describe, expectTypeOf, test } from 'vitest'
import {
  Skein,
  type Agent,
  type AgentEntry,
  type AgentId,
  type AgentStatus,
  type AuditEntry,
  type Identity,
  type QueueFollowUpRequest,
  type Resource,
  type SpawnAgentRequest,
  type SpawnedAgent,
  type Task,
  type TimelineEvent,
  type WaitReason,
} from '../src/index.ts'

const skein = new Skein({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k' })
const agent: Agent = skein.agent('w/a')

/** Never called: that this file compiles is the test. */
const calls = {
  spawn: () => skein.spawn({ description: 'x', workspace: 'w', name: 'n', maxCost: 1, agent: undefined }),
  // @ts-expect-error -- the description is missing
  noDescription: () => skein.spawn({ workspace: 'w' }),
  // @ts-expect-error -- a typo
  unknownField: () => skein.spawn({ description: 'x', modle: 'y' }),
  // @ts-expect-error -- a child has its parent's workspace
  childElsewhere: () => agent.spawn({ description: 'x', workspace: 'w' }),
  // @ts-expect-error -- no such phase
  unknownPhase: () => skein.agents({ phases: ['PHASE_ASLEEP'] }),
  // @ts-expect-error -- a patch names its fields
  patchWithoutMask: () => skein.catalog.patch('persona', 'x', {}, {}),
  // @ts-expect-error -- not a mode
  unknownMode: () => agent.stop({ mode: 'GENTLY' }),
  reference: () => [skein.agent('w/a'), skein.agent(agent), skein.agent(agent.id)],
}

describe('the SDK is typed', () => {
  test('what its methods answer', () => {
    expectTypeOf(skein.whoami).returns.resolves.toEqualTypeOf<Identity>()
    expectTypeOf(calls.spawn).returns.resolves.toEqualTypeOf<SpawnedAgent>()
    expectTypeOf<SpawnedAgent>().toExtend<Agent>()
    expectTypeOf<SpawnedAgent['id']>().toEqualTypeOf<AgentId>()
    expectTypeOf(agent.status).returns.resolves.toEqualTypeOf<AgentStatus>()
    expectTypeOf(agent.wait).returns.resolves.toEqualTypeOf<{
      readonly reason: WaitReason
      readonly status: AgentStatus
    }>()
    expectTypeOf(agent.createTasks).returns.resolves.toEqualTypeOf<readonly Task[]>()
    expectTypeOf(skein.catalog.get).returns.resolves.toEqualTypeOf<Resource>()
  })

  test('what its loops give', () => {
    expectTypeOf(agent.watch).returns.toExtend<AsyncIterable<TimelineEvent>>()
    expectTypeOf(agent.timeline).returns.toExtend<AsyncIterable<TimelineEvent>>()
    expectTypeOf(skein.agents).returns.toExtend<AsyncIterable<AgentEntry>>()
    expectTypeOf(skein.watchAgents).returns.toExtend<AsyncIterable<AgentEntry>>()
    expectTypeOf(skein.audit).returns.toExtend<AsyncIterable<AuditEntry>>()
    expectTypeOf(skein.catalog.list).returns.toExtend<AsyncIterable<Resource>>()
  })

  test('an event by its type', () => {
    expectTypeOf<Extract<TimelineEvent, { type: 'run.message' }>['text']>().toBeString()
    expectTypeOf<TimelineEvent['type']>().toEqualTypeOf<contract.EventType>()
  })
})

describe('the generated types are the contract’s', () => {
  test('what the service answers is what the SDK promises', () => {
    expectTypeOf<contract.AgentStatus>().toExtend<AgentStatus>()
    expectTypeOf<contract.AgentEntry>().toExtend<AgentEntry>()
    expectTypeOf<contract.TimelineEvent>().toExtend<TimelineEvent>()
    expectTypeOf<contract.AuditEntry>().toExtend<AuditEntry>()
    expectTypeOf<contract.Identity>().toExtend<Identity>()
    expectTypeOf<keyof contract.AgentStatus>().toEqualTypeOf<keyof AgentStatus>()
  })

  test('the SDK accepts what the service accepts', () => {
    expectTypeOf<contract.SpawnAgentRequest>().toExtend<SpawnAgentRequest>()
    expectTypeOf<keyof contract.SpawnAgentRequest>().toEqualTypeOf<keyof SpawnAgentRequest>()
    expectTypeOf<keyof contract.QueueFollowUpRequest>().toEqualTypeOf<keyof QueueFollowUpRequest>()
  })
})
