import type { Program, ProgramSetup, TurnError } from '../backend.ts'
import { OutputCheck } from '../turn/output-check.ts'
import type { ProgramProcess } from '../turn/program-process.ts'
import { SessionProgram } from '../turn/session-program.ts'
import { ClaudeConnection } from './claude-connection.ts'
import { ClaudeTurn } from './claude-turn.ts'
import type { ClaudeInstallation } from './installation.ts'
import { describeWithheld } from './program-environment.ts'
import { EFFORTS } from './program-options.ts'
import { OUTPUT_TOOL } from './message-events.ts'
import { placeSettings } from './settings-file.ts'
import { findTranscript } from './transcript.ts'

type LoadClaude = () => Promise<ClaudeInstallation>

/** Claude Code in a sandbox, with one conversation. */
export function startClaude(setup: ProgramSetup, load: LoadClaude): Program {
  const { outputSchema } = setup
  let warnings = describeWithheld(setup)
  return new SessionProgram<ClaudeConnection, ClaudeTurn>(setup, {
    name: 'Claude',
    output: outputSchema && { check: new OutputCheck(outputSchema), askAgain: askForOutputTool },
    open: (process, currentTurn) => open(setup, load, process, currentTurn),
    errorOfOpening: (cause) => ({ kind: 'crash', message: messageOf(cause) }),
    startTurn: (request, context) => {
      const turn = new ClaudeTurn(request, { setup, warnings }, context)
      warnings = []
      return turn
    },
  })
}

async function open(
  setup: ProgramSetup,
  load: LoadClaude,
  process: ProgramProcess,
  currentTurn: () => ClaudeTurn | undefined,
): Promise<ClaudeConnection | TurnError> {
  const problem = await findProblem(setup)
  if (problem) return problem
  let installation: ClaudeInstallation
  try {
    installation = await load()
  } catch (error) {
    return { kind: 'program-missing', message: messageOf(error) }
  }
  await placeSettings(setup.sandbox)
  // It may have been closed before it started.
  if (process.end) return process.end
  const connection: ClaudeConnection = new ClaudeConnection(installation, setup, async (message) =>
    currentTurn()?.notice(message, connection),
  )
  const { ended } = connection
  process.follow({ kill: () => connection.kill(), gone: ended, ended })
  try {
    return (await connection.getReady()) ?? connection
  } catch {
    // If the program has exited, its own reason is more specific than the SDK's.
    return ended
  }
}

/** Finds reasons not to start. */
async function findProblem({ effort, session, stateDir }: ProgramSetup): Promise<TurnError | undefined> {
  if (effort !== '' && !EFFORTS.some((known) => known === effort)) {
    return {
      kind: 'bad-request',
      message: `Claude does not support the effort "${effort}": choose ${EFFORTS.join(', ')}`,
    }
  }
  if (session && !(await findTranscript(stateDir, session.id))) {
    return { kind: 'session-lost', message: `Transcript of session ${session.id} not found` }
  }
  return undefined
}

function askForOutputTool(problem: string): string {
  return [
    `You must give your answer with the tool ${OUTPUT_TOOL}, and it must match the tool’s schema.`,
    problem,
    'Call it now with the corrected answer.',
  ].join('\n')
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
