import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ErrorKind } from '../../src/backends/backend.ts'
import { codexSubject } from './codex-subject.ts'
import { Bench } from './conformance/bench.ts'
import { Stage } from './conformance/stage.ts'
import type { TestAgent } from './conformance/test-agent.ts'

let stage: Stage
beforeAll(async () => {
  stage = await Stage.open(codexSubject, 'process')
})
afterAll(() => stage.close())

let bench: Bench
beforeEach(() => {
  bench = new Bench(stage)
})
afterEach(() => bench.close())

function lastRequest(agent: TestAgent): string {
  return JSON.stringify(agent.requests().at(-1)?.body)
}

async function plantHostileFiles(workDir: string, command: string): Promise<void> {
  const files = codexSubject.dialect.hostileFiles(command, 'http://127.0.0.1:1')
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(workDir, path)), { recursive: true })
    await writeFile(join(workDir, path), text)
  }
}

describe('models that run tools from a script of their own', () => {
  const setup = { model: 'gpt-6.1-sol' }

  test('commands, files and tools of ours are reported one by one', async () => {
    const agent = await bench.openAgent({ setup })
    const { events, result } = await agent.run([
      { shell: 'echo one > one.txt; cat one.txt' },
      { write: { path: 'two.txt', text: 'two\n' } },
      { tool: 'note', input: { text: agent.id } },
      { say: 'All three.' },
    ])
    expect(result).toMatchObject({ status: 'completed', text: 'All three.' })
    const ended = events.filter((event) => event.type === 'tool-ended')
    expect(ended.map(({ tool }) => tool)).toEqual(['shell', 'apply_patch', 'mcp__skein__note'])
    expect(ended.map(({ isError }) => isError)).toEqual([false, false, false])
    expect(await agent.readFile('two.txt')).toBe('two\n')
    expect(stage.tools.calls).toContainEqual({ token: agent.toolsToken, text: agent.id })
  })

  test('an interrupt ends the command, and the next turn works', async () => {
    const agent = await bench.openAgent({ setup })
    const { turn, result } = agent.start([{ shell: 'touch started; tail -f /dev/null' }])
    await agent.waitForFile('started')
    await turn.interrupt()
    expect(await result).toMatchObject({ status: 'interrupted' })
    await agent.waitForNone('tail')
    expect(agent.program.isAlive).toBe(true)
    expect((await agent.run([{ say: 'Again.' }])).result).toMatchObject({
      status: 'completed',
      text: 'Again.',
    })
  })

  test('the model is not offered agents of its own', async () => {
    const agent = await bench.openAgent({ setup })
    await agent.run([{ say: 'Done.' }])
    expect(lastRequest(agent)).not.toContain('spawn_agent')
  })
})

