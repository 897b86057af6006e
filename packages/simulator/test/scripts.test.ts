import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSimulator } from '../src/index.ts'
import { loadScripts } from '../src/script/script-library.ts'
import { anthropicWire } from './wire-anthropic.ts'
import { openaiWire } from './wire-openai.ts'
import { ask, parseEvents, post, type Round, type WireAnswer } from './wire.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skein-scripts-'))
  await writeFile(join(folder, 'b.yaml'), 'name: second\nwhen: review\nsteps:\n  - say: b')
  await writeFile(join(folder, 'a.yml'), 'name: first\nwhen: review .* code\nsteps:\n  - say: "a: ${prompt}"')
  await writeFile(join(folder, 'notes.txt'), 'not a script')
})

afterAll(() => rm(folder, { recursive: true }))

describe('scripts in files', () => {
  test('are tried in the order of their names, before the default', async () => {
    const simulator = await startSimulator({ scripts: [folder] })
    const say = async (prompt: string): Promise<string> => (await ask(simulator, anthropicWire, prompt)).text
    expect(await say('Review my code')).toBe('a: Review my code')
    expect(await say('Review my text')).toBe('b')
    expect(await say('Build it')).toMatch(/^I am the simulator, not a real model/)
    await simulator.close()
  })

  test('may replace the default, by one without a condition', async () => {
    await writeFile(join(folder, 'z.yaml'), 'name: mine\nsteps:\n  - say: mine')
    const library = await loadScripts([folder])
    await rm(join(folder, 'z.yaml'))
    expect(library.fallback.name).toBe('mine')
    expect((await loadScripts([folder])).fallback.name).toBe('default')
  })

  test('with a mistake stop the start, and name the file', async () => {
    const file = join(folder, 'broken.yaml')
    await writeFile(file, '- say: a\n- sya: b')
    await expect(startSimulator({ scripts: [folder] })).rejects.toThrow(
      `Script ${file}, step 2: unknown key "sya"`,
    )
    await rm(file)
    await expect(startSimulator({ scripts: [join(folder, 'nowhere')] })).rejects.toThrow('ENOENT')
  })
})

describe.each([anthropicWire, openaiWire])('the default script over $name', (wire) => {
  async function play(resultOf: (tool: string) => string): Promise<{ calls: string[]; said: string[] }> {
    const simulator = await startSimulator()
    const rounds: Round[] = []
    do {
      const answer = await ask(simulator, wire, "Fix the user's bug\nsoon", rounds)
      rounds.push({ answer, results: answer.calls.map(({ name }) => resultOf(name)) })
    } while ((rounds.at(-1)?.answer.calls.length ?? 0) > 0)
    await simulator.close()
    return {
      calls: rounds.flatMap(({ answer }) =>
        answer.calls.map(({ name, input }) => `${name} ${JSON.stringify(input)}`),
      ),
      said: rounds.map(({ answer }) => answer.text).filter(Boolean),
    }
  }

  test('does a whole task, and completes every task of the checklist', async () => {
    const tasks = JSON.stringify({ tasks: [{ id: 'given' }, { id: 'mine' }] })
    const { calls, said } = await play((tool) => (tool.includes('list_tasks') ? tasks : '{"id":"mine"}'))
    expect(calls.map((call) => call.split(' ', 1)[0]?.replace(/^mcp__skein(?:__|\/)/, ''))).toEqual([
      'create_task',
      wire.name === 'anthropic' ? 'Bash' : 'exec_command',
      wire.name === 'anthropic' ? 'Bash' : 'exec_command',
      'list_tasks',
      'update_task',
      'update_task',
      'finish',
    ])
    expect(calls[1]).toContain(String.raw`'Fix the user'\\''s bug\nsoon' >> NOTES.md`)
    expect(calls[2]).toContain('git push --quiet --set-upstream origin HEAD')
    expect(calls[5]).toContain('{"id":"mine","status":"completed"}')
    expect(said.at(0)).toContain("Fix the user's bug")
    expect(said.at(-1)).toBe("Done. NOTES.md holds your request: Fix the user's bug")
  })

  test('ends with an example of the schema where one is asked for', async () => {
    const simulator = await startSimulator()
    const schema = { type: 'object', properties: { verdict: { enum: ['good'] } }, required: ['verdict'] }
    const asked =
      wire.name === 'anthropic'
        ? { tools: [{ name: 'StructuredOutput', input_schema: schema }] }
        : { text: { format: { type: 'json_schema', name: 'verdict', schema } } }
    const rounds: Round[] = []
    let answer: WireAnswer
    do {
      const body = wire.body('Is it good?', rounds, { stream: true, ...asked })
      answer = wire.readEvents(parseEvents(await (await post(simulator, wire, body)).text()))
      rounds.push({ answer, results: answer.calls.map(() => '{}') })
    } while (!rounds.some(({ answer: { text } }) => text.includes('Done.')))
    await simulator.close()
    const { text, calls } = answer
    const given: unknown = calls[0]?.input ?? JSON.parse(text.slice(text.indexOf('{')))
    expect(given).toEqual({ verdict: 'good' })
  })

  test('ends as well where our tools are not there', async () => {
    const { said } = await play(() => 'No such tool available')
    expect(said.at(-1)).toBe('All of my checklist is done.')
  })
})
