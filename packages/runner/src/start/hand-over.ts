import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { ConfigError } from '@skein/contract'
import type { RunnerUser } from './runner-user.ts'

/** What a runner keeps in its folder. A folder with anything else was named by mistake. */
const KEPT = new Set(['agents', 'blobs', 'conversations', 'front.sock', 'hooks', 'mirrors'])

/** Creates a folder owned by the user, or changes the owner if a runner used it as root. */
export function handOverFolder(path: string, user: RunnerUser): void {
  if (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true })
    mkdirSync(path, { mode: 0o700 })
    chownSync(path, user.uid, user.gid)
    return
  }
  const dir = realpathSync(path)
  const { uid } = statSync(dir)
  if (uid === user.uid) return
  if (uid !== 0 || readdirSync(dir).some((name) => !KEPT.has(name))) {
    throw new ConfigError(
      `The runner switches to the user ${user.uid}, who does not own ${dir}. Change its owner ` +
        `(chown -R ${user.uid}:${user.gid} ${dir}), or set SKEIN_RUNNER_USER to its owner.`,
    )
  }
  // The system's tool descends by descriptors, so no link left by an agent is followed.
  execFileSync('chown', ['-RhP', `${user.uid}:${user.gid}`, '--', dir], { stdio: 'ignore' })
}
