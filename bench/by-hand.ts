import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { query } from '@anthropic-ai/claude-agent-sdk'
import { z } from 'zod'
import type { ProgramSetup } from '../packages/runner/src/backends/backend.ts'
import { findClaude } from '../packages/runner/src/backends/claude/installation.ts'
import { buildOptions } from '../packages/runner/src/backends/claude/program-options.ts'
import { prepareHome } from '../packages/runner/src/backends/codex/codex-home.ts'
import { makeConfig } from '../packages/runner/src/backends/codex/config.ts'
import { makeEnvironment } from '../packages/runner/src/backends/codex/environment.ts'
import { findCodex } from '../packages/runner/src/backends/codex/find-program.ts'

interface HandRun {
  /** Of this run alone. */
  readonly folder: string
  readonly simulatorUrl: string
  readonly model: string
  readonly prompt: string
}

/**
 * Runs one turn of a program with the settings it has in Skein, but without sandbox, gateway and tools, and straight
 * against the model. Resolves with the time at which the turn has ended.
 */
export type RunByHand = (run: HandRun) => Promise<number>

export const claudeByHand: RunByHand = async ({ folder, simulatorUrl, model, prompt }) => {
  const setup = await setUp(folder, simulatorUrl, model)
  const options = buildOptions(setup, findClaude())
  let endedAt = NaN
  for await (const message of query({ prompt, options })) {
    if (message.type !== 'result') continue
    if (message.is_error) throw new Error(`Claude failed: ${JSON.stringify(message)}`)
    endedAt = Date.now()
  }
  return endedAt
}

export const codexByHand: RunByHand = async ({ folder, simulatorUrl, model, prompt }) => {
  const setup = await setUp(folder, `${simulatorUrl}/v1`, model)
  const home = await prepareHome(setup.stateDir, makeConfig(setup))
  const child = spawn(findCodex().program, ['app-server'], {
    cwd: setup.workDir,
    env: { PATH: process.env['PATH'], HOME: home, ...makeEnvironment(setup, home) },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  try {
    return await converse(child, model, prompt)
  } finally {
    const gone = once(child, 'exit')
    child.kill()
    await gone
  }
}

const Message = z.object({
  id: z.number().optional(),
  error: z.unknown().optional(),
  method: z.string().optional(),
  result: z.object({ thread: z.object({ id: z.string() }).optional() }).optional(),
  params: z.object({ turn: z.object({ status: z.string().optional() }).optional() }).optional(),
})

/** The app server's own protocol. */
async function converse(child: ChildProcess, model: string, prompt: string): Promise<number> {
  const { stdin, stdout } = child
  if (!stdin || !stdout) throw new Error('Codex was started with pipes')
  const send = (message: object) => stdin.write(`${JSON.stringify(message)}\n`)
  send({ id: 1, method: 'initialize', params: { clientInfo: { name: 'hand', title: null, version: '1' } } })
  for await (const line of createInterface({ input: stdout })) {
    const message = Message.parse(JSON.parse(line))
    if (message.error !== undefined) throw new Error(`Codex failed: ${line}`)
    if (message.id === 1) {
      send({ method: 'initialized' })
      send({ id: 2, method: 'thread/start', params: { model, sandbox: 'danger-full-access' } })
    } else if (message.id === 2) {
      const input = [{ type: 'text', text: prompt, text_elements: [] }]
      send({ id: 3, method: 'turn/start', params: { threadId: message.result?.thread?.id, input } })
    } else if (message.method === 'turn/completed') {
      if (message.params?.turn?.status !== 'completed') throw new Error(`Codex failed: ${line}`)
      return Date.now()
    }
  }
  throw new Error('Codex ended before its turn did')
}

async function setUp(folder: string, url: string, model: string): Promise<ProgramSetup> {
  const [workDir, stateDir] = [join(folder, 'work'), join(folder, 'state')]
  for (const dir of [workDir, join(stateDir, 'home'), join(stateDir, 'tmp')])
    await mkdir(dir, { recursive: true })
  return {
    model,
    effort: '',
    tier: '',
    fastMode: false,
    instructions: '',
    outputSchema: undefined,
    session: undefined,
    workDir,
    stateDir,
    gateway: { url, token: 'simulated' },
    tools: [],
    get sandbox(): never {
      throw new Error('By hand there is no sandbox')
    },
    variables: { PATH: process.env['PATH'] ?? '' },
    hideSecrets: (text) => text,
  }
}
