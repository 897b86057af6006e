import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { ConfigError } from '@skein/contract'

export interface RunnerUser {
  readonly uid: number
  readonly gid: number
}

/** Created by packagers or installers of Skein; used if it exists. */
const OWN_USER = 'skein'

/**
 * Used if there is no such user: between the ranges of systemd and Debian, and below 65536, because many containers
 * know no higher ids. Not `nobody`, which other services share.
 */
const FIRST_UID = 60_900
const LAST_UID = 60_999

/** The user for a runner started as root. Data from an earlier start keeps its owner. */
export function chooseRunnerUser(setting: string, dataDir: string): RunnerUser {
  if (setting !== '') return refuseRoot(setting, findUser(setting))
  const owner = statSync(dataDir, { throwIfNoEntry: false })
  if (owner && owner.uid !== 0) {
    const { uid, gid } = owner
    return gid === 0 ? findUser(String(uid)) : { uid, gid }
  }
  return refuseRoot(OWN_USER, lookUpUser(OWN_USER) ?? findUnusedUser())
}

/** By name, by uid, or by uid and gid. */
export function findUser(setting: string): RunnerUser {
  const [, uid, gid] = /^(\d+)(?::(\d+))?$/.exec(setting) ?? []
  if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) }
  const user = lookUpUser(setting)
  if (user) return user
  if (uid !== undefined) return { uid: Number(uid), gid: Number(uid) }
  throw new ConfigError(`SKEIN_RUNNER_USER: user ${setting} not found on this host.`)
}

function refuseRoot(name: string, user: RunnerUser): RunnerUser {
  if (user.uid !== 0 && user.gid !== 0) return user
  throw new ConfigError(
    `The runner cannot run as ${name}, who is root or a member of root’s group. Choose another SKEIN_RUNNER_USER.`,
  )
}

function findUnusedUser(): RunnerUser {
  for (let id = FIRST_UID; id <= LAST_UID; id += 1) if (!lookUpUser(String(id))) return { uid: id, gid: id }
  throw new ConfigError(`No unused user id was found for the runner. Set SKEIN_RUNNER_USER.`)
}

/** `id` knows all users of the system, not only those in /etc/passwd. */
function lookUpUser(name: string): RunnerUser | undefined {
  try {
    const [uid = NaN, gid = NaN] = ['-u', '-g'].map((flag) =>
      Number(
        execFileSync('id', [flag, '--', name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
      ),
    )
    return Number.isInteger(uid) && Number.isInteger(gid) ? { uid, gid } : undefined
  } catch {
    return undefined
  }
}
