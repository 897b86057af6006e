import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, realpath, rm } from 'node:fs/promises'
import { isAbsolute, join, relative } from 'node:path'

/** Below the agent's state directory. */
const HOME = 'codex'
/** Codex's folder for transcripts. */
const TRANSCRIPTS = 'sessions'

/** Whom Codex trusts, below its home. */
const AUTHORITIES = 'authorities.pem'

export function authoritiesPath(home: string): string {
  return join(home, AUTHORITIES)
}

/**
 * Creates a home that contains only transcripts, as on a host that has never seen the agent. Agents can write here,
 * so anything else may be a trap, such as a link to a file of the host.
 */
export async function prepareHome(stateDir: string, config: string, authorities?: string): Promise<string> {
  const home = join(stateDir, HOME)
  await makeDirectory(home)
  for (const name of await readdir(home)) {
    if (name !== TRANSCRIPTS) await rm(join(home, name), { recursive: true, force: true })
  }
  await writeNew(join(home, 'config.toml'), config)
  if (authorities !== undefined) await writeNew(authoritiesPath(home), authorities)
  return home
}

async function writeNew(path: string, content: string): Promise<void> {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
  const file = await open(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o600)
  try {
    await file.writeFile(content)
  } finally {
    await file.close()
  }
}

async function makeDirectory(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined)
  if (found && !found.isDirectory()) await rm(path, { force: true })
  await mkdir(path, { recursive: true, mode: 0o700 })
}

/** Relative to the state directory; empty if the path is not a transcript. */
export async function transcriptPath(stateDir: string, path: string | null | undefined): Promise<string> {
  // Codex follows links and reports the file's real path.
  for (const dir of [stateDir, await realpath(stateDir)]) {
    const below = relative(join(dir, HOME, TRANSCRIPTS), path ?? '')
    if (below !== '' && !below.startsWith('..') && !isAbsolute(below)) return join(HOME, TRANSCRIPTS, below)
  }
  return ''
}

export async function hasTranscript(stateDir: string, transcript: string): Promise<boolean> {
  const found = await lstat(join(stateDir, transcript)).catch(() => undefined)
  return found?.isFile() ?? false
}
