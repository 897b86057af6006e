import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import type { AgentId } from '@skein/contract'
import { waitFor } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cookieFor, SAME_ORIGIN } from '../browser.ts'
import { AgentWorld, must } from '../agents/agent-world.ts'
import { LiveClient } from '../agents/live-client.ts'

const TIMEOUT_MS = 15_000
let world: AgentWorld
let shown: AgentId
let baseUrl: string

beforeAll(async () => {
  world = await AgentWorld.start()
  await world.admin.write('workspace', 'shop', {})
  shown = await world.spawn('shown', { agentId: { workspace: 'shop' } })
  baseUrl = (await LiveClient.of(world.server, '')).baseUrl
})

afterAll(() => world.close())

/** Opens a watch and answers once its first event is there. */
async function watch(headers: Record<string, string>): Promise<{ isOpen(): boolean; hangUp(): void }> {
  const sent = request(`${baseUrl}/v1/agent/watch`, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', ...headers },
  })
  sent.on('error', () => undefined)
  sent.end(JSON.stringify({ agentId: shown }))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  expect(response.statusCode).toBe(200)
  let isOpen = true
  response.on('error', () => undefined).on('close', () => (isOpen = false))
  await once(response, 'data')
  return { isOpen: () => isOpen, hangUp: () => void sent.destroy() }
}

const ending = { what: 'the end of the stream', timeoutMs: 10_000 }

test(
  'an open watch ends within 10 seconds of its share link, token or session; others continue',
  { timeout: TIMEOUT_MS },
  async () => {
    const link = { workspace: 'shop', agent: ['shown'], account: 'ada' }
    const { document } = must(await world.admin.write('share-link', 'watched', link))
    const viewer = await world.tenant.as('viewer', 'watcher')
    const cookie = await cookieFor(world.server, world.admin)
    const streams = [
      await watch({ authorization: `Bearer ${String(document['key'])}` }),
      await watch({ authorization: `Bearer ${viewer.key}` }),
      await watch({ cookie, ...SAME_ORIGIN }),
    ]
    const untouched = await watch({ authorization: `Bearer ${world.admin.key}` })
    const revoked = [{ revoked: true }, { updateMask: 'revoked' }] as const
    must(await world.admin.write('share-link', 'watched', ...revoked))
    must(await world.admin.write('token', 'viewer-watcher', ...revoked))
    const headers = { cookie, ...SAME_ORIGIN }
    must(await world.server.anonymous.delete('/v1/session', { headers }))
    await waitFor(() => streams.every((stream) => !stream.isOpen()), ending)
    expect(untouched.isOpen()).toBe(true)
    untouched.hangUp()
    await waitFor(() => world.server.engine.wakeups.waiting === 0, { what: 'the streams to be let go' })
  },
)

test(
  'an open watch ends when its key stands for another role, owner or agent than it began with',
  { timeout: TIMEOUT_MS },
  async () => {
    const link = { workspace: 'shop', agent: ['shown'], account: 'ada' }
    const { document } = must(await world.admin.write('share-link', 'moved', link))
    const [member, other] = [
      await world.tenant.as('member', 'lowered'),
      await world.tenant.as('member', 'given'),
    ]
    const streams = [
      await watch({ authorization: `Bearer ${String(document['key'])}` }),
      await watch({ authorization: `Bearer ${member.key}` }),
      await watch({ authorization: `Bearer ${other.key}` }),
    ]
    const untouched = await watch({ authorization: `Bearer ${world.admin.key}` })
    must(await world.admin.write('share-link', 'moved', { agent: ['elsewhere'] }, { updateMask: 'agent' }))
    must(await world.admin.write('token', 'member-lowered', { role: 'viewer' }, { updateMask: 'role' }))
    must(await world.admin.write('token', 'member-given', { account: 'bob' }, { updateMask: 'account' }))
    await waitFor(() => streams.every((stream) => !stream.isOpen()), ending)
    expect(untouched.isOpen()).toBe(true)
    untouched.hangUp()
  },
)

test(
  'a wait that began with a valid key answers nothing once that was revoked',
  { timeout: TIMEOUT_MS },
  async () => {
    const viewer = await world.tenant.as('viewer', 'waiter')
    const headers = { prefer: 'wait=4' }
    const answer = viewer.post('/v1/agent/wait', { agentId: shown }, { headers })
    await waitFor(() => world.server.engine.wakeups.waiting === 1, { what: 'the wait' })
    must(await world.admin.write('token', 'viewer-waiter', { revoked: true }, { updateMask: 'revoked' }))
    expect(await answer).toMatchObject({ status: 401, reason: 'CREDENTIAL_INVALID' })
  },
)
