import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inlineScript, startSimulator, type Simulator, type SimulatorStep } from '../src/index.ts'
import { anthropicWire } from './wire-anthropic.ts'
import { openaiWire } from './wire-openai.ts'
import { ask, post, type Round, type Wire } from './wire.ts'

let simulator: Simulator

beforeAll(async () => {
  simulator = await startSimulator()
})

afterAll(() => simulator.close())

async function timeOf(wire: Wire, step: SimulatorStep): Promise<number> {
  const startedAt = performance.now()
  await ask(simulator, wire, inlineScript([step]))
  return performance.now() - startedAt
}

/** A conversation that fails first; returns what each of its requests got. */
async function playOne(wire: Wire, index: number): Promise<string[]> {
  const steps = [{ error: 529 }, { shell: `echo ${index}` }, { say: `end ${index}` }]
  const prompt = `agent ${index}\n${inlineScript(steps)}`
  const failed = await post(simulator, wire, wire.body(prompt))
  await failed.text()
  const answer = await ask(simulator, wire, prompt)
  const last = await ask(simulator, wire, prompt, [{ answer, results: ['x'] }])
  return [String(failed.status), JSON.stringify(answer.calls[0]?.input), last.text]
}

describe.each([anthropicWire, openaiWire])('over $name', (wire) => {
  test('a whole script is played, whichever simulator answers', async () => {
    const other = await startSimulator()
    const prompt = inlineScript([
      { say: 'I look around.', think: 'Where am I?', shell: 'ls' },
      { tool: 'list_tasks' },
      { tool: 'finish', input: { result: '${result.tasks.0.id} of ${results.list_tasks.tasks}' } },
      { say: 'Bye.' },
    ])
    const rounds: Round[] = []
    const play = async (from: Simulator, ...results: string[]) => {
      const answer = await ask(from, wire, prompt, rounds)
      rounds.push({ answer, results })
      return answer
    }
    const first = await play(simulator, 'README.md')
    expect(first).toMatchObject({ text: 'I look around.', thinking: 'Where am I?', isComplete: true })
    expect(first.calls).toHaveLength(1)
    const second = await play(other, '{"tasks":[{"id":"t-1"}]}')
    expect(second.calls[0]?.name).toMatch(/^mcp__skein(__|\/)list_tasks$/)
    const third = await play(simulator, 'Noted.')
    expect(third.calls[0]?.name).toMatch(/^mcp__skein(__|\/)finish$/)
    expect(third.calls[0]?.input).toEqual({ result: 't-1 of [{"id":"t-1"}]' })
    expect(await play(other)).toMatchObject({ text: 'Bye.', calls: [] })
    expect(await play(other)).toMatchObject({ text: 'Nothing more to do.', calls: [] })
    await other.close()
  })

  test('an answer without a stream says the same as one with it', async () => {
    const prompt = inlineScript([{ say: 'héllo 👩‍👩‍👧 wörld', think: 'hm', shell: 'ls -la', chunks: 7 }])
    const streamed = await ask(simulator, wire, prompt)
    const response = await post(simulator, wire, wire.body(prompt))
    expect(response.headers.get('content-type')).toBe('application/json')
    const whole = wire.readBody(await response.json())
    const withoutIds = ({ calls, ...rest }: typeof whole) => ({
      ...rest,
      calls: calls.map(({ name, input }) => ({ name, input })),
    })
    expect(withoutIds(whole)).toEqual(withoutIds(streamed))
    expect(whole.text).toBe('héllo 👩‍👩‍👧 wörld')
  })

  test('several calls are one answer, in whichever order their results come back', async () => {
    const prompt = inlineScript([
      { calls: [{ shell: 'a' }, { shell: 'b' }, { tool: 'list_tasks' }] },
      { say: 'end' },
    ])
    const answer = await ask(simulator, wire, prompt)
    expect(answer.calls).toHaveLength(3)
    expect(await ask(simulator, wire, prompt, [{ answer, results: ['1', '2', '3'] }])).toMatchObject({
      text: 'end',
    })
    const oneByOne = answer.calls.map((call, index) => ({
      answer: { ...answer, text: '', calls: [call] },
      results: [String(index)],
    }))
    expect(await ask(simulator, wire, prompt, oneByOne)).toMatchObject({ text: 'end' })
  })

  test('one call is made for each item of a list, or none', async () => {
    const prompt = inlineScript([
      { tool: 'list_tasks' },
      { say: 'All done.', tool: 'finish', each: '${result.tasks ?? []}', input: { id: '${item.id}' } },
    ])
    const answer = await ask(simulator, wire, prompt)
    const each = await ask(simulator, wire, prompt, [
      { answer, results: ['{"tasks":[{"id":"a"},{"id":"b"}]}'] },
    ])
    expect(each.calls.map(({ input }) => input)).toEqual([{ id: 'a' }, { id: 'b' }])
    const none = await ask(simulator, wire, prompt, [{ answer, results: ['no such tool'] }])
    expect(none).toMatchObject({ text: 'All done.', calls: [], isComplete: true })
  })

  test('time passes where the script says so', async () => {
    expect(await timeOf(wire, { say: 'a', delayMs: 120 })).toBeGreaterThan(110)
    expect(await timeOf(wire, { say: 'abcd', chunkMs: 40, chunks: 4 })).toBeGreaterThan(150)
  })

  test('headers of the script come with a good answer too', async () => {
    const headers = { 'X-RateLimit-Remaining': '3' }
    const response = await post(simulator, wire, wire.body(inlineScript([{ say: 'a', headers }])))
    expect(response.headers.get('x-ratelimit-remaining')).toBe('3')
    expect(response.headers.get(wire.requestId)).toMatch(/^req_/)
    await response.text()
  })

  test('concurrent conversations do not disturb each other', async () => {
    const all = await Promise.all(Array.from({ length: 40 }, (_, index) => playOne(wire, index)))
    for (const [index, [status, input, text]] of all.entries()) {
      expect([status, text]).toEqual(['529', `end ${index}`])
      expect(input).toContain(`echo ${index}`)
    }
  })
})
