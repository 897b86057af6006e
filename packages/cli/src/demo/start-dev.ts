import { spawn, type ChildProcess } from 'node:child_process'
import { mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { claimPort, DevError } from '@skein/dev'
import { DEV_DEFAULTS } from '../dev/options.ts'
import type { Environment } from '../profile/environment.ts'
import { readFolderProfile, type FolderProfile } from '../profile/folder-profile.ts'
import { ServerDownError } from '../command-line/usage-error.ts'
import { writeDemoMark } from './demo-mark.ts'

/** It gives each of its programs a minute, then exits. */
const START_TIMEOUT_MS = 300_000
const POLL_MS = 50
const SHOWN_LINES = 15
/** npm's variables would make it exit with us, and it must not get provider keys. */
const WITHHELD = /^(npm_.*|(ANTHROPIC|OPENAI)_.*)$/i

/** All agents start at once: on a small machine the runner may be late with its reports without being lost. */
const LEASE_MS = '60000'

/** A `skein dev` on the simulator that outlives this process. */
export async function startDev(folder: string, env: Environment): Promise<FolderProfile> {
  // Accessible, as `skein dev` requires. Only the logs are private.
  await mkdir(folder, { recursive: true })
  await mkdir(join(folder, 'logs'), { recursive: true, mode: 0o700 })
  await writeDemoMark(folder, { pid: 0 })
  const log = join(folder, 'logs', 'dev.log')
  const child = await launch(folder, log, env)
  const interrupt = (): void => {
    child.kill('SIGTERM')
    process.exit(130)
  }
  process.once('SIGINT', interrupt)
  try {
    const profile = await untilReady(child, folder, log)
    await writeDemoMark(folder, { pid: profile.pid })
    return profile
  } finally {
    process.off('SIGINT', interrupt)
    child.unref()
  }
}

async function launch(folder: string, log: string, env: Environment): Promise<ChildProcess> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const main = fileURLToPath(new URL(`../main.${extension}`, import.meta.url))
  const port = await choosePort()
  const output = await open(log, 'w', 0o600)
  const args = [main, 'dev', '--simulate', '--data-dir', folder, '--port', String(port)]
  const child = spawn(process.execPath, args, {
    // Detached from this terminal: neither its Ctrl-C nor its end should reach it.
    detached: true,
    // Its standard output contains the key.
    stdio: ['ignore', 'ignore', output.fd],
    env: {
      SKEIN_LEASE_MS: LEASE_MS,
      ...Object.fromEntries(Object.entries(env).filter(([name]) => !WITHHELD.test(name))),
    },
  })
  await output.close()
  return child
}

/** No port was requested, so any will do. */
async function choosePort(): Promise<number> {
  try {
    return await claimPort(DEV_DEFAULTS.port)
  } catch (error) {
    if (error instanceof DevError) return claimPort(0)
    throw error
  }
}

async function untilReady(child: ChildProcess, folder: string, log: string): Promise<FolderProfile> {
  const giveUpAt = performance.now() + START_TIMEOUT_MS
  for (;;) {
    // It writes its profile when everything is up.
    const profile = await readFolderProfile(folder).catch(() => undefined)
    if (profile?.pid === child.pid && profile?.isRunning) return profile
    const hasEnded = child.exitCode !== null || child.signalCode !== null
    if (hasEnded || performance.now() > giveUpAt) {
      child.kill('SIGTERM')
      const lines = (await readFile(log, 'utf8')).trimEnd().split('\n').slice(-SHOWN_LINES)
      throw new ServerDownError(
        `skein dev did not start:\n${lines.join('\n')}`,
        'The log of each program is in .skein/logs.',
      )
    }
    await pause(POLL_MS)
  }
}
