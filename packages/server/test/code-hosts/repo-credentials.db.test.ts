import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Assignment } from '@skein/contract'
import type { TestAnswer } from '@skein/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startAutomations } from '../../src/automations/start-automations.ts'
import { AgentWorld, must, runnerKey } from '../agents/agent-world.ts'
import { APP_ID, startGitHub, type GitHubEmulator } from './github-emulator.ts'

const GIT = 'http://git.example.com'

let world: AgentWorld
let github: GitHubEmulator
let hostile: Server
let answer: RequestListener
let stop: () => Promise<void>

beforeAll(async () => {
  github = await startGitHub()
  hostile = createServer((request, response) => answer(request, response))
  await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve))
  world = await AgentWorld.start({ settings: { SKEIN_OUTBOUND_ALLOW: '127.0.0.1' } })
  stop = startAutomations(world.server.engine, world.server.config, world.server.app.log)
  must(await world.admin.write('secret', 'app-key', { value: github.privateKey }))
  must(await world.admin.write('secret', 'bot-token', { value: 'tok_bot\n' }))
  must(await writeHost('github', { apiUrl: github.url }))
  const gitea = { type: 'gitea', url: 'http://gitea.example.com', appId: '', credential: 'bot-token' }
  must(await writeHost('gitea', gitea))
  const { port } = hostile.address() as AddressInfo
  must(await writeHost('hostile', { url: 'http://hostile.example.com', apiUrl: `http://127.0.0.1:${port}` }))
  must(
    await world.admin.write('workspace', 'shop', {
      repos: [
        { url: `${GIT}/acme/shop.git`, codeHost: 'github' },
        { url: 'http://gitea.example.com/acme/shop.git', codeHost: 'gitea' },
        { url: 'http://hostile.example.com/acme/shop.git', codeHost: 'hostile' },
        { url: 'http://elsewhere.example.com/acme/shop.git', codeHost: 'github' },
      ],
    }),
  )
})

beforeEach(() => {
  answer = (_request, response) => void response.writeHead(500).end()
})

afterAll(async () => {
  await stop()
  await world.close()
  await github.close()
  hostile.closeAllConnections()
  await new Promise((resolve) => hostile.close(resolve))
})

function writeHost(name: string, fields: object): Promise<TestAnswer> {
  const document = { type: 'github', url: GIT, appId: String(APP_ID), credential: 'app-key', ...fields }
  return world.admin.write('code-host', name, document)
}

async function running(name: string): Promise<Assignment> {
  return (await world.running(name, { agentId: { workspace: 'shop' } })).run
}

function mint({ repos }: Assignment, index = 0, by = world.runner): Promise<TestAnswer> {
  const { url = '', access = '' } = repos[index] ?? {}
  return by.post('/v1/runner/repo-credential', { access, url })
}

/** What a token can read of a repository on the host. */
async function statusOf(credential: unknown, repo: string): Promise<number> {
  const token = String(credential).replace('x-access-token:', '')
  const response = await fetch(`${github.url}/repos/acme/${repo}`, {
    headers: { authorization: `token ${token}` },
  })
  return response.status
}

describe('a run of a workspace with a code host', () => {
  test('gets no credential with its assignment, but one of its own on request', async () => {
    const run = await running('asks')
    expect(run.repos[0]).toMatchObject({ url: `${GIT}/acme/shop.git`, credential: '' })
    const { body } = must(await mint(run))
    expect(body['credential']).toMatch(/^x-access-token:\S+$/)
    expect(Date.parse(String(body['expireTime']))).toBeGreaterThan(Date.now())
    expect(await statusOf(body['credential'], 'shop')).toBe(200)
    expect(await statusOf(body['credential'], 'payroll')).not.toBe(200)
  })

  test('gets the token of the user that a Gitea host has', async () => {
    const { body } = must(await mint(await running('gitea'), 1))
    expect(body).toEqual({ credential: 'x-access-token:tok_bot', expireTime: '' })
  })

  test('gets none once it is over', async () => {
    const run = await running('over')
    await world.complete(run, { reason: 'rested' })
    expect(await mint(run)).toMatchObject({ status: 400, reason: 'RUN_NOT_CURRENT' })
  })

  test('gets none for a repository that is not its workspace’s, or not on its code host', async () => {
    const run = await running('wrong')
    const { access = '' } = run.repos[0] ?? {}
    const other = { access, url: `${GIT}/acme/payroll.git` }
    const refused = await world.runner.post('/v1/runner/repo-credential', other)
    expect(refused).toMatchObject({ status: 400, reason: 'CODE_HOST_REFUSED' })
    expect((await mint(run, 3)).text).toContain('is not a repository of the code host github')
  })
})

