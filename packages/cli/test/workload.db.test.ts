import { writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HostileIssuer } from '../../server/test/access/providers/hostile-issuer.ts'
import { startCliWorld, type CliWorld } from './cli-world.ts'

let world: CliWorld
let issuer: HostileIssuer
let github: Server
let env: Record<string, string>
/** What the job's platform was asked for. */
const asked: { readonly audience: string | null; readonly authorization: string | undefined }[] = []

beforeAll(async () => {
  world = await startCliWorld({ withoutRunner: true, settings: { SKEIN_OUTBOUND_ALLOW: '127.0.0.1' } })
  issuer = await HostileIssuer.start()
  await world.tenant.admin.write('workload-identity', 'job', {
    issuer: issuer.issuer,
    audience: world.baseUrl,
    conditions: [{ claim: 'repository', value: 'acme/shop' }],
    account: 'ci',
    role: 'member',
  })
  github = createServer((request, response) => {
    const audience = new URL(request.url ?? '', 'http://127.0.0.1').searchParams.get('audience')
    asked.push({ audience, authorization: request.headers.authorization })
    void sign(audience ?? '').then((value) => response.end(JSON.stringify({ value })))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => github.once('listening', resolve))
  const { provider, org } = world.tenant.tenant
  const tenant = `${provider.replace('PROVIDER_', '').toLowerCase()}:${org}`
  env = { SKEIN_API_KEY: '', SKEIN_WORKLOAD_IDENTITY: `${tenant}/job` }
})

afterAll(async () => {
  github.close()
  await issuer.close()
  await world.close()
})

function sign(aud: string, repository = 'acme/shop'): Promise<string> {
  const iat = Math.floor(Date.now() / 1000)
  return issuer.sign({ iss: issuer.issuer, aud, sub: 'repo:acme/shop', repository, iat, exp: iat + 60 })
}

test('a job of GitHub Actions needs no key: skein asks for a token and exchanges it', async () => {
  const { port } = github.address() as AddressInfo
  const job = {
    ...env,
    ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/token?api-version=2`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of-the-job',
  }
  expect(await world.json(['whoami'], { env: job })).toMatchObject({
    account: 'ci',
    token: 'workload-identity/job',
  })
  expect(asked).toEqual([{ audience: world.baseUrl, authorization: 'Bearer of-the-job' }])
})

test('a token in a file is exchanged, and a refused one is explained', async () => {
  const path = join(world.folder, 'token')
  const pod = { ...env, SKEIN_WORKLOAD_TOKEN_FILE: path }
  await writeFile(path, `${await sign(world.baseUrl)}\n`)
  expect(await world.json(['whoami'], { env: pod })).toMatchObject({ account: 'ci' })
  await writeFile(path, await sign(world.baseUrl, 'evil/shop'))
  const refused = await world.skein(['whoami'], { env: pod })
  expect([refused.exitCode, refused.stderr]).toEqual([5, expect.stringContaining('claim repository')])
})

test('without a token it says where one comes from', async () => {
  const { stderr, exitCode } = await world.skein(['whoami'], { env })
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('id-token: write')])
})