describe('errors of the provider', () => {
  const cases: readonly [string, object, ErrorKind][] = [
    ['an account without money', { error: 429, code: 'insufficient_quota', message: 'No money.' }, 'quota'],
    [
      'a conversation that is too long, by a 400',
      { error: 400, code: 'context_length_exceeded', message: 'Too many tokens.' },
      'context-length',
    ],
    [
      'a model that is not there',
      { error: 404, code: 'model_not_found', message: 'No such model.' },
      'bad-request',
    ],
    ['a broken provider', { error: 500, message: 'Oops.' }, 'network'],
    ['an overloaded provider, in the stream', { error: 503, inStream: true, message: 'Busy.' }, 'overloaded'],
    ['too many requests, in the stream', { error: 429, inStream: true, message: 'Slow down.' }, 'rate-limit'],
  ]
  test.for(cases)('%s', async ([_name, step, kind]) => {
    const agent = await bench.openAgent()
    const { result } = await agent.run([{ ...step, times: 'always' }])
    expect(result).toMatchObject({ status: 'failed', error: { kind } })
    expect(agent.requests().length).toBeLessThan(10)
    expect(agent.program.isAlive).toBe(true)
  })

  test('a gateway that is gone fails the turn as "network" within seconds', async () => {
    const agent = await bench.openAgent({
      setup: { gateway: { url: 'http://127.0.0.1:1/v1', token: 'any' } },
    })
    const { result } = await agent.run([{ say: 'Never said.' }])
    expect(result).toMatchObject({ status: 'failed', error: { kind: 'network' } })
  }, 300_000)

  test('a provider that recovers after two failures costs only a notice', async () => {
    const agent = await bench.openAgent()
    const { events, result } = await agent.run([{ error: 529, times: 2 }, { say: 'Back again.' }])
    expect(result).toMatchObject({ status: 'completed', text: 'Back again.' })
    expect(events.filter(({ type }) => type === 'retrying')).toHaveLength(1)
  })

  test('a wait that the provider asks for is kept', async () => {
    const agent = await bench.openAgent()
    const { result } = await agent.run([
      { error: 429, headers: { 'retry-after': '1' } },
      { say: 'Back again.' },
    ])
    expect(result).toMatchObject({ status: 'completed', text: 'Back again.' })
  })

  test('a gateway that says the budget is spent fails the turn as "budget"', async () => {
    const body = JSON.stringify({ error: { message: 'The budget is spent.', type: 'budget', code: null } })
    let requests = 0
    const gateway = createServer((_request, response) => {
      requests += 1
      response.writeHead(402, { 'content-type': 'application/json' }).end(body)
    })
    await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = gateway.address() as AddressInfo
      const url = `http://127.0.0.1:${port}/v1`
      const agent = await bench.openAgent({ setup: { gateway: { url, token: 'any' } } })
      const { result } = await agent.run([{ say: 'Never said.' }])
      expect(result).toMatchObject({ status: 'failed', error: { kind: 'budget', httpStatus: 402 } })
      expect(requests).toBeLessThan(10)
    } finally {
      gateway.closeAllConnections()
      await new Promise((resolve) => gateway.close(resolve))
    }
  })
})

describe('the home of the program', () => {
  test('holds no secret, and the commands of an agent do not inherit one', async () => {
    const agent = await bench.openAgent()
    const { result } = await agent.run([{ shell: 'env -0 > env.txt' }, { say: 'Done.' }])
    expect(result.status).toBe('completed')
    const environment = await agent.readFile('env.txt')
    const config = await readFile(join(agent.stateDir, 'codex/config.toml'), 'utf8')
    for (const secret of [agent.gatewayToken, agent.toolsToken]) {
      expect(environment).not.toContain(secret)
      expect(config).not.toContain(secret)
    }
  })

  test('is recreated if an agent has put links to files of the host there', async () => {
    const agent = await bench.openAgent({
      prepare: async ({ stateDir, workDir }) => {
        await writeFile(join(workDir, 'precious.txt'), 'precious')
        await mkdir(join(stateDir, 'codex'), { recursive: true })
        await symlink(join(workDir, 'precious.txt'), join(stateDir, 'codex/config.toml'))
      },
    })
    expect((await agent.run([{ say: 'Done.' }])).result.status).toBe('completed')
    expect(await agent.readFile('precious.txt')).toBe('precious')
  })

  test('is recreated if an agent has put a link to a directory there', async () => {
    const agent = await bench.openAgent({
      prepare: async ({ stateDir, workDir }) => {
        await mkdir(stateDir, { recursive: true })
        await symlink(workDir, join(stateDir, 'codex'))
      },
    })
    expect((await agent.run([{ say: 'Done.' }])).result.status).toBe('completed')
    await expect(stat(join(agent.workDir, 'config.toml'))).rejects.toThrow('ENOENT')
  })

  test('does not keep what an agent has written into its settings', async () => {
    const agent = await bench.openAgent()
    const home = join(agent.stateDir, 'codex')
    const first = await agent.run([
      { shell: `touch ${home}/trap; echo 'model_provider = "other"' > ${home}/config.toml` },
      { say: 'Done.' },
    ])
    await agent.reopen({ session: first.result.session })
    const { result } = await agent.run([{ say: 'Again.' }])
    expect(result).toMatchObject({ status: 'completed', text: 'Again.' })
    await expect(stat(join(home, 'trap'))).rejects.toThrow('ENOENT')
  })

  test('the files of a repository say nothing to the model by themselves', async () => {
    const agent = await bench.openAgent({
      prepare: ({ workDir }) => plantHostileFiles(workDir, 'aconite'),
    })
    await agent.run([{ shell: 'echo worked' }, { say: 'Done.' }])
    expect(agent.requests()).toHaveLength(2)
    expect(lastRequest(agent)).not.toContain('aconite')
  })
})

