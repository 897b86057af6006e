import {
  listResources,
  spawnAgent,
  watchAgent,
  whoami,
  writeResource,
  type agentStatus,
  type AgentStatus,
  type OPERATIONS,
} from '@skein/contract'
import { describe, expectTypeOf, test } from 'vitest'
import { createTransport, type CallOptions, type SkeinApiError, type Transport } from '../src/index.ts'

const { call } = createTransport({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k' })
const params = { 'ref.kind': 'persona' }

/** Never called: that this file compiles is the test. */
const calls = {
  right: () => call(spawnAgent, { body: { description: 'x' } }),
  // @ts-expect-error -- the description is missing
  missingField: () => call(spawnAgent, { body: { agentId: { agent: ['a'] } } }),
  // @ts-expect-error -- a typo
  unknownField: () => call(spawnAgent, { body: { description: 'x', descripton: 'y' } }),
  // @ts-expect-error -- of the wrong type
  wrongField: () => call(spawnAgent, { body: { description: 7 } }),
  // @ts-expect-error -- without a body
  noBody: () => call(spawnAgent),
  // @ts-expect-error -- with a body where none belongs
  strayBody: () => call(whoami, { body: {} }),
  nothingToSay: () => call(whoami),
  // @ts-expect-error -- the name is missing
  missingParameter: () => call(writeResource, { params, body: {} }),
  optionalQuery: () => call(listResources, { params }),
  query: () => call(listResources, { params, query: { pageSize: 10 } }),
  // @ts-expect-error -- a page of such a size
  wrongQuery: () => call(listResources, { params, query: { pageSize: '10' } }),
  // @ts-expect-error -- answers with events
  stream: () => call(watchAgent, { body: { agentId: { agent: ['a'] } } }),
}

describe('a call is typed by its operation', () => {
  test('what it takes', () => {
    expectTypeOf<CallOptions<typeof spawnAgent>['body']>().toExtend<{ description: string }>()
    expectTypeOf(calls.right).returns.resolves.toHaveProperty('followUpId')
  })

  test('what it answers', () => {
    expectTypeOf(call<typeof agentStatus>).returns.resolves.toEqualTypeOf<AgentStatus>()
    expectTypeOf(calls.nothingToSay).returns.resolves.toHaveProperty('role')
  })

  test('the table of the contract holds nothing that it cannot take, streams apart', () => {
    type Callable = Exclude<(typeof OPERATIONS)[number], { readonly streams: true }>
    expectTypeOf<Callable>().toExtend<Parameters<Transport['call']>[0]>()
  })

  test('unknown reasons are allowed in addition to known ones', () => {
    expectTypeOf<'AGENT_NOT_FOUND'>().toExtend<SkeinApiError['reason']>()
    expectTypeOf<string>().toExtend<SkeinApiError['reason']>()
  })
})
