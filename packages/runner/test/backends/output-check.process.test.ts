import { afterAll, describe, expect, test } from 'vitest'
import { OutputCheck, stopOutputChecks } from '../../src/backends/turn/output-check.ts'

const check = new OutputCheck({
  properties: { word: { type: 'string', pattern: '^(a+)+$' } },
  required: ['word'],
})

afterAll(stopOutputChecks)

describe('an answer', () => {
  test.each([
    ['bare', '{"word":"aa"}'],
    ['in a fence', '```\n{"word":"aa"}\n```'],
    ['in a fence that says what it is', ' \n```json \n\n{"word":"aa"}\n\n ```\n'],
  ])('that fits is taken %s', async (_how, text) => {
    expect(await check.checkText(text)).toEqual({ isValid: true, output: { word: 'aa' } })
  })

  test.each([
    ['', 'There is no answer.'],
    ['Here you are.', 'It is not JSON.'],
    ['{"word":1}', 'output/word must be string'],
    ['{}', "output must have required property 'word'"],
  ])('that does not match is explained: %j', async (text, problem) => {
    expect(await check.checkText(text)).toEqual({ isValid: false, problem })
  })

  test('that a pattern would take years to match is rejected quickly', async () => {
    const output = { word: `${'a'.repeat(60)}b` }
    await check.checkValue({})
    const before = process.threadCpuUsage()
    for (const verdict of [await check.checkValue(output), await check.checkText(JSON.stringify(output))]) {
      expect(verdict).toEqual({
        isValid: false,
        problem: expect.stringContaining('takes too long') as string,
      })
    }
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1000).toBeLessThan(100)
    expect(await check.checkValue({ word: 'aaa' })).toMatchObject({ isValid: true })
  })

  test.each(['```', '```\n```', `\`\`\`${'\n'.repeat(200_000)}x`, `${' '.repeat(200_000)}\`\`\`json \n`])(
    'that is only a code fence is not JSON',
    async (text) => {
      expect(await check.checkText(text)).toEqual({ isValid: false, problem: 'It is not JSON.' })
    },
  )
})

test('a schema of thousands of patterns is refused instead of compiled for seconds', async () => {
  const patternProperties = Object.fromEntries(
    Array.from({ length: 2_500 }, (_, index): [string, object] => [`^a${index}`, {}]),
  )
  expect(await new OutputCheck({ patternProperties }).findProblem()).toContain('too many patterns')
})

test('a schema that refers to itself refuses every answer', async () => {
  expect(await new OutputCheck({ $ref: '#' }).checkValue({})).toMatchObject({ isValid: false })
})
