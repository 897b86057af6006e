import { spawn } from 'node:child_process'
import { findFreePort } from '@skein/host'
import { Client } from 'pg'
import { BenchClient } from './http-client.ts'
import { setStage, stopProcess, untilReady, type Stage } from './stage.ts'

const CONNECTIONS = '24'
const BARE_TENANT_ID = '0199d2f4-0000-7000-8000-0000000000ba'

/** Skein and the bare engine side by side: one database, a process and a tenant each. */
export interface Comparison extends Stage {
  readonly runnerKey: string
  readonly bareUrl: string
  readonly barePid: number
  readonly bareTenantId: string
}

export async function setComparison(): Promise<Comparison> {
  const stage = await setStage({
    SKEIN_DATABASE_CONNECTIONS: CONNECTIONS,
    // Nobody sends heartbeats.
    SKEIN_LEASE_MS: '3600000',
  })
  const owner = new Client({ connectionString: stage.ownerUrl })
  await owner.connect()
  await owner.query(`insert into tenant (id, provider, org) values ($1, 'PROVIDER_CODEHOST_APP', 'bare')`, [
    BARE_TENANT_ID,
  ])
  await owner.end()
  const port = await findFreePort()
  const bare = spawn(process.execPath, ['bench/bare-server.ts'], {
    env: {
      ...process.env,
      BARE_DATABASE_URL: stage.ownerUrl,
      BARE_TENANT_ID,
      BARE_PORT: port.toString(),
      BARE_CONNECTIONS: CONNECTIONS,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const bareUrl = `http://127.0.0.1:${port}`
  await untilReady(bareUrl)
  return {
    ...stage,
    runnerKey: await createRunner(stage),
    bareUrl,
    barePid: bare.pid ?? 0,
    bareTenantId: BARE_TENANT_ID,
    async stop() {
      await stopProcess(bare)
      await stage.stop()
    },
  }
}

/** A key for polling, and limits that nothing here reaches. */
export async function createRunner({ baseUrl, adminKey }: Stage): Promise<string> {
  const admin = await BenchClient.open(baseUrl, adminKey)
  const write = async (kind: string, name: string, document: object): Promise<string> => {
    const payload = Buffer.from(JSON.stringify(document)).toString('base64')
    const answer = await admin.post(`/v1/catalog/${kind}/${name}`, JSON.stringify({ payload }))
    const stored = (JSON.parse(answer) as { payload: string }).payload
    return (JSON.parse(Buffer.from(stored, 'base64').toString()) as { key?: string }).key ?? ''
  }
  await write('quota', 'default', { liveAgents: 10_000_000, runsInFlight: 100_000 })
  await write('pool', 'default', { maxRuns: 100_000 })
  const key = await write('token', 'runner', { account: 'runner', role: 'runner', pools: ['default'] })
  admin.close()
  return key
}
