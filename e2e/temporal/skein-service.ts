import { Skein } from '@skein/client'
import { findFreePort } from '@skein/host'
import type { PostgresServer } from '@skein/testkit'
import { ScriptedRunner, type Step } from '@skein/testkit/scripted-runner'
import { prepareDatabase } from '../crash/installation/database.ts'
import { LEASE_MS, untilReady } from '../crash/installation/install.ts'
import { createRunnerKey, superviseServer } from '../crash/installation/programs.ts'

/** Its agents work for a few seconds. */
export const BRIEF = 'brief'
/** Its agents work until somebody ends them. */
export const ENDLESS = 'endless'
/** Long enough that a worker dies and the next one has started. */
const WORK_MS = 10_000

const SCRIPTS: Readonly<Record<string, readonly Step[]>> = {
  [BRIEF]: [{ do: 'work', ms: WORK_MS }, { do: 'finish' }],
  [ENDLESS]: [{ do: 'hang' }],
}

export interface SkeinService {
  readonly skein: Skein
  readonly url: string
  readonly apiKey: string
  stop(): Promise<void>
}

/** A server of the source tree at `root`, with a workspace and a runner for each script. */
export async function startSkein(
  root: string,
  folder: string,
  postgres: PostgresServer,
): Promise<SkeinService> {
  const { serverUrl, masterKey, adminKey } = await prepareDatabase(postgres.url(), root)
  const port = await findFreePort()
  const settings = { root, index: 0, port, folder, databaseUrl: serverUrl, masterKey, leaseMs: LEASE_MS }
  const server = superviseServer(settings)
  server.start()
  await untilReady([server])
  const url = `http://127.0.0.1:${port}`
  const skein = new Skein({ baseUrl: url, apiKey: adminKey })
  const runners: ScriptedRunner[] = []
  for (const [index, [name, defaultScript]] of Object.entries(SCRIPTS).entries()) {
    await skein.catalog.put('pool', name, { maxRuns: 100 })
    await skein.catalog.put('workspace', name, { pool: name })
    const apiKey = await createRunnerKey(url, adminKey, index, name)
    runners.push(new ScriptedRunner({ baseUrl: url, apiKey, capacity: 16, defaultScript }).start())
  }
  return {
    skein,
    url,
    apiKey: adminKey,
    async stop() {
      await Promise.all(runners.map((runner) => runner.stop()))
      await server.stop()
    },
  }
}
