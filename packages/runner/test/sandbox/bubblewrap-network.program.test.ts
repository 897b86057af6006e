import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { waitFor } from '@skein/testkit'
import { describe, expect, onTestFinished, test } from 'vitest'
import { networkPolicies } from '../../src/sandbox/sandbox.ts'
import { frontPort, openSandbox, requireBubblewrap, type TestSandbox } from './sandbox-fixture.ts'

const frontUrl = `http://127.0.0.1:${frontPort}`

/** The address or the failure's code. */
async function tryConnection(sandbox: TestSandbox, target: object): Promise<string> {
  const script = `require('node:net').connect(${JSON.stringify(target)})
    .on('connect', function () { console.log('connected'); this.destroy() })
    .on('error', (error) => console.log(error.code))`
  const { stdout } = await sandbox.run('', { program: process.execPath, args: ['-e', script] })
  return stdout.trim()
}

async function networkOf({ run }: TestSandbox): Promise<string> {
  return (await run('readlink /proc/self/ns/net')).stdout
}

/** Processes in this network namespace. */
function findNamespace(name: string): number[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && readLink(`/proc/${pid}/ns/net`) === name)
    .map(Number)
}

function readLink(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

async function listenOnHost(where: { path: string } | { host: string; port: number }) {
  const server = createServer((socket) => socket.destroy())
  server.listen(where)
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return server
}

describe.skipIf(process.platform !== 'linux')('bubblewrap and the network', () => {
  requireBubblewrap()

  test.each(networkPolicies)('with network %s the front answers at its usual address', async (network) => {
    const { run } = await openSandbox('bubblewrap', { network })
    expect(await run(`curl -sS ${frontUrl}/models`)).toMatchObject({ stdout: 'the front', stderr: '' })
    expect(await run(`curl -sS http://localhost:${frontPort}/`)).toMatchObject({ stdout: 'the front' })
  })

  test.each(networkPolicies)('with network %s no other port of the host can be reached', async (network) => {
    const server = await listenOnHost({ host: '127.0.0.1', port: 0 })
    const { port } = server.address() as AddressInfo
    const sandbox = await openSandbox('bubblewrap', { network })
    expect(await tryConnection(sandbox, { host: '127.0.0.1', port })).toBe('ECONNREFUSED')
  })

  test.each(networkPolicies)(
    'with network %s a nameless socket of the host cannot be reached',
    async (network) => {
      const path = `\0skein-test-${randomBytes(4).toString('hex')}`
      await listenOnHost({ path })
      const sandbox = await openSandbox('bubblewrap', { network })
      expect(await tryConnection(sandbox, { path })).toBe('ECONNREFUSED')
    },
  )

  test('with network none no address but the loopback has a route, and no name is resolved', async () => {
    const sandbox = await openSandbox('bubblewrap', { network: 'none' })
    // An address reserved for documentation: nothing is there.
    expect(await tryConnection(sandbox, { host: '192.0.2.1', port: 53 })).toBe('ENETUNREACH')
    const { stdout } = await sandbox.run(
      'ls /etc/resolv.conf; getent hosts example.test; tail -n +3 /proc/net/dev',
    )
    expect(stdout.trim()).toMatch(/^lo:.*$/)
  })

  test('the port of the front cannot be taken over, and the network cannot be changed', async () => {
    const { run } = await openSandbox('bubblewrap', { network: 'none' })
    const script = `for (const options of [{}, { reusePort: true }])
      require('node:net').createServer().on('error', ({ code }) => console.log(code))
        .listen({ port: ${frontPort}, host: '127.0.0.1', ...options })`
    const { stdout } = await run('', { program: process.execPath, args: ['-e', script] })
    expect(stdout).toBe('EADDRINUSE\nEADDRINUSE\n')
    const attempts = await run(
      `PATH=$PATH:/usr/sbin:/sbin
       ip link set lo down && echo down; ip addr add 10.9.8.1/24 dev lo && echo addressed
       nft add table inet x && echo filtered; unshare --net true && echo unshared
       nsenter --target 1 --net --user true && echo entered
       ls -l /proc/self/fd | grep -E 'net:|user:' && echo kept
       curl -sS ${frontUrl}/`,
    )
    expect(attempts.stdout).toBe('the front')
  })

  test('sandboxes do not share a network', async () => {
    const [one, other] = [
      await openSandbox('bubblewrap', { network: 'none' }),
      await openSandbox('bubblewrap', { network: 'none' }, (_request, response) => response.end('another')),
    ]
    expect(await networkOf(one)).not.toBe(await networkOf(other))
    expect(await networkOf(one)).not.toBe(`${readlinkSync('/proc/self/ns/net')}\n`)
    expect(await other.run(`curl -sS ${frontUrl}/`)).toMatchObject({ stdout: 'another' })
    expect(await one.run(`curl -sS ${frontUrl}/`)).toMatchObject({ stdout: 'the front' })
  })

  test('a sandbox whose network was ended starts no program', async () => {
    const { sandbox, run } = await openSandbox('bubblewrap', { network: 'none' })
    const { stdout } = await run('readlink /proc/self/ns/net')
    const holders = findNamespace(stdout.trim())
    expect(holders).not.toEqual([])
    for (const pid of holders) process.kill(pid, 'SIGKILL')
    await waitFor(async () => (await run('echo started')).stdout === '', { what: 'a refusal' })
    expect(await run('echo started')).toMatchObject({ code: 127, stdout: '' })
    await sandbox.dispose()
  })

  test('nothing of a network is left after its sandbox', async () => {
    const { sandbox, run } = await openSandbox('bubblewrap', { network: 'none' })
    const { stdout } = await run('readlink /proc/self/ns/net')
    await sandbox.dispose()
    expect(findNamespace(stdout.trim())).toEqual([])
  })

  test('large bodies pass in both directions, even when one side finishes early', async () => {
    const { run } = await openSandbox('bubblewrap', { network: 'none' }, (request, response) => {
      request.pipe(response)
    })
    const { stdout } = await run(
      `head -c 5000000 /dev/urandom >body; curl -sS -H 'Connection: close' --data-binary @body ${frontUrl}/ >echo
       cmp body echo && echo same`,
    )
    expect(stdout).toBe('same\n')
  })

  test('the front learns of a client that goes away', async () => {
    let isGone = false
    const { run } = await openSandbox('bubblewrap', { network: 'none' }, (_request, response) => {
      response.write('thinking')
      response.once('close', () => (isGone = true))
    })
    await run(`curl -sS -m 1 ${frontUrl}/; true`)
    await expect(waitFor(() => isGone, { what: 'the front to be told' })).resolves.toBe(true)
  })

  test.each(networkPolicies)('with network %s a program may end its whole group', async (network) => {
    const { run } = await openSandbox('bubblewrap', { network })
    expect(await run('kill -KILL 0')).toMatchObject({ code: 128 + 9 })
    expect(await run(`trap '' TERM; kill -TERM 0; curl -sS ${frontUrl}/`)).toMatchObject({
      stdout: 'the front',
    })
  })

  test.each(networkPolicies)(
    'with network %s programs of one sandbox each reach the front',
    async (network) => {
      const { run } = await openSandbox('bubblewrap', { network })
      const answers = await Promise.all([1, 2, 3].map(() => run(`curl -sS ${frontUrl}/`)))
      expect(answers.map(({ stdout }) => stdout)).toEqual(['the front', 'the front', 'the front'])
    },
  )
})
