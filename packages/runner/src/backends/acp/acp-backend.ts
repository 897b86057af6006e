import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import type { Backend, Capabilities, Program, ProgramSetup, TurnError } from '../backend.ts'
import { OutputCheck } from '../turn/output-check.ts'
import { RefusedProgram } from '../turn/refused-program.ts'
import { startAgent } from './acp-program.ts'

/**
 * The same for every agent of this protocol. Model settings are up to the agent, it stores its sessions where only
 * it knows, and no schema can be passed to the provider.
 */
const CAPABILITIES: Capabilities = {
  efforts: [],
  tiers: [],
  hasFastMode: false,
  canSteer: false,
  canResume: false,
  structuredOutput: 'none',
}

export interface AcpOptions {
  /** The catalog's name for it. */
  readonly name: string
  /** Absolute path. */
  readonly command: string
  readonly args: readonly string[]
  /** Other paths the agent needs to see in the sandbox, besides its command. */
  readonly programPaths?: readonly string[]
  /** How the agent is told its model and the gateway: each agent has its own variables. */
  readonly environment?: (setup: ProgramSetup) => Readonly<Record<string, string>>
}

/** Any agent that speaks the Agent Client Protocol. */
export function acpBackend(options: AcpOptions): Backend {
  const findProblem = (): string | undefined => {
    if (!isAbsolute(options.command)) return `The command of backend ${options.name} must be an absolute path`
    if (!existsSync(options.command)) return `Program not found: ${options.command}. Install it there`
    return undefined
  }
  return {
    name: options.name,
    capabilities: () => CAPABILITIES,

    probe: async () => {
      const reason = findProblem()
      return reason === undefined ? { isUsable: true } : { isUsable: false, reason }
    },

    programPaths: async () =>
      findProblem() === undefined ? [options.command, ...(options.programPaths ?? [])] : [],

    open: (setup) => {
      const message = findProblem()
      const error: TurnError | undefined =
        message === undefined
          ? findSettingsProblem(setup, options.name)
          : { kind: 'program-missing', message }
      return error ? new RefusedProgram(error) : open(setup, options)
    },
  }
}

function open(setup: ProgramSetup, options: AcpOptions): Program {
  const { outputSchema } = setup
  const output = outputSchema && { check: new OutputCheck(outputSchema), told: outputSchema }
  return startAgent(setup, { ...options, output })
}

function findSettingsProblem(
  { effort, tier, fastMode, session }: ProgramSetup,
  name: string,
): TurnError | undefined {
  if (effort !== '' || tier !== '' || fastMode) {
    return { kind: 'bad-request', message: `Backend ${name} does not support effort, tier or fast mode` }
  }
  if (session) return { kind: 'session-lost', message: `Backend ${name} cannot resume session ${session.id}` }
  return undefined
}