describe('a hostile repository', () => {
  test.for(['a folder of it', 'a link to it'])('runs nothing when the agent works in %s', async (place) => {
    const agent = await bench.openAgent({
      prepare: ({ workDir }) => plantHostileFiles(workDir, `echo ran > ${workDir}/evidence`),
    })
    const workDir = place === 'a folder of it' ? join(agent.workDir, 'packages/one') : `${agent.workDir}-link`
    if (place === 'a folder of it') await mkdir(workDir, { recursive: true })
    else await symlink(agent.workDir, workDir)
    await agent.reopen({ workDir })
    const { result } = await agent.run([{ shell: 'echo worked' }, { say: 'Done.' }])
    expect(result).toMatchObject({ status: 'completed', text: 'Done.' })
    await agent.program.close()
    await expect(stat(join(agent.workDir, 'evidence'))).rejects.toThrow('ENOENT')
  })
})

describe('sessions', () => {
  test('instructions are sent once, even across processes, and again when they change back', async () => {
    const agent = await bench.openAgent({ setup: { instructions: 'Speak of heliotrope.' } })
    const countIn = (text: string): number => lastRequest(agent).split(text).length - 1
    let { session } = (await agent.run([{ say: 'Done.' }])).result
    for (const instructions of ['Speak of heliotrope.', 'Speak of larkspur.', 'Speak of heliotrope.']) {
      await agent.reopen({ session, instructions })
      session = (await agent.run([{ say: 'Done.' }])).result.session
    }
    expect(countIn('Speak of larkspur.')).toBe(1)
    expect(countIn('Speak of heliotrope.')).toBe(2)
  })

  test('a transcript that is damaged is reported as lost', async () => {
    const agent = await bench.openAgent()
    const { session } = (await agent.run([{ say: 'Done.' }])).result
    await agent.program.close()
    await writeFile(join(agent.stateDir, session?.transcript ?? ''), '{"not":"a transcript"\n')
    await agent.reopen({ session })
    const { result } = await agent.run([{ say: 'Never said.' }])
    expect(result).toMatchObject({ status: 'failed', error: { kind: 'session-lost' } })
  })

  test('a transcript whose last line was cut off is taken up', async () => {
    const agent = await bench.openAgent()
    const { session } = (await agent.run([{ say: 'Done.' }], { words: 'The word is heliotrope.' })).result
    await agent.program.close()
    const path = join(agent.stateDir, session?.transcript ?? '')
    await writeFile(path, (await readFile(path)).subarray(0, -20))
    await agent.reopen({ session })
    const { result } = await agent.run([{ say: 'Again.' }])
    expect(result).toMatchObject({ status: 'completed', text: 'Again.' })
    expect(lastRequest(agent)).toContain('heliotrope')
  })

  test('a session of another backend is reported as lost', async () => {
    const session = { backend: 'a', id: 'any', transcript: 'any' }
    const agent = await bench.openAgent({ setup: { session } })
    const { result } = await agent.run([{ say: 'Never said.' }])
    expect(result).toMatchObject({ status: 'failed', error: { kind: 'session-lost' } })
  })

  test('after an interrupt another process continues with everything that was done', async () => {
    const agent = await bench.openAgent()
    const { turn, result } = agent.start([
      { shell: 'echo heliotrope' },
      { shell: 'touch started; tail -f /dev/null' },
    ])
    await agent.waitForFile('started')
    await turn.interrupt()
    await agent.reopen({ session: (await result).session })
    expect((await agent.run([{ say: 'Again.' }])).result).toMatchObject({ status: 'completed' })
    expect(lastRequest(agent)).toContain('heliotrope')
  })
})

