import { setTimeout as pause } from 'node:timers/promises'
import { waitFor } from '@skein/testkit'
import { expect } from 'vitest'
import { LIMIT_PATIENCE_MS, type TurnResult } from '../../../src/backends/backend.ts'
import type { ConformanceCase } from './case.ts'
import type { TestAgent } from './test-agent.ts'

/** Runs until it is ended; the program's own rules against long sleeps do not know it. */
const ENDLESS = { shell: 'touch started; tail -f /dev/null' }

const cases: readonly ConformanceCase[] = [
  {
    name: 'an interrupt while the model speaks ends the turn, and the next one works',
    isForEveryLevel: true,
    run: async (bench) => {
      const agent = await bench.openAgent()
      const { turn, result } = agent.start([{ say: 'Let me think about', hang: true }])
      await waitFor(() => agent.requests().length === 1, { what: 'the request', timeoutMs: 20_000 })
      await turn.interrupt()
      const ended = await result
      expect(ended).toMatchObject({ status: 'interrupted' })
      expect(ended.session?.id).toBeTruthy()
      await waitFor(() => agent.requests()[0]?.wasAborted, { what: 'the end of the request' })
      await expectNextTurn(agent, ended)
    },
  },
  {
    name: 'an interrupt while a command runs ends the command, and the next turn works',
    isForEveryLevel: true,
    run: async (bench) => {
      const agent = await bench.openAgent()
      const { turn, result } = agent.start([ENDLESS])
      await agent.waitForFile('started')
      await turn.interrupt()
      const ended = await result
      expect(ended).toMatchObject({ status: 'interrupted' })
      expect(ended.session?.id).toBeTruthy()
      await agent.waitForNone('tail')
      await expectNextTurn(agent, ended)
    },
  },
  {
    name: 'an interrupt before the program is up ends the turn',
    run: async (bench) => {
      const agent = await bench.openAgent()
      const { turn, result } = agent.start([ENDLESS])
      await turn.interrupt()
      expect(await result).toMatchObject({ status: 'interrupted' })
      await agent.program.close()
      expect(agent.processes()).toEqual([])
    },
  },
  {
    name: 'a program that ignores an interrupt keeps running until it is killed',
    isForEveryLevel: true,
    run: async (bench) => {
      const agent = await bench.openAgent()
      const { turn, result } = agent.start([ENDLESS])
      await freeze(bench, agent)
      await turn.interrupt()
      expect(await Promise.race([result, pause(3 * LIMIT_PATIENCE_MS, 'still running')])).toBe(
        'still running',
      )
      await agent.program.close()
      expect(await result).toMatchObject({ status: 'killed' })
      await agent.waitForNone()
    },
  },
  {
    name: 'a program that does not heed an interrupt is ended by force at its time limit',
    run: async (bench) => {
      const agent = await bench.openAgent()
      const { turn, result } = agent.start([ENDLESS], { limits: { wallMs: 15_000 } })
      await freeze(bench, agent)
      await turn.interrupt()
      const ended = await result
      expect(ended).toMatchObject({ status: 'interrupted' })
      expect(agent.program.isAlive).toBe(false)
      await agent.waitForNone()
      await expectNextTurn(agent, ended)
    },
  },
  {
    name: 'closing the program while a command runs ends the turn as killed, with every process, immediately',
    isForEveryLevel: true,
    run: async (bench) => {
      const agent = await bench.openAgent()
      const { result } = agent.start([{ shell: `(setsid tail -f /dev/null &); ${ENDLESS.shell}` }])
      await agent.waitForFile('started')
      const closedAt = performance.now()
      await agent.program.close()
      expect(await result).toMatchObject({ status: 'killed' })
      expect(performance.now() - closedAt).toBeLessThan(5_000)
      expect(agent.processes()).toEqual([])
      expect(agent.program.isAlive).toBe(false)
    },
  },
  {
    name: 'closing the program before it is up ends the turn as killed',
    run: async (bench) => {
      const agent = await bench.openAgent()
      const { result } = agent.start([ENDLESS])
      await agent.program.close()
      expect(await result).toMatchObject({ status: 'killed' })
      expect(agent.processes()).toEqual([])
    },
  },
  {
    name: 'closing the program between turns leaves no process, and twice does no harm',
    run: async (bench) => {
      const agent = await bench.openAgent()
      await agent.run([{ say: 'Done.' }])
      expect(agent.processes()).not.toEqual([])
      await Promise.all([agent.program.close(), agent.program.close()])
      expect(agent.processes()).toEqual([])
      const { result } = await agent.run([{ say: 'Never said.' }])
      expect(result).toMatchObject({ status: 'killed' })
    },
  },
  {
    name: 'messages to a running agent reaches the model before the turn ends',
    isForEveryLevel: true,
    needs: ({ canSteer }) => canSteer,
    run: async (bench) => {
      const agent = await bench.openAgent()
      const { turn, result } = agent.start([
        { shell: 'touch started; until [ -e go ]; do :; done' },
        { say: 'I see.' },
        { say: 'I see more.' },
      ])
      await agent.waitForFile('started')
      expect(await turn.steer('Also look at heliotrope.')).toBe(true)
      await agent.touchFile('go')
      expect(await result).toMatchObject({ status: 'completed' })
      expect(JSON.stringify(agent.requests().at(-1)?.body)).toContain('Also look at heliotrope.')
      expect(agent.program.isAlive).toBe(true)
      await expectNextTurn(agent, await result)
    },
  },
  {
    name: 'what is said after the end of a turn is refused',
    needs: ({ canSteer }) => canSteer,
    run: async (bench) => {
      const agent = await bench.openAgent()
      const { turn, result } = agent.start([{ say: 'Done.' }])
      await result
      expect(await turn.steer('Too late.')).toBe(false)
      await turn.interrupt()
      expect(await agent.run([{ say: 'Next.' }])).toMatchObject({
        result: { status: 'completed', text: 'Next.' },
      })
      expect(JSON.stringify(agent.requests().at(-1)?.body)).not.toContain('Too late.')
    },
  },
]

export const endingCases = cases.map((each) => ({ ...each, isAlone: true }))

/** From then on the program hears nothing. */
async function freeze(bench: Parameters<ConformanceCase['run']>[0], agent: TestAgent): Promise<void> {
  await agent.waitForFile('started')
  for (const { pid } of agent.processesOf(bench.stage.subject.dialect.programName)) {
    process.kill(pid, 'SIGSTOP')
  }
}

/** In the same process if it is still usable, and otherwise as a runner would continue. */
async function expectNextTurn(agent: TestAgent, before: TurnResult): Promise<void> {
  if (!agent.program.isAlive) await agent.reopen({ session: before.session })
  const { result } = await agent.run([{ shell: 'echo again > again.txt' }, { say: 'Again.' }])
  expect(result).toMatchObject({ status: 'completed', text: 'Again.' })
  expect(result.session?.id).toBe(before.session?.id)
  expect(await agent.readFile('again.txt')).toBe('again\n')
}
