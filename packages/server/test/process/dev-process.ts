import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { waitFor } from '@skein/testkit'

export const repository = fileURLToPath(new URL('../../../../', import.meta.url))

/** Open to everyone on the way in: started by root, PostgreSQL runs as another user. */
export async function makeDataDir(prefix: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), prefix))
  await chmod(directory, 0o755)
  return directory
}

export interface DevProcess {
  readonly url: string
  readonly key: string
  readonly output: () => string
  readonly ended: Promise<unknown>
  /** To the whole process group, as a terminal does. */
  signal(signal: NodeJS.Signals): void
}

const running = new Set<ChildProcess>()

/** `npm run dev` in a terminal of its own, once it says that it is up. */
export async function startDev(dataDir: string, port = '0'): Promise<DevProcess> {
  const child = spawn('npm', ['run', 'dev', '--', '--port', port, '--data-dir', dataDir], {
    cwd: repository,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  }
  const ended = once(child, 'close').then(() => running.delete(child))
  await waitFor(() => output.includes('Ctrl-C stops') || child.exitCode !== null, {
    what: 'npm run dev to be up',
    timeoutMs: 60_000,
  })
  const url = /export SKEIN_URL=(\S+)/.exec(output)?.[1]
  const key = /export SKEIN_API_KEY=(\S+)/.exec(output)?.[1]
  if (url === undefined || key === undefined) throw new Error(`npm run dev printed no way in:\n${output}`)
  return { url, key, output: () => output, ended, signal: (signal) => signalGroup(child, signal) }
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid !== undefined && running.has(child)) process.kill(-child.pid, signal)
}

export async function endDev(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      signalGroup(child, 'SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
    }),
  )
}

/** Processes that name the directory in their command line: the database, its watchdog, the script. */
export function processesOf(directory: string): string[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .map((pid) => commandOf(pid))
    .filter((command) => command.includes(directory))
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim()
  } catch {
    return ''
  }
}
