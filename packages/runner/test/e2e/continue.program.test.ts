import type { AgentId } from '@skein/contract'
import { inlineScript } from '@skein/simulator'
import { startTestServer } from '@skein/testkit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { BACKENDS } from './backends-under-test.ts'
import { RunnerWorld } from './runner-world.ts'

let world: RunnerWorld

beforeAll(async () => {
  world = await RunnerWorld.start()
  await world.useSandbox('process')
})

afterEach(() => world.stopRunners())
afterAll(() => world.close())

/** Continues the agent, which looks at its file and finishes again; answers with what the model was sent first. */
async function continueAndLook(agentId: AgentId, content: string): Promise<string> {
  const seen = world.simulator.requests.length
  const looked = (await toolOutputs(agentId)).length
  const { runCount } = await world.status(agentId)
  const script = inlineScript([
    { shell: 'cat notes.txt' },
    { tool: 'finish', input: { result: 'Looked.' } },
    { say: 'Bye.' },
  ])
  const answer = await world.admin.post('/v1/agent/spawn', {
    agentId,
    description: `What was it?\n\n${script}`,
    resume: true,
  })
  expect(answer.status).toBe(200)
  await world.waitUntil(
    'the end of the next life',
    async () => {
      const status = await world.status(agentId)
      return status.runCount !== runCount && status.phase === 'PHASE_COMPLETED'
    },
    90_000,
  )
  expect((await toolOutputs(agentId)).slice(looked).join('\n')).toContain(content)
  const request = world.simulator.requests.slice(seen).find(({ isSide }) => !isSide)
  return JSON.stringify(request?.body)
}

async function toolOutputs(agentId: AgentId): Promise<string[]> {
  return (await world.events(agentId, 'run.tool-called')).map(({ output }) => output)
}

test.each(BACKENDS)(
  'a finished agent of backend $backend is continued: immediately, after its runner is lost, after everything is restarted',
  async ({ backend, model }) => {
    const word = `kingfisher-${backend}`
    const content = `feathers-${backend}`
    const first = await world.startRunner()
    const script = inlineScript([
      { shell: `echo ${content} > notes.txt` },
      { tool: 'finish', input: { result: 'Noted.' } },
      { say: 'Bye.' },
    ])
    const agentId = await world.spawnWith(`bird-${backend}`, `The word is ${word}.\n\n${script}`, { model })
    await world.waitUntil(
      'the first end',
      async () => (await world.status(agentId)).phase === 'PHASE_COMPLETED',
      90_000,
    )
    expect(await continueAndLook(agentId, content)).toContain(word)

    // Its folder is gone with its host: conversation and file come from where they were saved.
    await first.kill()
    const second = await world.startRunner()
    expect(await continueAndLook(agentId, content)).toContain(word)

    await second.stop()
    const server = await startTestServer({ database: world.server.database, sweeps: true })
    try {
      await world.startRunner({ SKEIN_URL: await server.app.listen({ host: '127.0.0.1', port: 0 }) })
      expect(await continueAndLook(agentId, content)).toContain(word)
      const lives = await world.events(agentId, 'agent.spawned')
      expect(lives.map(({ resumed }) => resumed)).toEqual([false, true, true, true])
      await world.stopRunners()
    } finally {
      await server.close()
    }
  },
  300_000,
)
