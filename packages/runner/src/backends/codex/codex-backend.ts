import type { Backend, Capabilities, Program, ProgramSetup, TurnError } from '../backend.ts'
import { OutputCheck } from '../turn/output-check.ts'
import { RefusedProgram } from '../turn/refused-program.ts'
import { startCodex } from './codex-program.ts'
import { findCodex, readCodexVersion } from './find-program.ts'
import { CODEX_NAME } from './open-thread.ts'
import { toStrictSchema } from './strict-schema.ts'

/** Codex passes on whatever it is given. */
const CAPABILITIES: Capabilities = {
  efforts: ['none', 'low', 'medium', 'high', 'xhigh', 'max'],
  tiers: ['standard', 'fast', 'flex'],
  hasFastMode: true,
  canSteer: true,
  canResume: true,
  structuredOutput: 'constrained',
}

export interface CodexOptions {
  /** The native program. Default: the one of the installed package. */
  readonly programPath?: string
}

/** OpenAI's Codex, through its app server. */
export function codexBackend({ programPath }: CodexOptions = {}): Backend {
  return {
    name: CODEX_NAME,
    capabilities: () => CAPABILITIES,

    probe: async () => {
      try {
        findCodex(programPath)
        const version = programPath === undefined ? readCodexVersion() : undefined
        return { isUsable: true, ...(version !== undefined && { version }) }
      } catch (error) {
        return { isUsable: false, reason: reasonOf(error) }
      }
    },

    programPaths: async () => {
      try {
        return [findCodex(programPath).root]
      } catch {
        // The first turn reports what is missing.
        return []
      }
    },

    open: (setup) => open(setup, programPath),
  }
}

function open(setup: ProgramSetup, programPath: string | undefined): Program {
  const problem = findSettingsProblem(setup)
  if (problem) return new RefusedProgram(problem)
  let program: string
  try {
    program = findCodex(programPath).program
  } catch (error) {
    return new RefusedProgram({ kind: 'program-missing', message: reasonOf(error) })
  }
  const { effort, outputSchema } = setup
  const strictSchema = outputSchema && toStrictSchema(outputSchema)
  const settings = { effort, outputSchema: strictSchema }
  const check = outputSchema && new OutputCheck(outputSchema)
  const output = check && { check, ...(!strictSchema && { told: outputSchema }) }
  return startCodex(setup, { program, settings, output })
}

function findSettingsProblem({ effort, tier, session }: ProgramSetup): TurnError | undefined {
  if (effort !== '' && !CAPABILITIES.efforts.includes(effort)) {
    return { kind: 'bad-request', message: `Codex does not support the effort "${effort}"` }
  }
  if (tier !== '' && !CAPABILITIES.tiers.includes(tier)) {
    return { kind: 'bad-request', message: `Codex does not support the tier "${tier}"` }
  }
  if (session && session.backend !== CODEX_NAME) {
    return { kind: 'session-lost', message: `Session ${session.id} belongs to backend ${session.backend}` }
  }
  return undefined
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
