import { encodeBase64Text } from '@skein/contract'
import type { TestAnswer, TestClient } from '@skein/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AgentWorld } from './agent-world.ts'
import { LongestTick } from './longest-tick.ts'

const MAX_TICK_MS = 100

let world: AgentWorld
let member: TestClient
let agentId: Awaited<ReturnType<AgentWorld['spawn']>>
let tick: LongestTick

beforeAll(async () => {
  world = await AgentWorld.start()
  member = await world.tenant.as('member', 'hostile')
  agentId = await world.spawn('attacked', {}, member)
  await world.spawn('warm-up', { outputSchema: '{}' }, member)
})
afterAll(() => world.close())
beforeEach(() => void (tick = new LongestTick()))
afterEach(() => tick.stop())

const list = (count: number, item: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => item(index)).join(',')

const SCHEMAS: Readonly<Record<string, string>> = {
  'thousands of patterns for names': `{"patternProperties":{${list(2_500, (index) => `"^abcdefg${index}":{}`)}}}`,
  'thousands of patterns': `{"allOf":[${list(2_500, (index) => `{"pattern":"a${index}"}`)}]}`,
  'a deep nesting': `${'{"not":'.repeat(5_000)}{}${'}'.repeat(5_000)}`,
  'a chain of references': `{"$defs":{${list(240, (index) => `"d${index}":{"$ref":"#/$defs/d${index + 1}"}`)},"d240":{}},"$ref":"#/$defs/d0"}`,
  'a ring of references': `{"$defs":{${list(400, (index) => `"d${index}":{"$ref":"#/$defs/d${(index + 1) % 400}"}`)}},"$ref":"#/$defs/d0"}`,
  'a long list': `{"enum":[${list(12_000, (index) => `${index}`)}]}`,
  'many names that depend on one': `{"dependentRequired":{"a":[${list(4_900, (index) => `"r${index}"`)}]}}`,
  'many lists': `{"properties":{${list(450, (index) => `"p${index}":{"minItems":1,"maxItems":2,"uniqueItems":true,"items":false,"contains":true}`)}}}`,
  'as many patterns as can be': `{"patternProperties":{${list(100, (index) => `"^a${index}":{"format":"email"}`)}}}`,
}

async function measure(attack: () => Promise<TestAnswer>): Promise<TestAnswer> {
  tick.takeMs()
  const answer = await attack()
  expect(answer.status).toBeLessThan(500)
  expect(tick.takeMs()).toBeLessThan(MAX_TICK_MS)
  return answer
}

describe('no other tenant waits for an output schema', () => {
  test.each(Object.entries(SCHEMAS))('with %s', async (_what, outputSchema) => {
    // Each way has a verdict of its own to find out.
    const salted = (salt: string) => `{"$comment":"${salt}",${outputSchema.slice(1)}`
    const payload = encodeBase64Text(JSON.stringify({ outputSchema: salted('persona') }))
    const answers = [
      await measure(() => world.queue(agentId, { outputSchema: salted('message') }, member)),
      await measure(() =>
        member.post('/v1/agent/spawn', { description: 'W', outputSchema: salted('spawn') }),
      ),
      await measure(() => world.admin.post('/v1/catalog/persona/hostile', { payload })),
    ]
    const refusals = answers.filter(({ status }) => status === 400)
    for (const { text } of refusals) expect(text).toMatch(/output[sS]chema/)
  })

  test('and one that takes too long is refused, with the reason', async () => {
    const outputSchema = SCHEMAS['many names that depend on one']
    const answer = await measure(() => world.queue(agentId, { outputSchema }, member))
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('takes too long to compile')
  })
})
