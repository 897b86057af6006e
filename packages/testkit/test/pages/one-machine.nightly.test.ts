/**
 * Runs the commands of docs/deploy/systemd.md, pgbouncer.md and upgrade.md one after the other, on a machine that has
 * nothing but Debian 13 at first.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { waitFor } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../tree.ts'
import { canFollowPages, followPage } from './follow-page.ts'
import { Machines, type Machine } from './machine.ts'

const run = promisify(execFile)
const READYZ = 'curl --silent --show-error http://127.0.0.1:8080/readyz'
const NEW_VERSION = '0.0.1'

let machines: Machines | undefined
let folder: string
let skein1: Machine

beforeAll(async () => {
  if (!canFollowPages) return
  folder = await mkdtemp(join(tmpdir(), 'skein-page-'))
  machines = await Machines.start('skein-one-machine', 13)
  skein1 = await machines.add('skein1', '10.0.0.11')
}, 900_000)

afterAll(async () => {
  await machines?.remove()
  if (canFollowPages) await rm(folder, { recursive: true })
})

test.skipIf(!canFollowPages)(
  'systemd.md, after three steps of two-machines.md, leads to a runner beside the server',
  { timeout: 3_600_000 },
  async () => {
    await followPage(
      'docs/deploy/two-machines.md',
      { skein1 },
      {
        only: (heading) => /^[123]\./.test(heading),
        before: async (heading) => {
          if (heading.startsWith('2.')) await skein1.copyIn(join(root, 'dist'), '/root/dist')
        },
      },
    )
    await writeFile(join(folder, 'anthropic-key'), 'a key\n')
    await skein1.copyIn(join(folder, 'anthropic-key'), '/root/anthropic-key')
    const { output } = await followPage('docs/deploy/systemd.md', { skein1 })
    const [runner] = (JSON.parse(output) as { runners: { name: string; sandboxes: unknown }[] }).runners
    expect(runner).toMatchObject({ name: 'skein1' })
    expect(JSON.stringify(runner?.sandboxes)).toContain('bubblewrap')
    await skein1.execute('systemctl is-enabled skein-server skein-runner postgresql')
  },
)

test.skipIf(!canFollowPages)(
  'pgbouncer.md puts a pooler in front of the database, and notifications still arrive',
  { timeout: 1_200_000 },
  async () => {
    const { output } = await followPage('docs/deploy/pgbouncer.md', { skein1 })
    expect(JSON.parse(output)).toMatchObject({ status: 'ok' })
    expect(output).not.toContain('notificationsLost')
    const pooled = "ss -Htn state established '( dport = :6432 )' | wc -l"
    expect(Number(await skein1.execute(pooled))).toBeGreaterThan(0)
    // Without the second address, the page's check finds it. The server checks once in 15 seconds.
    const settings = '/etc/systemd/system/skein-server.service.d/listen.conf'
    await skein1.execute(`mv ${settings} /root/; systemctl daemon-reload; systemctl restart skein-server`)
    await waitFor(async () => (await skein1.execute(`${READYZ} || true`)).includes('notificationsLost'), {
      what: 'the server to miss its notifications',
      timeoutMs: 120_000,
      intervalMs: 1_000,
    })
    await skein1.execute(
      `mv /root/listen.conf ${settings}; systemctl daemon-reload; systemctl restart skein-server`,
    )
    await waitFor(async () => (await skein1.execute(`${READYZ} || true`)).includes('"ok"'), {
      what: 'the server to be ready',
      timeoutMs: 120_000,
      intervalMs: 1_000,
    })
  },
)

test.skipIf(!canFollowPages)(
  'upgrade.md replaces the packages by those of a new version and takes the old ones back',
  { timeout: 3_600_000 },
  async () => {
    const build = ['run', 'deb', '--', '--out', join(folder, 'new'), '--version', NEW_VERSION]
    await run('npm', build, { cwd: root, maxBuffer: 64 * 1024 * 1024 })
    await skein1.copyIn(join(folder, 'new'), '/root/new')
    const { printed } = await followPage('docs/deploy/upgrade.md', { skein1 })
    expect(printed['Forward']).toContain(`{"status":"ok","version":"${NEW_VERSION}"}`)
    expect(printed['Back']).toContain('{"status":"ok","version":"0.0.0"}')
    const versions = "dpkg-query --show --showformat '${Version} ' skein-server skein-runner"
    expect(await skein1.execute(versions)).toBe('0.0.0 0.0.0 ')
    // What the operator wrote is still there, and so is what was stored.
    await skein1.execute('grep SKEIN_PUBLIC_URL /etc/skein/server.env')
    await skein1.execute('systemctl is-active skein-server skein-runner')
    const whoami =
      'curl --fail --silent http://127.0.0.1:8080/v1/whoami -H "Authorization: Bearer $(cat /root/admin-key)"'
    expect(await skein1.execute(whoami)).toContain('ada')
  },
)
