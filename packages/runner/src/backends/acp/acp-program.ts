import { setTimeout as pause } from 'node:timers/promises'
import type { Program, ProgramSetup, TurnError } from '../backend.ts'
import type { ProgramProcess } from '../turn/program-process.ts'
import { SessionProgram } from '../turn/session-program.ts'
import type { OutputRule } from '../turn/turn-course.ts'
import { errorOfAgent } from './acp-error.ts'
import { connectAgent, openSession, type AcpSession } from './acp-session.ts'
import { AcpTurn } from './acp-turn.ts'

const END_PATIENCE_MS = 1_000

export interface AcpLaunch {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly environment?: (setup: ProgramSetup) => Readonly<Record<string, string>>
  readonly output: OutputRule | undefined
}

/** An agent in a sandbox, with one session. */
export function startAgent(setup: ProgramSetup, launch: AcpLaunch): Program {
  return new SessionProgram<AcpSession, AcpTurn>(setup, {
    name: `The agent of backend ${launch.name}`,
    output: launch.output,
    open: (process, currentTurn) => open(setup, launch, process, currentTurn),
    errorOfOpening: errorOfAgent,
    startTurn: (request, context) => new AcpTurn(request, context),
  })
}

async function open(
  setup: ProgramSetup,
  { name, command, args, environment }: AcpLaunch,
  process: ProgramProcess,
  currentTurn: () => AcpTurn | undefined,
): Promise<AcpSession | TurnError> {
  if (process.end) return process.end
  const { sandbox, variables, workDir } = setup
  const env = { LANG: 'C.UTF-8', ...variables, ...environment?.(setup) }
  const child = process.start(sandbox, { program: command, args, env, workDir })
  const connection = connectAgent(child, (update) => currentTurn()?.notice(update))
  void process.ended.then(() => connection.close())
  void connection.closed.then(() => endDisconnected(process))
  try {
    return await openSession(connection, setup, name)
  } catch (error) {
    if (connection.signal.aborted) await endDisconnected(process)
    throw error
  }
}

/** A process that has exited reports why. One that only closed its output is of no more use. */
async function endDisconnected(process: ProgramProcess): Promise<void> {
  await Promise.race([process.ended, pause(END_PATIENCE_MS, undefined, { ref: false })])
  await process.abandon({ kind: 'protocol', message: 'The agent has closed its connection' })
}
