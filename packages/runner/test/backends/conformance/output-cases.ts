import { expect } from 'vitest'
import type { Capabilities } from '../../../src/backends/backend.ts'
import type { ConformanceCase } from './case.ts'

const needs = ({ structuredOutput }: Capabilities): boolean => structuredOutput !== 'none'

const outputSchema = {
  type: 'object',
  properties: { verdict: { type: 'string', enum: ['good', 'bad'] }, score: { type: 'integer' } },
  required: ['verdict', 'score'],
  additionalProperties: false,
}
const setup = { outputSchema }

export const outputCases: readonly ConformanceCase[] = [
  {
    name: 'an output that fits the schema is the result, in every turn of a process',
    isForEveryLevel: true,
    needs,
    run: async (bench) => {
      const agent = await bench.openAgent({ setup })
      for (const score of [1, 2]) {
        const { result } = await agent.run([{ shell: 'echo work' }, { output: { verdict: 'good', score } }])
        expect(result).toMatchObject({ status: 'completed', output: { verdict: 'good', score } })
      }
      expect(agent.startsOfProgram).toBe(1)
    },
  },
  {
    name: 'an output that does not fit is asked for again',
    needs,
    run: async (bench) => {
      const agent = await bench.openAgent({ setup })
      const { result } = await agent.run([
        { output: { verdict: 'so so', score: 1 } },
        { output: { verdict: 'bad', score: 2 } },
      ])
      expect(result).toMatchObject({ status: 'completed', output: { verdict: 'bad', score: 2 } })
    },
  },
  {
    name: 'an output that never matches fails the turn, without retrying forever',
    needs,
    run: async (bench) => {
      const agent = await bench.openAgent({ setup })
      const wrong = Array.from({ length: 12 }, (_, score) => ({ output: { verdict: 'so so', score } }))
      const { result } = await agent.run(wrong)
      expect(result).toMatchObject({ status: 'failed', error: { kind: 'output-invalid' } })
      expect(agent.requests().length).toBeLessThan(12)
    },
  },
  {
    name: 'an answer in words, where an output was asked for, is asked for again and then fails the turn',
    needs,
    run: async (bench) => {
      const agent = await bench.openAgent({ setup })
      const words = Array.from({ length: 12 }, () => ({ say: 'All good, I would say.' }))
      const { result } = await agent.run(words)
      expect(result).toMatchObject({ status: 'failed', error: { kind: 'output-invalid' } })
      expect(agent.requests().length).toBeGreaterThan(1)
      expect(agent.requests().length).toBeLessThan(12)
    },
  },
  {
    name: 'a turn without a schema has no output',
    needs,
    run: async (bench) => {
      const agent = await bench.openAgent()
      const { result } = await agent.run([{ say: '{"verdict":"good"}' }])
      expect(result).toMatchObject({ status: 'completed', text: '{"verdict":"good"}' })
      expect(result).toHaveProperty('output', undefined)
    },
  },
]
