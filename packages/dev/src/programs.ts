import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { DevError } from './dev-error.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The packages are never imported: each is a separate process, as in production. */
const PACKAGES = {
  server: () => import.meta.resolve('@skein/server'),
  runner: () => import.meta.resolve('@skein/runner'),
  simulator: () => import.meta.resolve('@skein/simulator'),
} as const

/** The package's program is next to its index, both in the sources and in the build. */
export function findProgram(name: keyof typeof PACKAGES): string {
  const index = PACKAGES[name]()
  return fileURLToPath(new URL(index.endsWith('.ts') ? './main.ts' : './main.js', index))
}

/** Without files of secrets: `skein dev` sets these secrets itself. */
const PASSED_ON =
  /^(?!SKEIN_.*_FILE$)(PATH|HOME|LANG|LC_.*|TZ|TMPDIR|NODE_(EXTRA_CA_CERTS|COMPILE_CACHE)|(HTTPS?|NO)_PROXY|SKEIN_.*|OTEL_.*)$/i
const PROVIDER = /^(ANTHROPIC|OPENAI)_(API_KEY(_FILE)?|BASE_URL)$/

/** The part of the user's environment a program may see. Only the runner gets provider keys. */
export function passOn(
  env: Environment,
  options: { readonly withProviders: boolean },
): Record<string, string> {
  const passed: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue
    if (PASSED_ON.test(name) || (options.withProviders && PROVIDER.test(name))) passed[name] = value
  }
  return passed
}

/** Runs one command of the server. Returns its output. */
export async function runServerCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [findProgram('server'), ...args], {
      env,
      signal,
    })
    return stdout
  } catch (error) {
    signal.throwIfAborted()
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error)
    throw new DevError(`skein-server ${args[0]} failed: ${said}`)
  }
}
