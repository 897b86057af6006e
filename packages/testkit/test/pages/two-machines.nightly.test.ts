/** Runs the commands of docs/deploy/two-machines.md and then backup.md, on machines that have nothing but Debian. */
import { execFile, execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { read, root } from '../tree.ts'
import { Machines, type Machine } from './machine.ts'
import { readBlocks } from './page-blocks.ts'

const run = promisify(execFile)

function has(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const isPossible = process.getuid?.() === 0 && has('podman') && has('mmdebstrap') && has('strip')

let machines: Machines | undefined
let folder: string
const machine: Record<string, Machine> = {}

beforeAll(async () => {
  if (!isPossible) return
  folder = await mkdtemp(join(tmpdir(), 'skein-page-'))
  machines = await Machines.start('skein-two-machines', '10.0.0.0/24')
  machine['skein1'] = await machines.add('skein1', '10.0.0.11')
  machine['skein2'] = await machines.add('skein2', '10.0.0.12')
}, 600_000)

afterAll(async () => {
  await machines?.remove()
  if (isPossible) await rm(folder, { recursive: true })
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

/** Follows a page from top to bottom. Returns the seconds for each of its headings, and what the last command printed. */
async function follow(page: string): Promise<{ seconds: Record<string, number>; output: string }> {
  const seconds: Record<string, number> = {}
  let step = ''
  let output = ''
  for (const { heading, machine: name, commands } of readBlocks(await read(page))) {
    if (heading !== step) await copyFiles(heading)
    step = heading
    const startedAt = performance.now()
    if (name === 'build machine') await run('bash', ['-eu', '-c', commands], { cwd: root })
    else output = (await machine[name]?.execute(commands)) ?? ''
    seconds[heading] = (seconds[heading] ?? 0) + Math.round((performance.now() - startedAt) / 1000)
  }
  console.log(`${page}: ${JSON.stringify(seconds)}`)
  return { seconds, output }
}

test.skipIf(!isPossible)(
  'two-machines.md leads from empty machines to a runner that offers a sandbox, within the hour',
  { timeout: 3_600_000 },
  async () => {
    const { output, seconds } = await follow('docs/deploy/two-machines.md')
    const [runner] = (JSON.parse(output) as { runners: { name: string; sandboxes: unknown }[] }).runners
    expect(runner).toMatchObject({ name: 'skein2' })
    expect(JSON.stringify(runner?.sandboxes)).toContain('bubblewrap')
    expect(Object.values(seconds).reduce((sum, each) => sum + each, 0)).toBeLessThan(3_600)
    // Nothing of the page was in vain: both come back with their machines.
    await machine['skein1']?.execute('systemctl is-enabled skein-server caddy postgresql')
    await machine['skein2']?.execute('systemctl is-enabled skein-runner')
  },
)

test.skipIf(!isPossible)(
  'backup.md restores the database of a moment, and the key of the first tenant works',
  { timeout: 600_000 },
  async () => {
    const { output } = await follow('docs/deploy/backup.md')
    expect(output).toContain('ada')
    const skein1 = machine['skein1']
    // The old data is still beside it, so this is what was restored.
    expect(await skein1?.execute('ls /var/lib/postgresql/15')).toBe('main\nmain.old\n')
    await skein1?.execute('systemctl is-active postgresql@15-main skein-server')
  },
)
