import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'

/**
 * As in a shell of the user's own: `npm run` hands its settings down, such as those of this repository's .npmrc, and a
 * user's npm would not have them.
 */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')))

/** What a program prints. Fails with everything that it said. */
export async function ask(cwd: string, program: string, ...args: string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, args, { cwd, env, maxBuffer: 2 ** 26 })
    return stdout.trim()
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${[program, ...args].join(' ')} failed:\n${stdout}${stderr}`, { cause: error })
  }
}

/** Shows what the program prints, as it prints it. */
export async function show(cwd: string, program: string, ...args: string[]): Promise<void> {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] })
  const [status] = (await once(child, 'close')) as [number | null]
  if (status !== 0) throw new Error(`${[program, ...args].join(' ')} failed.`)
}
