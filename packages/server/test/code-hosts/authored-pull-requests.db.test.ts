import { CodeHostLoops } from '@skein/engine'
import type { AgentId } from '@skein/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { visitFake } from '../access/providers/code-host-source.ts'
import { FakeCodeHost } from '../access/providers/fake-code-host.ts'
import { HostileIssuer } from '../access/providers/hostile-issuer.ts'
import { LinkWorld } from '../access/providers/link-world.ts'
import { cookiePair, ProviderWorld } from '../access/providers/provider-world.ts'
import { AgentWorld, must } from '../agents/agent-world.ts'
import { SAME_ORIGIN } from '../browser.ts'

let world: ProviderWorld
let agents: AgentWorld
let host: FakeCodeHost
let loops: CodeHostLoops
let cookie = ''
let branches = 0

beforeAll(async () => {
  world = await ProviderWorld.start({ SKEIN_SIGN_INS_PER_MINUTE: '0' })
  agents = await AgentWorld.in(world.server, world.tenant)
  host = await FakeCodeHost.start('gitea', { bob: { id: 8, login: 'bob', groups: ['acme'] } })
  must(await agents.admin.write('secret', 'bot-token', { value: 'bot-token' }))
  must(
    await agents.admin.write('code-host', 'host', { type: 'gitea', url: host.url, credential: 'bot-token' }),
  )
  const repos = [{ url: `${host.url}/acme/shop.git`, codeHost: 'host' }]
  must(await agents.admin.write('workspace', 'shop', { repos }))
  loops = new CodeHostLoops(world.server.engine, fetch, () => {})
  loops.start()
})

beforeEach(async () => {
  host.opened.length = 0
  host.denied.clear()
  await provide(true)
})

afterAll(async () => {
  await loops.stop()
  await host.close()
  await world.close()
})

/** Changes end sessions, so the person signs in again. */
async function provide(opensPullRequests: boolean): Promise<void> {
  await world.provide('code', { codeHost: 'host', organizations: ['acme'], opensPullRequests })
  const { url, cookie: flow } = await world.start('code')
  cookie = cookiePair(must(await world.finish(await visitFake(url, 'bob'), flow)), 'skein')
}

async function open(isOwn = true, session = cookie) {
  branches += 1
  const name = `works-${branches}`
  const request = { agentId: { agent: [name], workspace: 'shop' }, description: 'Work.' }
  const spawned = isOwn
    ? await world.server.anonymous.post('/v1/agent/spawn', request, {
        headers: { cookie: session, ...SAME_ORIGIN },
      })
    : await agents.admin.post('/v1/agent/spawn', request)
  const run = await agents.take(must(spawned).body['agentId'] as AgentId)
  return agents.runner.post('/v1/runner/pull-request', {
    lease: run.lease,
    url: `${host.url}/acme/shop.git`,
    title: 'Fix it',
    head: `skein/${name}`,
    base: 'main',
  })
}

test('the pull request of a person’s agent is opened as the person, everybody else’s as the user of Skein', async () => {
  must(await open())
  must(await open(false))
  expect(host.opened).toEqual(['bob', 'bot-token'])
})

test('it is opened as the user of Skein if the person may not, has signed out, or the tenant does not want it', async () => {
  host.denied.add('bob')
  must(await open())
  expect(host.opened).toEqual(['bot-token'])
  host.denied.clear()
  await provide(false)
  must(await open())
  expect(host.opened).toEqual(['bot-token', 'bot-token'])
})

test('a token that was let go is not used until it is forgotten', async () => {
  await agents.sql(`update person_grant set keep_until = now() - interval '1 second', check_at = 'infinity'`)
  must(await open())
  expect(host.opened).toEqual(['bot-token'])
})

test('it is opened as the code host account that the person linked, until they unlink it', async () => {
  const issuer = await HostileIssuer.start()
  await world.provide('sso', { issuer: issuer.issuer })
  issuer.subject = 'robert'
  const { url, cookie: flow } = await world.start('sso')
  issuer.nonce = url.searchParams.get('nonce') ?? ''
  const query = new URLSearchParams({ code: 'c0de', state: url.searchParams.get('state') ?? '' })
  const finished = must(await world.finish(`${world.callback('sso')}?${query}`, flow))
  const session = cookiePair(finished, 'skein')
  const links = new LinkWorld(world)
  must(await open(true, session))
  must(await links.tryToLink(session, 'code', 'bob'))
  // The token stays although nobody is signed in with that account.
  must(await world.server.anonymous.delete('/v1/session', { headers: { cookie, ...SAME_ORIGIN } }))
  must(await open(true, session))
  must(await links.unlink(session, 'code'))
  must(await open(true, session))
  expect(host.opened).toEqual(['bot-token', 'bob', 'bot-token'])
  await issuer.close()
})

test('a token is not sent elsewhere when the code host moves', async () => {
  const moved = await FakeCodeHost.start('gitea', {})
  const document = { type: 'gitea', url: host.url, apiUrl: `${moved.url}/api/v1`, credential: 'bot-token' }
  must(await agents.admin.write('code-host', 'host', document))
  const started = await agents.spawn('moved', { agentId: { workspace: 'shop', account: 'bob' } })
  const run = await agents.take(started)
  must(
    await agents.runner.post('/v1/runner/pull-request', {
      lease: run.lease,
      url: `${host.url}/acme/shop.git`,
      title: 'Fix it',
      head: 'skein/moved',
      base: 'main',
    }),
  )
  expect(moved.opened).toEqual(['bot-token'])
  expect(moved.bearers.filter((token) => token.startsWith('at_'))).toEqual([])
  await moved.close()
  must(await agents.admin.write('code-host', 'host', { ...document, apiUrl: '' }))
})
