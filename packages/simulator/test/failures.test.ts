import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  inlineScript,
  startSimulator,
  type LoggedRequest,
  type Simulator,
  type SimulatorStep,
} from '../src/index.ts'
import { anthropicWire } from './wire-anthropic.ts'
import { openaiWire } from './wire-openai.ts'
import { ask, post, readUntil } from './wire.ts'

let simulator: Simulator

beforeAll(async () => {
  simulator = await startSimulator()
})

afterAll(() => simulator.close())

function requestWith(text: string): LoggedRequest {
  const request = simulator.requests.findLast(({ body }) => JSON.stringify(body ?? null).includes(text))
  if (!request) throw new Error(`No request has ${text}`)
  return request
}

describe.each([anthropicWire, openaiWire])('over $name', (wire) => {
  test.each([400, 401, 403, 404, 413, 429, 500, 502, 503, 504, 529])(
    'an error %i has its status, envelope and headers, and comes once',
    async (status) => {
      const steps: SimulatorStep[] = [
        { error: status, message: 'As the script says.', headers: { 'retry-after': '7' } },
        { say: 'fine' },
      ]
      const prompt = `${status}\n${inlineScript(steps)}`
      const response = await post(simulator, wire, wire.body(prompt, [], { stream: true }))
      expect(response.status).toBe(status)
      expect(response.headers.get('retry-after')).toBe('7')
      expect(response.headers.get(wire.requestId)).toMatch(/^req_[0-9a-f]{20}$/)
      expect(await response.json()).toMatchObject({ error: { message: 'As the script says.' } })
      expect(await ask(simulator, wire, prompt)).toMatchObject({ text: 'fine' })
    },
  )

  test('failures repeat as often as the script says, even when the client says something in between', async () => {
    const prompt = `row\n${inlineScript([{ say: 'a', shell: 'ls' }, { error: 429, times: 2 }, { error: 529 }, { say: 'b' }])}`
    const answer = await ask(simulator, wire, prompt)
    const statuses: number[] = []
    for (const words of ['', '', 'go on', 'go on']) {
      const said = words === '' ? [] : [{ answer: { ...answer, text: '', calls: [] }, words }]
      const response = await post(simulator, wire, wire.body(prompt, [{ answer, results: ['x'] }, ...said]))
      statuses.push(response.status)
      await response.text()
    }
    expect(statuses).toEqual([429, 429, 529, 200])
  })

  test('another session with the same text fails again', async () => {
    const prompt = `again\n${inlineScript([{ error: 429 }, { say: 'ok' }])}`
    const status = async (session: string): Promise<number> => {
      const id = { metadata: { user_id: session }, prompt_cache_key: session }
      const response = await post(simulator, wire, wire.body(prompt, [], id))
      await response.text()
      return response.status
    }
    expect([await status('a'), await status('b'), await status('a'), await status('b')]).toEqual([
      429, 429, 200, 200,
    ])
  })

  test('an error that always comes never ends', async () => {
    const prompt = `always\n${inlineScript([{ error: 503, times: 'always' }, { say: 'never' }])}`
    for (const attempt of [1, 2, 3, 4]) {
      const response = await post(simulator, wire, wire.body(prompt))
      expect([attempt, response.status]).toEqual([attempt, 503])
      await response.text()
    }
  })

  test('an error may come in a stream that has begun', async () => {
    const prompt = `stream\n${inlineScript([{ say: 'half', error: 529, inStream: true, message: 'Too busy.' }, { say: 'ok' }])}`
    const answer = await ask(simulator, wire, prompt)
    expect(answer).toMatchObject({ text: 'half', isComplete: false, error: { message: 'Too busy.' } })
    expect(await ask(simulator, wire, prompt)).toMatchObject({ text: 'ok', isComplete: true })
  })

  test('an error may go by another name', async () => {
    const prompt = `quota\n${inlineScript([{ error: 429, code: 'insufficient_quota', message: 'No money.' }])}`
    const response = await post(simulator, wire, wire.body(prompt))
    expect(await response.json()).toMatchObject({
      error: { type: 'insufficient_quota', message: 'No money.' },
    })
  })

  test.each([true, false])(
    'a hanging model waits until the client goes away (stream: %s)',
    async (stream) => {
      const prompt = `hang ${wire.name} ${stream}\n${inlineScript([{ say: 'wait', hang: true }, { say: 'after' }])}`
      const leaving = new AbortController()
      const waiting = post(simulator, wire, wire.body(prompt, [], { stream }), { signal: leaving.signal })
      if (stream) await readUntil(await waiting, '"it"')
      const logged = await vi.waitFor(() => requestWith(`hang ${wire.name} ${stream}`), { timeout: 15_000 })
      expect(logged).toMatchObject({ endedAt: undefined, wasAborted: false, step: 1 })
      leaving.abort()
      await waiting.catch(() => undefined)
      const isOver = { wasAborted: true, endedAt: expect.any(Number) as number }
      await expect.poll(() => logged).toMatchObject(isOver)
      expect(await ask(simulator, wire, prompt)).toMatchObject({ text: 'after' })
    },
  )

  test.each([true, false])('a cut connection breaks off in the middle, once (stream: %s)', async (stream) => {
    const prompt = `cut ${stream}\n${inlineScript([{ say: 'half a sentence', cut: true }, { say: 'whole' }])}`
    const broken = post(simulator, wire, wire.body(prompt, [], { stream })).then((response) =>
      response.text(),
    )
    await expect(broken).rejects.toThrow(/terminated|fetch failed/)
    expect(await ask(simulator, wire, prompt)).toMatchObject({ text: 'whole', isComplete: true })
  })

  test('everything that was sent before the disconnect has arrived', async () => {
    const prompt = `arrived\n${inlineScript([{ say: 'half a sentence', cut: true }])}`
    const response = await post(simulator, wire, wire.body(prompt, [], { stream: true }))
    expect(await readUntil(response, 'tence')).toContain('half ')
    await response.body?.cancel().catch(() => undefined)
  })
})
