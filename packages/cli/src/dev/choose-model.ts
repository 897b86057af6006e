import { confirm } from '../ask.ts'
import { setting, type Environment } from '../profile/environment.ts'
import type { Io } from '../io.ts'
import { UsageError } from '../command-line/usage-error.ts'

const PROVIDERS = [
  { variable: 'ANTHROPIC_API_KEY', urlVariable: 'ANTHROPIC_BASE_URL', model: 'Claude' },
  { variable: 'OPENAI_API_KEY', urlVariable: 'OPENAI_BASE_URL', model: 'Codex' },
] as const

type Provider = (typeof PROVIDERS)[number]

/** Which model answers, and the line that says so. */
export interface ModelChoice {
  readonly isReal: boolean
  readonly notice: string
}

export const NO_MODEL: ModelChoice = { isReal: false, notice: 'Model: none, because no runner was started.' }

export interface ModelWishes {
  readonly real: boolean
  readonly simulate: boolean
  /** Started by a program, so nobody can be asked. */
  readonly json: boolean
}

/** A key that happens to be in the shell is used only after confirmation, because it costs money. */
export async function chooseModel(
  io: Pick<Io, 'env' | 'canAsk' | 'ask'>,
  { real, simulate, json }: ModelWishes,
): Promise<ModelChoice> {
  const found = PROVIDERS.filter(({ variable }) => setting(io.env, variable) !== undefined)
  const keys = found.map(({ variable }) => variable).join(' and ')
  if (real && simulate) throw new UsageError('--real and --simulate cannot be combined.', 'Use one of them.')
  if (real && found.length === 0) {
    throw new UsageError(
      '--real needs a provider key.',
      `Set ${PROVIDERS.map(({ variable }) => variable).join(' or ')}.`,
    )
  }
  if (found.length === 0) return simulated('It costs nothing. For a real model, set a provider key.')
  if (simulate) return simulated(`It costs nothing; ${keys} is not used.`)
  if (real) return paid(io.env, found)
  const question = `${keys} is set in this shell. Use ${describe(io.env, found)}? This costs real money.`
  if (!json && io.canAsk && (await confirm(io, question))) return paid(io.env, found)
  return simulated(`It costs nothing; ${keys} is not used. To use it, add --real.`)
}

function simulated(explanation: string): ModelChoice {
  return { isReal: false, notice: `Model: the simulator, which follows a script. ${explanation}` }
}

function paid(env: Environment, found: readonly Provider[]): ModelChoice {
  const keys = found.map(({ variable }) => variable).join(' and ')
  return {
    isReal: true,
    notice: `Model: ${describe(env, found)}, paid with your ${keys}. Runs cost real money.`,
  }
}

function describe(env: Environment, found: readonly Provider[]): string {
  const names = found.map(({ model, urlVariable }) => {
    const url = setting(env, urlVariable)
    return url === undefined ? model : `${model} at ${url}`
  })
  return names.join(' and ')
}
