import { createServer } from 'node:http'
import { waitFor } from '@skein/testkit'
import { expect } from 'vitest'
import type { ConformanceCase } from './case.ts'

export const programCases: readonly ConformanceCase[] = [
  {
    name: 'a turn without our tools is not begun: nothing listens at their address',
    isForEveryLevel: true,
    run: async (bench) => {
      const url = `http://127.0.0.1:${await findClosedPort()}/tools`
      const agent = await bench.openAgent({ setup: { tools: [{ name: 'skein', url, token: 'any' }] } })
      const { result } = await agent.run([{ say: 'Never said.' }])
      expect(result).toMatchObject({ status: 'failed', error: { kind: 'tools-unavailable' } })
      expect(agent.requests()).toEqual([])
      expect(agent.program.isAlive).toBe(false)
    },
  },
  {
    name: 'a turn without our tools is not begun: they refuse the token',
    run: async (bench) => {
      const agent = await bench.openAgent({
        setup: { tools: [{ name: 'skein', url: bench.stage.toolsUrl, token: 'a-forgotten-token' }] },
      })
      const { result } = await agent.run([{ say: 'Never said.' }])
      expect(result).toMatchObject({ status: 'failed', error: { kind: 'tools-unavailable' } })
      expect(JSON.stringify(result)).not.toContain('a-forgotten-token')
      expect(agent.requests()).toEqual([])
    },
  },
  {
    name: 'an agent without tools of ours can work',
    run: async (bench) => {
      const agent = await bench.openAgent({ setup: { tools: [] } })
      const { result } = await agent.run([{ say: 'Done.' }])
      expect(result).toMatchObject({ status: 'completed', text: 'Done.' })
    },
  },
  {
    name: 'a program that crashes during a turn fails it as "crash" and leaves no process',
    isForEveryLevel: true,
    run: async (bench) => {
      const agent = await bench.openAgent()
      const { result } = agent.start([{ shell: 'touch started; tail -f /dev/null' }])
      await agent.waitForFile('started')
      for (const { pid } of agent.processesOf(bench.stage.subject.dialect.programName)) {
        process.kill(pid, 'SIGKILL')
      }
      const ended = await result
      expect(ended).toMatchObject({ status: 'failed', error: { kind: 'crash' } })
      expect(agent.program.isAlive).toBe(false)
      await agent.waitForNone()
      await agent.reopen({ session: ended.session })
      const next = await agent.run([{ say: 'Back again.' }])
      expect(next.result).toMatchObject({ status: 'completed', text: 'Back again.' })
    },
  },
  {
    name: 'a program that crashes between turns is noticed before the next one',
    run: async (bench) => {
      const agent = await bench.openAgent()
      await agent.run([{ say: 'Done.' }])
      for (const { pid } of agent.processesOf(bench.stage.subject.dialect.programName)) {
        process.kill(pid, 'SIGKILL')
      }
      await waitFor(() => !agent.program.isAlive, { what: 'the program to be known as gone' })
      const { result } = await agent.run([{ say: 'Never said.' }])
      expect(result).toMatchObject({ status: 'failed', error: { kind: 'crash' } })
    },
  },
  {
    name: 'a program that is not installed fails the turn with what to install',
    run: async (bench) => {
      const backend = bench.stage.subject.openBackend({ programPath: '/nowhere/to/be/found' })
      expect(await backend.probe()).toMatchObject({ isUsable: false })
      const agent = await bench.openAgent({ backend })
      const { result } = await agent.run([{ say: 'Never said.' }])
      expect(result).toMatchObject({ status: 'failed', error: { kind: 'program-missing' } })
      expect(JSON.stringify(result)).toContain('npm install')
      expect(agent.program.isAlive).toBe(false)
    },
  },
  {
    name: 'a program that is installed is found usable, with paths that exist',
    run: async (bench) => {
      const backend = bench.stage.subject.openBackend()
      expect(await backend.probe()).toMatchObject({
        isUsable: true,
        version: expect.stringMatching(/^\d/) as string,
      })
      expect(await backend.programPaths()).not.toEqual([])
    },
  },
]

/** It was open a moment ago, so nothing else uses it. */
async function findClosedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 1
}
