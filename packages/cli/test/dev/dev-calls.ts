import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { machineNow } from '@skein/testkit'
import type { ReadyDev } from './dev-process.ts'

type Answer = Record<string, unknown>

export async function post(dev: ReadyDev, path: string, body: unknown, headers = {}): Promise<Answer> {
  const response = await fetch(`${dev.baseUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${dev.apiKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return JSON.parse(text) as Answer
}

export const agentId = (name: string) => ({ workspace: 'sample', agent: [name] })

/** The agent's status once it rests or has ended, or after 90 seconds of the machine, which may be starved. */
export async function settle(dev: ReadyDev, name: string): Promise<Answer> {
  const startedAt = machineNow()
  for (;;) {
    const answer = await post(dev, '/v1/agent/wait', { agentId: agentId(name) }, { prefer: 'wait=10' })
    const isOver = machineNow() - startedAt > 90_000
    if (isOver || answer['reason'] !== 'WAIT_REASON_UNSPECIFIED') return answer['status'] as Answer
  }
}

/** In the sample repository, where agents push to. */
export async function git(dataDir: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', ['-C', join(dataDir, 'sample.git'), ...args])
  return stdout.trim()
}

export async function pathWithoutBubblewrap(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'programs')
  await mkdir(folder)
  await writeFile(join(folder, 'bwrap'), '#!/bin/sh\necho out of order >&2\nexit 1\n', { mode: 0o755 })
  return `${folder}:${process.env['PATH']}`
}

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
