import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'

/**
 * As in the user's own shell: `npm run` passes on its settings, such as those of this repository's .npmrc, which a
 * user's npm would not have.
 */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')))

/** Returns a program's output. Fails with everything it printed. */
export async function ask(cwd: string, program: string, ...args: string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, args, { cwd, env, maxBuffer: 2 ** 26 })
    return stdout.trim()
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${[program, ...args].join(' ')} failed:\n${stdout}${stderr}`, { cause: error })
  }
}

/** Shows the program's output as it is printed. */
export async function show(cwd: string, program: string, ...args: string[]): Promise<void> {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] })
  const [status] = (await once(child, 'close')) as [number | null]
  if (status !== 0) throw new Error(`${[program, ...args].join(' ')} failed.`)
}
