import { cp, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import type { Capabilities } from '../../../src/backends/backend.ts'
import type { ConformanceCase } from './case.ts'

const needs = ({ canResume }: Capabilities): boolean => canResume

export const sessionCases: readonly ConformanceCase[] = [
  {
    name: 'a new process continues the session of an earlier one',
    isForEveryLevel: true,
    needs,
    run: async (bench) => {
      const agent = await bench.openAgent()
      const first = await agent.run([{ say: 'Noted.' }], { words: 'The word is heliotrope.' })
      await agent.reopen({ session: first.result.session })
      const second = await agent.run([{ say: 'Still here.' }])
      expect(second.result).toMatchObject({ status: 'completed', text: 'Still here.' })
      expect(second.result.session?.id).toBe(first.result.session?.id)
      expect(JSON.stringify(agent.requests().at(-1)?.body)).toContain('heliotrope')
      expect(agent.startsOfProgram).toBe(2)
    },
  },
  {
    name: 'another host continues a session with nothing but its transcript',
    isForEveryLevel: true,
    needs,
    run: async (bench) => {
      const here = await bench.openAgent()
      const first = await here.run([{ shell: 'echo made' }, { say: 'Noted.' }], {
        words: 'The word is heliotrope.',
      })
      const { session } = first.result
      await here.program.close()
      const transcript = session?.transcript ?? ''
      const there = await bench.openAgent({
        ...(session && { setup: { session } }),
        prepare: async ({ stateDir }) => {
          await mkdir(dirname(join(stateDir, transcript)), { recursive: true })
          await cp(join(here.stateDir, transcript), join(stateDir, transcript))
        },
      })
      const second = await there.run([{ say: 'Still here.' }])
      expect(second.result).toMatchObject({ status: 'completed', text: 'Still here.' })
      expect(JSON.stringify(there.requests().at(-1)?.body)).toContain('heliotrope')
      // The transcript that has to be saved now is the one with this turn in it.
      const third = await bench.openAgent({
        ...(second.result.session && { setup: { session: second.result.session } }),
        prepare: async ({ stateDir }) => {
          const path = second.result.session?.transcript ?? ''
          await mkdir(dirname(join(stateDir, path)), { recursive: true })
          await cp(join(there.stateDir, path), join(stateDir, path))
        },
      })
      await third.run([{ say: 'And here.' }])
      const asked = JSON.stringify(third.requests().at(-1)?.body)
      expect(asked).toContain('heliotrope')
      expect(asked).toContain('Still here.')
    },
  },
  {
    name: 'a session whose transcript is gone is reported as lost',
    needs,
    run: async (bench) => {
      const agent = await bench.openAgent({
        setup: {
          session: {
            backend: bench.stage.subject.openBackend().name,
            id: '01999999-0000-7000-8000-000000000000',
            transcript: 'gone.jsonl',
          },
        },
      })
      const { result } = await agent.run([{ say: 'Never said.' }])
      expect(result).toMatchObject({ status: 'failed', error: { kind: 'session-lost' } })
      expect(agent.requests()).toEqual([])
      expect(agent.program.isAlive).toBe(false)
    },
  },
]
