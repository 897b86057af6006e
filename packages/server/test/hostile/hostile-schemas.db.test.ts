import { encodeBase64Text } from '@skein/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HostileWorld, list } from './hostile-world.ts'

let hostile: HostileWorld

beforeAll(async () => {
  hostile = await HostileWorld.start()
})

afterAll(() => hostile.close())

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

describe('no other tenant waits for an output schema', () => {
  test.each(Object.entries(SCHEMAS))('with %s', async (_what, outputSchema) => {
    const { world, agentId, member } = hostile
    // Each variant needs its own verdict.
    const salted = (salt: string) => `{"$comment":"${salt}",${outputSchema.slice(1)}`
    const payload = encodeBase64Text(JSON.stringify({ outputSchema: salted('persona') }))
    const answers = [
      await hostile.withstands(() => world.queue(agentId, { outputSchema: salted('message') }, member)),
      await hostile.withstands(() =>
        member.post('/v1/agent/spawn', { description: 'W', outputSchema: salted('spawn') }),
      ),
      await hostile.withstands(() => world.admin.post('/v1/catalog/persona/hostile', { payload })),
    ]
    const refusals = answers.filter(({ status }) => status === 400)
    for (const { text } of refusals) expect(text).toMatch(/output[sS]chema/)
  })

  test('and one that takes too long is refused, with the reason', async () => {
    const { world, agentId, member } = hostile
    const outputSchema = SCHEMAS['many names that depend on one']
    const answer = await hostile.withstands(() => world.queue(agentId, { outputSchema }, member))
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('takes too long to compile')
  })
})