describe('settings', () => {
  test.for([{ effort: 'bogus' }, { tier: 'bogus' }, { outputSchema: { type: 'bogus' } }])(
    '%o is refused before anything is started',
    async (setup) => {
      const agent = await bench.openAgent({ setup })
      const { result } = await agent.run([{ say: 'Never said.' }])
      expect(result).toMatchObject({ status: 'failed', error: { kind: 'bad-request' } })
      expect(agent.startsOfProgram).toBe(0)
    },
  )

  const strict = {
    type: 'object',
    properties: { verdict: { type: 'string' } },
    required: ['verdict'],
    additionalProperties: false,
  }

  test('a schema that the provider can hold the model to is handed to it', async () => {
    const agent = await bench.openAgent({ setup: { outputSchema: strict } })
    await agent.run([{ output: { verdict: 'good' } }])
    expect(agent.requests()[0]?.body).toMatchObject({
      text: { format: { type: 'json_schema', strict: true, schema: strict } },
    })
  })

  test('any other schema is given to the model as text', async () => {
    const outputSchema = { ...strict, required: [] }
    const agent = await bench.openAgent({ setup: { outputSchema } })
    const { result } = await agent.run([{ output: {} }])
    expect(result).toMatchObject({ status: 'completed', output: {} })
    expect(agent.requests()[0]?.body).not.toHaveProperty('text.format')
    expect(lastRequest(agent)).toContain('JSON Schema')
  })
})

describe('turns', () => {
  test('a command that Codex calls dangerous is approved', async () => {
    const agent = await bench.openAgent()
    const { result } = await agent.run([
      { shell: 'mkdir -p gone; rm -rf gone; ls > list.txt' },
      { say: 'Done.' },
    ])
    expect(result.status).toBe('completed')
    expect(await agent.readFile('list.txt')).not.toContain('gone')
  })

  test('long outputs are cut in the middle', async () => {
    const agent = await bench.openAgent()
    const { events } = await agent.run([
      { shell: `node -e 'process.stdout.write("a".repeat(300000) + "the end")'` },
      { say: 'Done.' },
    ])
    const ended = events.find((event) => event.type === 'tool-ended')
    expect(ended?.output.length).toBeLessThan(66_000)
    expect(ended?.output).toContain('the end')
  })

  test('a long message arrives as a whole', async () => {
    const agent = await bench.openAgent()
    const text = 'Zwölf Boxkämpfer jagen Viktor. '.repeat(20_000)
    const { result } = await agent.run([{ say: text, chunks: 50 }])
    expect(result.text).toBe(text)
  })

  test('a program that was too slow is not used again', async () => {
    const agent = await bench.openAgent()
    const { result } = await agent.run([{ hang: true }], { limits: { idleMs: 2_000 } })
    expect(result).toMatchObject({ status: 'failed', error: { kind: 'timeout' } })
    expect(agent.program.isAlive).toBe(false)
    await agent.waitForNone()
  })

  test('a second turn in the same process starts much sooner than the first', async () => {
    const agent = await bench.openAgent()
    const times: number[] = []
    for (const say of ['One.', 'Two.', 'Three.', 'Four.']) {
      const startedAt = Date.now()
      await agent.run([{ say }])
      times.push((agent.requests().at(-1)?.startedAt ?? 0) - startedAt)
    }
    const [cold = 0, ...warm] = times
    console.log(`Codex, from the start of a turn to its request: cold ${cold} ms, warm ${warm.join(', ')} ms`)
    expect(Math.min(...warm)).toBeLessThan(cold)
  })
})
