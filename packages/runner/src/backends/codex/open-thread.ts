import { join } from 'node:path'
import type { ProgramSetup } from '../backend.ts'
import { transcriptPath } from './codex-home.ts'
import type { CodexThread } from './codex-turn.ts'
import { readInstructions, replaceInstructions, wrapInstructions } from './instructions.ts'
import type { JsonRpcClient } from './json-rpc.ts'
import { ThreadOpened } from './wire.ts'

export const CODEX_NAME = 'b'

/** Starts or resumes a conversation. */
export async function openThread(rpc: JsonRpcClient, setup: ProgramSetup): Promise<CodexThread> {
  const { model, session, stateDir, workDir, instructions } = setup
  await rpc.request('initialize', {
    clientInfo: { name: 'skein', title: 'Skein', version: '1' },
    // Needed to end the commands that an interrupt leaves behind.
    capabilities: { experimentalApi: true, requestAttestation: false },
  })
  rpc.notify('initialized')
  const params = {
    model,
    cwd: workDir,
    // With "never", commands such as `rm -rf` are rejected without asking.
    approvalPolicy: 'on-request',
    sandbox: 'danger-full-access',
    serviceTier: chooseTier(setup),
    ...(instructions !== '' && { developerInstructions: wrapInstructions(instructions) }),
  }
  const before = session ? await readInstructions(join(stateDir, session.transcript)) : instructions
  const answer = session
    ? await rpc.request('thread/resume', { threadId: session.id, excludeTurns: true, ...params })
    : await rpc.request('thread/start', params)
  const opened = ThreadOpened.parse(answer)
  const threadId = opened.thread.id
  if (before !== instructions) {
    await rpc.request('thread/inject_items', { threadId, items: [replaceInstructions(instructions)] })
  }
  return {
    session: {
      backend: CODEX_NAME,
      id: threadId,
      transcript: await transcriptPath(stateDir, opened.thread.path),
    },
    model: opened.model,
    request: (method, rest) => rpc.request(method, { threadId, ...rest }),
  }
}

function chooseTier({ tier, fastMode }: ProgramSetup): string | null {
  if (fastMode || tier === 'fast') return 'priority'
  return tier === 'flex' ? 'flex' : null
}
