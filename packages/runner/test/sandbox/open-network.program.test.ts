import { readdirSync } from 'node:fs'
import { waitFor } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NetworkWorld, places, USER_ID } from './network-world.ts'
import { readProc } from './sandbox-fixture.ts'

const frontUrl = 'http://127.0.0.1:18932'

/** A line for each address: what answered there, or that nothing did. */
function visit(addresses: readonly string[], options = ''): string {
  return addresses
    .map((address) => {
      const url = `http://${address.includes(':') ? `[${address}]` : address}/`
      return `echo "${address} $(curl -s -g -m 3 ${options} '${url}' || echo refused)"`
    })
    .join('\n')
}

const { internet, internet6: _internet6, ...notPublic } = places

const inside: readonly string[] = [
  Object.values(notPublic),
  ['127.0.0.1', '::1', '0.0.0.0', '::', '127.0.0.53'],
  // The names that slirp4netns has for the host: its loopback, its name server, and broadcast.
  ['10.0.2.2', '10.0.2.3', '255.255.255.255', 'fd00::2', 'fd00::3'],
  // An IPv4 address inside of IPv6, spelled oddly, or behind a name.
  [`::ffff:${places.privateTen}`, '64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::1', '0xa9fea9fe', '0251.0376.43518'],
  [`${places.metadata}.test`, `${places.privateTen}.test`],
].flat()

function refusals(addresses: readonly string[]): string {
  return addresses.map((address) => `${address} refused\n`).join('')
}

/** Processes of the runner of these tests, by their command line. */
function processesOfRunner(): string[] {
  return readdirSync('/proc')
    .filter(
      (pid) => /^\d+$/.test(pid) && new RegExp(`^Uid:\\t${USER_ID}\\t`, 'm').test(readProc(pid, 'status')),
    )
    .map((pid) => readProc(pid, 'cmdline').replaceAll('\0', ' '))
    .filter(Boolean)
}

// Namespaces with addresses of their own are root's to make. What is tested in them runs as an ordinary user.
describe.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)('an open network', () => {
  let world: NetworkWorld

  beforeAll(async () => {
    world = await NetworkWorld.start()
  })

  afterAll(async () => {
    await world.stop()
  })

  test('the public internet is reached, by address and by name, and so is the front', async () => {
    const { stdout, stderr } = await world.run({
      script: `${visit([internet, `${internet}.test`])}\ncurl -s ${frontUrl}/; getent ahosts nobody.test`,
    })
    expect({ stdout, stderr }).toEqual({
      stdout: `${internet} reached ${internet}\n${internet}.test reached ${internet}\nthe front`,
      stderr: '',
    })
  })

  test('nothing of the host, of its network or of its cloud is reached', async () => {
    const { stdout } = await world.run({ script: visit(inside) })
    expect(stdout).toBe(refusals(inside))
  })

  test('nor by a socket that is bound to the way out', async () => {
    const { stdout } = await world.run({
      script: `${visit([internet], "--interface 'if!tap0'")}\n${visit(inside, "--interface 'if!tap0'")}`,
    })
    expect(stdout).toBe(`${internet} reached ${internet}\n${refusals(inside)}`)
  })

  test('nor by other means than a web client', async () => {
    const { stdout } = await world.run({
      script: `for place in ${places.metadata}/80 ${places.host}/5432 10.0.2.2/5432 10.0.2.3/80 127.0.0.1/5432; do
          (echo >/dev/tcp/$place) 2>/dev/null && echo "tcp $place"
        done
        for place in ${places.privateTen}/53 10.0.2.2/53; do (echo x >/dev/udp/$place) 2>/dev/null && echo "udp $place"; done
        echo done`,
    })
    expect(stdout).toBe('done\n')
  })

  test('the agent can change neither filter nor routes, and cannot create a namespace', async () => {
    const { stdout } = await world.run({
      script: `PATH=$PATH:/usr/sbin:/sbin
        nft flush ruleset && echo flushed
        ip route add ${places.metadata} dev tap0 && echo routed
        ip addr add 10.9.8.1/24 dev tap0 && echo addressed
        ip link set tap0 down && echo down
        unshare --user --net true && echo unshared
        nsenter --target 1 --net true && echo entered
        echo 1 >/proc/sys/net/ipv4/ip_forward && echo forwarded
        grep -E 'Cap(Prm|Eff|Bnd|Amb)' /proc/self/status
        ls /proc | grep -c '^[0-9]*$' >/dev/null; ${visit([places.metadata, internet])}`,
    })
    const none = '0'.repeat(16)
    expect(stdout).toBe(
      `CapPrm:\t${none}\nCapEff:\t${none}\nCapBnd:\t${none}\nCapAmb:\t${none}\n` +
        `${refusals([places.metadata])}${internet} reached ${internet}\n`,
    )
  })

  test('a range that the owner allows can be reached, and nothing else, and never the host', async () => {
    const { stdout } = await world.run({
      script: visit([places.privateTen, places.privateSixteen, places.host, places.metadata]),
      allowedRanges: ['10.9.8.0/24', '198.41.0.0/24', 'fd12::/16'],
    })
    expect(stdout).toBe(
      `${places.privateTen} reached ${places.privateTen}\n` +
        refusals([places.privateSixteen, places.host, places.metadata]),
    )
  })

  test('without slirp4netns there is no open network, and no sandbox', async () => {
    const path = await world.addPrograms('bwrap', 'unshare', 'nsenter', 'setpriv', 'sh')
    await expect(world.run({ script: 'echo alive', path })).rejects.toThrow('slirp4netns')
  })

  test('the network of the host is used as it is where the owner says so, without slirp4netns', async () => {
    const { stdout } = await world.run({
      script: visit([internet, places.host]),
      path: await world.addPrograms('bwrap', 'sh'),
      network: 'host',
    })
    expect(stdout).toBe(`${internet} reached ${internet}\n${places.host} reached ${places.host}\n`)
  })

  test('nothing is left when a sandbox has ended, nor when its runner was killed', async () => {
    await world.run({ script: 'sleep 1000 & exit 0' })
    expect(processesOfRunner()).toEqual([])
    const runner = await world.startRunner({ script: 'sleep 1000' })
    await waitFor(() => processesOfRunner().some((line) => line.startsWith('sleep')), { what: 'the agent' })
    expect(processesOfRunner().join('\n')).toContain('slirp4netns')
    runner.kill('SIGKILL')
    await expect(waitFor(() => processesOfRunner().length === 0, { what: 'the end' })).resolves.toBe(true)
  })
})
