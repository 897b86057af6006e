import { inlineScript } from '@skein/simulator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BACKENDS } from './backends-under-test.ts'
import { RunnerWorld } from './runner-world.ts'

let world: RunnerWorld

beforeAll(async () => {
  world = await RunnerWorld.start()
  await world.startRunner()
})

afterAll(() => world.close())

/** One call of the simulator uses exactly this. */
const usage = { input: 1000, cachedInput: 200, cacheWrite: 0, output: 40, reasoning: 0 }

/** What the simulator says when a script has nothing more to say: its default usage. */
const CLOSING = { input: 1250 }

/** Millionths of a dollar for one call, by the built-in prices: input, cached input, cache write, output. */
const PRICES = {
  a: { scripted: 1000 * 3 + 200 * 0.3 + 40 * 15, closing: 1000 * 3 + 200 * 0.3 + 50 * 3.75 + 40 * 15 },
  b: { scripted: 1000 * 1.25 + 200 * 0.125 + 40 * 10, closing: 1050 * 1.25 + 200 * 0.125 + 40 * 10 },
} as const

/** The model calls of one agent, without its descendants. */
function callsOf(name: string) {
  return world.simulator.requests.filter(
    ({ isSide, body }) => !isSide && JSON.stringify(body).includes(`You are the agent ${name}. `),
  )
}

describe.each(['process', 'bubblewrap'] as const)('in the sandbox %s', (sandbox) => {
  beforeAll(() => world.useSandbox(sandbox))

  test.each(BACKENDS)(
    'an agent of backend $backend goes through its whole life cycle',
    async ({ backend, model }) => {
      const price = PRICES[backend]
      const name = `life-${backend}-${sandbox}`
      const child = inlineScript([{ say: 'It is blue.', usage }])
      const agentId = await world.spawn(
        name,
        [
          { shell: 'echo "change by the agent" >> README.md', usage },
          { tool: 'list_tasks', usage },
          { tool: 'update_task', input: { id: 'edit', status: 'completed' }, usage },
          { shell: 'git add -A && git commit -qm "Change the readme" && git push -q -u origin HEAD', usage },
          { tool: 'spawn_child', input: { name: 'helper', task: `What colour?\n\n${child}`, model }, usage },
          { tool: 'wait_for_children', usage },
          { say: 'I wait for the helper.', usage },
        ],
        { model, tasks: [{ id: 'edit', subject: 'Edit the readme' }] },
      )
      // The child's answer wakes it; the simulator continues with what its prompt says, which is nothing more.
      const waiting = await world.settled(agentId)
      expect(waiting).toMatchObject({ phase: 'PHASE_WAITING', backend, model })
      const delivered = await world.events(agentId, 'follow-up.queued')
      expect(delivered.map(({ followUp }) => followUp.description).join()).toContain('It is blue.')

      await world.send(agentId, [
        { tool: 'ask_for_input', input: { question: 'Ship it?' }, usage },
        { say: 'I asked.', usage },
      ])
      await world.waitUntil(
        'the question',
        async () => (await world.status(agentId)).needsInput === 'Ship it?',
      )

      await world.send(agentId, [
        { shell: 'cat README.md', usage },
        { tool: 'finish', input: { result: 'Shipped.' }, usage },
        { say: 'Bye.', usage },
      ])
      await world.waitUntil('the end', async () => (await world.status(agentId)).phase === 'PHASE_COMPLETED')

      const status = await world.status(agentId)
      expect(status.lastMessage).toBe('Shipped.')
      expect(status.tasks).toMatchObject([{ id: 'edit', status: 'TASK_STATUS_COMPLETED' }])
      expect(await world.git('show', `skein/${name}:README.md`)).toContain('change by the agent')
      const [push] = await world.events(agentId, 'run.pushed')
      expect(push).toMatchObject({ ref: `refs/heads/skein/${name}`, files: ['README.md'] })
      const [diff] = await world.diffs(agentId)
      expect(diff).toMatchObject({
        branch: `skein/${name}`,
        commit: push?.commit,
        scope: 'branch',
        fileCount: 1,
      })

      const calls = callsOf(name)
      const scripted = calls.filter(({ step }) => step !== undefined).length
      const closing = calls.length - scripted
      expect(Number(status.inputTokens)).toBe(scripted * 1200 + closing * CLOSING.input)
      expect(Number(status.cachedInputTokens)).toBe(calls.length * 200)
      expect(Number(status.outputTokens)).toBe(calls.length * 40)
      const spent = scripted * price.scripted + closing * price.closing
      // Each report is rounded to a millionth of a dollar.
      expect(Math.abs(status.cost * 1_000_000 - spent)).toBeLessThan(calls.length)
      expect(status.treeCost).toBeGreaterThan(status.cost)
    },
  )
})

test.each(BACKENDS)(
  'each tool call of backend $backend is reported at its start and its end, whatever it prints and even if it fails',
  async ({ backend, model }) => {
    await world.useSandbox('process')
    const agentId = await world.spawn(
      `calls-${backend}`,
      [
        { shell: String.raw`printf 'before\000after'; printf '\355\240\200'` },
        { shell: 'echo broken; exit 3' },
        { say: 'Done.' },
      ],
      { model },
    )
    expect(await world.settled(agentId)).toMatchObject({
      phase: 'PHASE_WAITING',
      run: { endReason: 'rested' },
    })
    const started = await world.events(agentId, 'run.tool-started')
    const ended = await world.events(agentId, 'run.tool-called')
    expect(ended.map(({ failed }) => failed)).toEqual([false, true])
    expect(ended[0]?.output).toContain('before')
    expect(ended[1]?.output).toContain('broken')
    expect(started.map(({ callId }) => callId)).toEqual(ended.map(({ callId }) => callId))
    expect(new Set(started.map(({ callId }) => callId)).size).toBe(2)
    expect(started[1]?.input).toContain('echo broken')
  },
)