describe('nobody else gets a credential', () => {
  test('not another runner, not another tenant’s, not an agent and not an admin', async () => {
    const run = await running('mine')
    const another = world.tenant.client(await runnerKey(world.tenant, 'another'))
    expect(await mint(run, 0, another)).toMatchObject({ status: 400, reason: 'RUN_NOT_CURRENT' })
    const neighbour = await AgentWorld.in(world.server, await world.server.createTenant())
    expect(await mint(run, 0, neighbour.runner)).toMatchObject({ status: 400, reason: 'RUN_NOT_CURRENT' })
    expect(await mint(run, 0, world.tenant.client(run.runKey))).toMatchObject({ status: 403 })
    expect(await mint(run, 0, world.admin)).toMatchObject({ status: 403 })
  })

  test('not for an access that was made up', async () => {
    const { repos, lease, runKey } = await running('forged')
    const { url = '' } = repos[0] ?? {}
    for (const access of [lease, runKey, 'v1.00000000.AAAA.AAAA']) {
      const refused = await world.runner.post('/v1/runner/repo-credential', { access, url })
      expect(refused).toMatchObject({ status: 400, reason: 'RUN_NOT_CURRENT' })
    }
  })

  test('it is neither in the log nor readable in the database', async () => {
    const run = await running('secretive')
    const { credential } = must(await mint(run)).body
    const token = String(credential).replace('x-access-token:', '')
    expect(world.server.logLines.filter((line) => line.includes(token))).toEqual([])
    expect(world.server.logLines.filter((line) => line.includes('PRIVATE KEY'))).toEqual([])
    const rows = await world.sql('select to_json(c)::text as row from code_host_call c')
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.filter(({ row }) => String(row).includes(token))).toEqual([])
    expect(JSON.stringify(await world.timeline(run.agentId))).not.toContain(token)
  })
})

describe('a code host that does not do what it should', () => {
  const HOSTILE = 2

  test('its refusal is passed on as one line of text', async () => {
    answer = (_request, response) => {
      response.writeHead(404, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ message: `Not\nFound \u001b[31m${'x'.repeat(10_000)}` }))
    }
    const refused = await mint(await running('refused'), HOSTILE)
    expect(refused).toMatchObject({ status: 400, reason: 'CODE_HOST_REFUSED' })
    expect(refused.body['message']).toMatch(
      /^The code host refused \(status 404: Not Found \[31mx{200,300}\)\.$/,
    )
  })

  test('a token that it does not limit to the repositories is not used', async () => {
    answer = (request, response) => {
      response.writeHead(request.method === 'POST' ? 201 : 200, { 'content-type': 'application/json' })
      const minted = { token: 'ghs_all', expires_at: '2099-01-01T00:00:00Z', repository_selection: 'all' }
      response.end(JSON.stringify(request.method === 'POST' ? minted : { id: 1 }))
    }
    const refused = await mint(await running('unlimited'), HOSTILE)
    expect(refused).toMatchObject({ status: 400, reason: 'CODE_HOST_REFUSED' })
    expect(refused.text).not.toContain('ghs_all')
  })

  test('one that fails for a moment is asked again', async () => {
    let asked = 0
    answer = (request, response) => {
      asked += 1
      if (asked === 1) return void response.writeHead(502).end()
      response.writeHead(request.method === 'POST' ? 201 : 200, { 'content-type': 'application/json' })
      const minted = {
        token: 'ghs_one',
        expires_at: '2099-01-01T00:00:00Z',
        repository_selection: 'selected',
      }
      response.end(JSON.stringify(request.method === 'POST' ? minted : { id: 1 }))
    }
    const { body } = must(await mint(await running('again'), HOSTILE))
    expect(body['credential']).toBe('x-access-token:ghs_one')
  })
})

test('a secret that is not a private key is refused, without repeating it', async () => {
  must(await world.admin.write('secret', 'not-a-key', { value: 'correct horse' }))
  must(await writeHost('keyless', { apiUrl: github.url, credential: 'not-a-key' }))
  const repos = [{ url: `${GIT}/acme/shop.git`, codeHost: 'keyless' }]
  must(await world.admin.write('workspace', 'keyless', { repos }))
  const { run } = await world.running('keyless', { agentId: { workspace: 'keyless' } })
  const refused = await mint(run)
  expect(refused).toMatchObject({ status: 400, reason: 'CODE_HOST_REFUSED' })
  expect(refused.text).not.toContain('correct horse')
})

test('a code host cannot be deleted while a workspace names it', async () => {
  const refused = await world.admin.delete('/v1/catalog/code-host/github')
  expect(refused).toMatchObject({ status: 400, reason: 'RESOURCE_REFERENCED' })
})
