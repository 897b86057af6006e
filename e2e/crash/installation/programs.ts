import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { NO_LIMITS } from '@skein/testkit'
import { serverScript } from './database.ts'
import { Supervised } from './supervised.ts'

const ownRoot = fileURLToPath(new URL('../../../', import.meta.url))

export function superviseServer({
  root,
  index,
  port,
  folder,
  databaseUrl,
  masterKey,
  leaseMs,
  env = {},
}: {
  root: string
  index: number
  port: number
  folder: string
  databaseUrl: string
  masterKey: string
  leaseMs: number
  /** Further settings. */
  env?: Readonly<Record<string, string>>
}): Supervised {
  return new Supervised({
    name: `server-${index}`,
    script: serverScript(root),
    args: ['serve'],
    env: {
      SKEIN_DATABASE_URL: databaseUrl,
      SKEIN_MASTER_KEY: masterKey,
      SKEIN_PORT: String(port),
      SKEIN_LEASE_MS: String(leaseMs),
      SKEIN_LOG_LEVEL: 'error',
      ...NO_LIMITS,
      SKEIN_CEILING: 'none',
      ...env,
    },
    logFile: join(folder, `server-${index}.log`),
    isReady: async () => {
      const response = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(1_000) })
      await response.arrayBuffer()
      return response.ok
    },
  })
}

/** Uses our own source by default: the service is what is under test. */
export function superviseRunner({
  root = ownRoot,
  index,
  folder,
  url,
  key,
  logFile,
}: {
  root?: string
  index: number
  folder: string
  url: string
  key: string
  logFile: string
}): Supervised {
  return new Supervised({
    name: `runner-${index}`,
    script: join(root, 'e2e/crash/installation/runner-process.ts'),
    args: [],
    env: { SKEIN_URL: url, SKEIN_API_KEY: key, CRASH_RUNNER_LOG: logFile },
    logFile: join(folder, `runner-${index}.log`),
    isReady: async (pid) => (await readFile(`${logFile}.ready`, 'utf8')) === String(pid),
  })
}

export async function createRunnerKey(
  url: string,
  adminKey: string,
  index: number,
  pool = 'default',
): Promise<string> {
  const document = { account: `runner-${index}`, role: 'runner', pools: [pool] }
  const response = await fetch(`${url}/v1/catalog/token/runner-${index}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ payload: Buffer.from(JSON.stringify(document)).toString('base64') }),
  })
  const { payload } = (await response.json()) as { payload: string }
  return (JSON.parse(Buffer.from(payload, 'base64').toString()) as { key: string }).key
}
