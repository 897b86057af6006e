import { describe, expect, test } from 'vitest'
import { chooseModel } from '../../src/dev/choose-model.ts'

const NOTHING_WISHED = { real: false, simulate: false, json: false }
const KEY = { ANTHROPIC_API_KEY: 'sk-of-the-shell' }

function shell(env: Record<string, string>, answer?: string) {
  const questions: string[] = []
  const ask = async (question: string): Promise<string> => {
    questions.push(question)
    return answer ?? ''
  }
  return { env, canAsk: answer !== undefined, ask, questions }
}

describe('the model of skein dev', () => {
  test('without a provider key it is the simulator, and nobody is asked', async () => {
    const io = shell({}, 'y')
    const choice = await chooseModel(io, NOTHING_WISHED)
    expect(choice.isReal).toBe(false)
    expect(choice.notice).toMatch(/simulator.*costs nothing/)
    expect(io.questions).toEqual([])
  })

  test('a key from the shell is used only after confirming the cost', async () => {
    const io = shell(KEY, 'y')
    const choice = await chooseModel(io, NOTHING_WISHED)
    expect(choice.isReal).toBe(true)
    expect(choice.notice).toMatch(/Claude.*your ANTHROPIC_API_KEY.*cost real money/)
    expect(io.questions).toEqual([expect.stringMatching(/ANTHROPIC_API_KEY.*real money/)])
  })

  test.each(['', 'n', 'what?'])('the answer %j leaves the simulator', async (answer) => {
    expect(await chooseModel(shell(KEY, answer), NOTHING_WISHED)).toMatchObject({ isReal: false })
  })

  test('without a terminal the simulator is used, and it says how to use the key', async () => {
    const choice = await chooseModel(shell(KEY), NOTHING_WISHED)
    expect(choice.isReal).toBe(false)
    expect(choice.notice).toMatch(/ANTHROPIC_API_KEY is not used.*--real/)
    const io = shell(KEY, 'y')
    expect(await chooseModel(io, { ...NOTHING_WISHED, json: true })).toMatchObject({ isReal: false })
    expect(io.questions).toEqual([])
  })

  test('--simulate never uses the key, and --real always does; neither asks', async () => {
    const io = shell(
      { ...KEY, OPENAI_API_KEY: 'sk-other', OPENAI_BASE_URL: 'https://models.example.com/v1' },
      'y',
    )
    expect(await chooseModel(io, { ...NOTHING_WISHED, simulate: true })).toMatchObject({ isReal: false })
    expect(await chooseModel(io, { ...NOTHING_WISHED, real: true })).toEqual({
      isReal: true,
      notice:
        'Model: Claude and Codex at https://models.example.com/v1, paid with your ANTHROPIC_API_KEY and ' +
        'OPENAI_API_KEY. Runs cost real money.',
    })
    expect(io.questions).toEqual([])
  })

  test('--real without a key and --real with --simulate are refused', async () => {
    await expect(chooseModel(shell({}), { ...NOTHING_WISHED, real: true })).rejects.toThrow('--real needs')
    await expect(chooseModel(shell(KEY), { real: true, simulate: true, json: false })).rejects.toThrow(
      'cannot be combined',
    )
  })
})
