/** Runs the commands of docs/deploy/two-machines.md and then backup.md, on machines that have nothing but Debian 12. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../tree.ts'
import { canFollowPages, followPage } from './follow-page.ts'
import { Machines, type Machine } from './machine.ts'

let machines: Machines | undefined
let folder: string
const machine: Record<string, Machine> = {}

beforeAll(async () => {
  if (!canFollowPages) return
  folder = await mkdtemp(join(tmpdir(), 'skein-page-'))
  machines = await Machines.start('skein-two-machines', 12)
  machine['skein1'] = await machines.add('skein1', '10.0.0.11')
  machine['skein2'] = await machines.add('skein2', '10.0.0.12')
}, 900_000)

afterAll(async () => {
  await machines?.remove()
  if (canFollowPages) await rm(folder, { recursive: true })
})

/** What the page asks to be copied by hand, before the step that needs it. */
async function copyFiles(heading: string): Promise<void> {
  const { skein1, skein2 } = machine
  if (heading.startsWith('2.')) {
    for (const each of [skein1, skein2]) await each?.copyIn(join(root, 'dist'), '/root/dist')
  }
  if (heading.startsWith('5.')) {
    await writeFile(join(folder, 'anthropic-key'), 'a key\n')
    for (const file of ['runner-key', 'ca.crt']) await skein1?.copyOut(`/root/${file}`, join(folder, file))
    for (const file of ['runner-key', 'ca.crt', 'anthropic-key']) {
      await skein2?.copyIn(join(folder, file), `/root/${file}`)
    }
  }
}

test.skipIf(!canFollowPages)(
  'two-machines.md leads from empty machines to a runner that offers a sandbox, within the hour',
  { timeout: 3_600_000 },
  async () => {
    const { output, seconds } = await followPage('docs/deploy/two-machines.md', machine, {
      before: copyFiles,
    })
    const [runner] = (JSON.parse(output) as { runners: { name: string; sandboxes: unknown }[] }).runners
    expect(runner).toMatchObject({ name: 'skein2' })
    expect(JSON.stringify(runner?.sandboxes)).toContain('bubblewrap')
    expect(Object.values(seconds).reduce((sum, each) => sum + each, 0)).toBeLessThan(3_600)
    // Nothing of the page was in vain: both come back with their machines.
    await machine['skein1']?.execute('systemctl is-enabled skein-server caddy postgresql')
    await machine['skein2']?.execute('systemctl is-enabled skein-runner')
  },
)

test.skipIf(!canFollowPages)(
  'backup.md restores the database of a moment, and the key of the first tenant works',
  { timeout: 600_000 },
  async () => {
    const { output } = await followPage('docs/deploy/backup.md', machine)
    expect(output).toContain('ada')
    const skein1 = machine['skein1']
    // The old data is still beside it, so this is what was restored.
    expect(await skein1?.execute('ls /var/lib/postgresql/15')).toBe('main\nmain.old\n')
    await skein1?.execute('systemctl is-active postgresql@15-main skein-server')
  },
)
