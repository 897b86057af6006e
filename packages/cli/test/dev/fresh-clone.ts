import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const repository = fileURLToPath(new URL('../../../../', import.meta.url))
const run = promisify(execFile)

/** A newcomer's first steps before `skein dev`: the last commit of this repository, in a separate folder. */
export async function cloneRepository(folder: string): Promise<string> {
  const clone = join(folder, 'clone')
  await run('git', ['clone', '--quiet', '--no-local', `file://${repository}`, clone])
  await mkdir(join(clone, 'home'))
  return clone
}

export async function installPackages(clone: string): Promise<void> {
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: clone, maxBuffer: 2 ** 26 })
}

/** The first agent, up to its end. Answers what the person sees. */
export async function followFirstAgent(clone: string, work: string): Promise<string> {
  const args = ['skein', 'spawn', '--name', 'first', '--follow', work]
  const { stdout } = await run('npx', args, { cwd: clone, env: terminalIn(clone) })
  return stdout
}

/** As a second terminal in the clone: no key and no address but those that `skein dev` has stored. */
function terminalIn(clone: string): NodeJS.ProcessEnv {
  const skein = /^(?:SKEIN_|ANTHROPIC_|OPENAI_)/
  const kept = Object.entries(process.env).filter(([name]) => !skein.test(name))
  return { ...Object.fromEntries(kept), HOME: join(clone, 'home') }
}
