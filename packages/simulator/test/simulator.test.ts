import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inlineScript, startSimulator, type Simulator } from '../src/index.ts'
import { anthropicWire } from './wire-anthropic.ts'
import { openaiWire } from './wire-openai.ts'
import { parseEvents, post, readUntil, type Wire } from './wire.ts'

let simulator: Simulator

beforeAll(async () => {
  simulator = await startSimulator()
})

afterAll(() => simulator.close())

describe.each([anthropicWire, openaiWire])('over $name', (wire) => {
  test('a script with a mistake is a bad request that names it', async () => {
    const prompt = '```simulate\n- say: a\n- shel: ls\n```'
    const response = await post(simulator, wire, wire.body(prompt))
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: {
        type: 'invalid_request_error',
        message: expect.stringMatching(
          /^Script in the prompt, step 2: unknown key "shel"; allowed are /,
        ) as string,
      },
    })
    const nowhere = await post(simulator, wire, wire.body(inlineScript([{ say: '${result.id}' }])))
    expect(await nowhere.json()).toMatchObject({
      error: {
        message: expect.stringMatching(
          /^Script in the prompt, step 1: \$\{result\.id\} was not found/,
        ) as string,
      },
    })
  })

  test.each(['{', '[]', '', '"text"'])('a body that is not an object is a bad request: %j', async (body) => {
    const response = await post(simulator, wire, {}, { body })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } })
  })

  test('an empty request still gets an answer', async () => {
    const response = await post(simulator, wire, {})
    expect(response.status).toBe(200)
    expect(wire.readBody(await response.json()).isComplete).toBe(true)
  })

  test('the path may have any prefix, and only takes POST', async () => {
    const answers = await Promise.all([
      post(
        { ...simulator, url: `${simulator.url}/gateway/run-1` },
        wire,
        wire.body(inlineScript([{ say: 'a' }])),
      ),
      fetch(simulator.url + wire.path),
      fetch(`${simulator.url}/v1/other`, { method: 'POST', body: '{}' }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 405, 404])
    await Promise.all(answers.map((answer) => answer.text()))
  })
})

test('the log shows who asked what, and which step answered', async () => {
  const own = await startSimulator({ now: () => 1_700_000_000_000, logLimit: 2 })
  const prompt = inlineScript([{ say: 'a' }])
  const askAs = async (wire: Wire, headers: Record<string, string>): Promise<void> => {
    await (await post(own, wire, wire.body(prompt), { headers })).text()
  }
  await askAs(anthropicWire, { 'x-api-key': 'forgotten' })
  await askAs(anthropicWire, { 'x-api-key': 'key-a' })
  await askAs(openaiWire, { authorization: 'Bearer key-b' })
  await expect.poll(() => own.requests.every(({ endedAt }) => endedAt)).toBe(true)
  expect(own.requests).toMatchObject([
    {
      protocol: 'anthropic',
      apiKey: 'key-a',
      model: 'claude-sonnet-5',
      path: '/v1/messages?beta=true',
      status: 200,
    },
    {
      protocol: 'openai',
      apiKey: 'key-b',
      model: 'gpt-5.5',
      script: 'in the prompt',
      step: 1,
      isSide: false,
    },
  ])
  expect(own.requests[0]).toMatchObject({ startedAt: 1_700_000_000_000, endedAt: 1_700_000_000_000 })
  await own.close()
})

test('a simulator that closes breaks what hangs, and its port is free again', async () => {
  const own = await startSimulator()
  const body = anthropicWire.body(inlineScript([{ say: 'wait', hang: true }]), [], { stream: true })
  const response = await post(own, anthropicWire, body)
  await readUntil(response, '"it"')
  await own.close()
  await expect(response.body?.getReader().read()).rejects.toThrow('terminated')
  const next = await startSimulator({ port: Number(new URL(own.url).port) })
  await next.close()
})

test('a port in use is an error, not a wait', async () => {
  await expect(startSimulator({ port: Number(new URL(simulator.url).port) })).rejects.toThrow('EADDRINUSE')
})

async function bytesOfSeed(): Promise<string> {
  let seed = 1
  const random = (): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
  const own = await startSimulator({ now: () => 0, random })
  const body = openaiWire.body(inlineScript([{ shell: 'ls' }]), [], { stream: true })
  const text = await (await post(own, openaiWire, body)).text()
  await own.close()
  return text
}

test('the same seed gives the same bytes', async () => {
  const first = await bytesOfSeed()
  expect(parseEvents(first)).not.toHaveLength(0)
  expect(await bytesOfSeed()).toBe(first)
})
