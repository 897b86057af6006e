import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'
import { read, root } from '../tree.ts'
import type { Machine } from './machine.ts'
import { readBlocks } from './page-blocks.ts'

const run = promisify(execFile)
const OUTPUT_BYTES = 64 * 1024 * 1024
/** For whoever works on a page: `SKEIN_PAGES_BUILT=1` takes the packages that are in dist. */
const isBuilt = process.env['SKEIN_PAGES_BUILT'] === '1'
const PROGRAMS = ['podman', 'mmdebstrap', 'strip']

/** Whether this machine can be several others. */
export const canFollowPages = process.getuid?.() === 0 && PROGRAMS.every(isInstalled)

function isInstalled(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

export interface PageOptions {
  /** Only these headings. */
  readonly only?: (heading: string) => boolean
  /** What the page asks to be done by hand: called before the first command of a heading. */
  readonly before?: (heading: string) => Promise<void>
}

export interface FollowedPage {
  readonly seconds: Readonly<Record<string, number>>
  /** What the commands printed, by heading. */
  readonly printed: Readonly<Record<string, string>>
  /** What the last ones printed. */
  readonly output: string
}

/** Follows a page from top to bottom. */
export async function followPage(
  page: string,
  machines: Readonly<Record<string, Machine>>,
  { only = () => true, before }: PageOptions = {},
): Promise<FollowedPage> {
  const seconds: Record<string, number> = {}
  const printed: Record<string, string> = {}
  let step = ''
  let output = ''
  const blocks = readBlocks(await read(page)).filter(({ heading }) => only(heading))
  if (blocks.length === 0) throw new Error(`${page} has no such commands`)
  for (const { heading, machines: names, commands } of blocks) {
    if (heading !== step) await before?.(heading)
    step = heading
    const startedAt = performance.now()
    for (const name of names) {
      output = await execute(name, commands, machines)
      printed[heading] = `${printed[heading] ?? ''}${output}`
    }
    seconds[heading] = (seconds[heading] ?? 0) + Math.round((performance.now() - startedAt) / 1000)
  }
  console.log(`${page}: ${JSON.stringify(seconds)}`)
  return { seconds, printed, output }
}

async function execute(
  name: string,
  commands: string,
  machines: Readonly<Record<string, Machine>>,
): Promise<string> {
  if (name === 'build machine') {
    if (isBuilt) return ''
    const { stdout } = await run('bash', ['-eu', '-c', commands], { cwd: root, maxBuffer: OUTPUT_BYTES })
    return stdout
  }
  const machine = machines[name]
  if (machine === undefined) throw new Error(`The page names ${name}, which the test does not have`)
  return machine.execute(commands)
}
