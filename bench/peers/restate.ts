import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findFreePorts } from '@skein/host'
import { stopProcess } from '../stage.ts'

const SERVICE = fileURLToPath(new URL('restate-process.ts', import.meta.url))
/** For each of them, on a busy machine. */
const PATIENCE_MS = 60_000

export interface Restate {
  readonly url: string
  stop(): Promise<void>
}

/** A Restate server with its defaults, which are durable, and a service process beside it. */
export async function startRestate(folder: string): Promise<Restate> {
  const installed = resolve(folder)
  const data = await mkdtemp(join(tmpdir(), 'skein-restate-'))
  const [ingress = 0, admin = 0, node = 0, service = 0] = await findFreePorts(4)
  const children: ChildProcess[] = []
  const stop = async (): Promise<void> => {
    for (const child of children) await stopProcess(child)
    await rm(data, { recursive: true, force: true })
  }
  try {
    const env = { RESTATE_DIR: installed, RESTATE_SERVICE_PORT: String(service), RESTATE_LOGGING: 'ERROR' }
    children.push(launch(process.execPath, [SERVICE], env))
    children.push(
      launch(join(installed, 'node_modules/.bin/restate-server'), [], {
        RESTATE_BASE_DIR: data,
        RESTATE_INGRESS__BIND_PORT: String(ingress),
        RESTATE_ADMIN__BIND_PORT: String(admin),
        RESTATE_BIND_PORT: String(node),
        RESTATE_DISABLE_TELEMETRY: 'true',
        RUST_LOG: 'error',
      }),
    )
    await register(`http://127.0.0.1:${admin}/deployments`, `http://127.0.0.1:${service}`)
    const url = `http://127.0.0.1:${ingress}`
    await untilAnswered(`${url}/agent/first/spawn`, { description: 'Work.' })
    return { url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function launch(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): ChildProcess {
  return spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] })
}

function register(admin: string, uri: string): Promise<void> {
  return untilAnswered(admin, { uri })
}

async function untilAnswered(url: string, body: object): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS
  for (;;) {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }).then(
      async (response) => (response.ok ? '' : `${response.status} ${await response.text()}`),
      (error: unknown) => String(error),
    )
    if (answer === '') return
    if (performance.now() > giveUpAt) throw new Error(`Restate does not answer ${url}: ${answer}`)
    await pause(250)
  }
}
