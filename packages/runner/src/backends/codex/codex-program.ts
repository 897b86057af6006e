import type { Program, ProgramSetup, TurnError } from '../backend.ts'
import type { ProgramProcess } from '../turn/program-process.ts'
import { SessionProgram } from '../turn/session-program.ts'
import type { OutputRule } from '../turn/turn-course.ts'
import { answerRequest } from './approvals.ts'
import { AUTHORITIES_VARIABLE, NO_AUTHORITY, trustsNobody } from './authorities.ts'
import { authoritiesPath, hasTranscript, prepareHome } from './codex-home.ts'
import { CodexTurn, type CodexThread, type CodexTurnSettings } from './codex-turn.ts'
import { makeConfig } from './config.ts'
import { makeEnvironment } from './environment.ts'
import { errorOfOpening } from './errors.ts'
import { JsonRpcClient } from './json-rpc.ts'
import { openThread } from './open-thread.ts'
import { Addressed } from './wire.ts'

export interface CodexLaunch {
  readonly program: string
  readonly settings: CodexTurnSettings
  readonly output: OutputRule | undefined
}

/** `codex app-server` in a sandbox, with one conversation. */
export function startCodex(setup: ProgramSetup, { program, settings, output }: CodexLaunch): Program {
  return new SessionProgram<CodexThread, CodexTurn>(setup, {
    name: 'Codex',
    output,
    open: (process, currentTurn) => open(setup, program, process, currentTurn),
    errorOfOpening: (cause) => errorOfOpening(cause, setup.session !== undefined),
    startTurn: (request, context) => new CodexTurn(request, settings, context),
  })
}

async function open(
  setup: ProgramSetup,
  program: string,
  process: ProgramProcess,
  currentTurn: () => CodexTurn | undefined,
): Promise<CodexThread | TurnError> {
  const { sandbox, session, stateDir, workDir } = setup
  const authorities = trustsNobody(setup) ? NO_AUTHORITY : undefined
  const home = await prepareHome(stateDir, makeConfig(setup, sandbox.memoryDir), authorities)
  if (session && !(await hasTranscript(stateDir, session.transcript))) {
    return { kind: 'session-lost', message: `Transcript of session ${session.id} not found` }
  }
  if (process.end) return process.end
  const env = {
    ...makeEnvironment(setup, home),
    ...(authorities !== undefined && { [AUTHORITIES_VARIABLE]: authoritiesPath(home) }),
  }
  const { stdin, stdout } = process.start(sandbox, { program, args: ['app-server'], env, workDir })
  let threadId = ''
  const rpc = new JsonRpcClient(stdout, stdin, {
    onNotification: (method, params) => {
      const isOurs = Addressed.safeParse(params).data?.threadId === threadId
      if (isOurs) currentTurn()?.notice(method, params)
      else currentTurn()?.touch()
    },
    onRequest: answerRequest,
    onBroken: (reason) => void process.abandon({ kind: 'protocol', message: reason }),
  })
  void process.ended.then(({ message }) => rpc.close(message))
  const thread = await openThread(rpc, setup)
  threadId = thread.session.id
  return thread
}
