import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { ConfigError } from '@skein/contract'

export interface RunnerUser {
  readonly uid: number
  readonly gid: number
}

/** Made by whoever packages or installs Skein; used where it exists. */
const OWN_USER = 'skein'

/**
 * Where no user was made for it: a number between the ranges that systemd and Debian hand out, and below 65536,
 * because many containers know no higher one. Not `nobody`, whom other services share.
 */
const FIRST_UID = 60_900
const LAST_UID = 60_999

/** Who a runner becomes that was started as root. What it kept from an earlier start stays with its owner. */
export function chooseRunnerUser(setting: string, dataDir: string): RunnerUser {
  if (setting !== '') return refuseRoot(setting, findUser(setting))
  const owner = statSync(dataDir, { throwIfNoEntry: false })
  if (owner && owner.uid !== 0) {
    const { uid, gid } = owner
    return gid === 0 ? findUser(String(uid)) : { uid, gid }
  }
  return refuseRoot(OWN_USER, lookUpUser(OWN_USER) ?? findUnusedUser())
}

/** By name, by number, or by the numbers of user and group. */
export function findUser(setting: string): RunnerUser {
  const [, uid, gid] = /^(\d+)(?::(\d+))?$/.exec(setting) ?? []
  if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) }
  const user = lookUpUser(setting)
  if (user) return user
  if (uid !== undefined) return { uid: Number(uid), gid: Number(uid) }
  throw new ConfigError(`SKEIN_RUNNER_USER: there is no user ${setting} on this host.`)
}

function refuseRoot(name: string, user: RunnerUser): RunnerUser {
  if (user.uid !== 0 && user.gid !== 0) return user
  throw new ConfigError(
    `The runner cannot be ${name}: that is root, or a member of root’s group. Choose another SKEIN_RUNNER_USER.`,
  )
}

function findUnusedUser(): RunnerUser {
  for (let id = FIRST_UID; id <= LAST_UID; id += 1) if (!lookUpUser(String(id))) return { uid: id, gid: id }
  throw new ConfigError(`No user id is free for the runner. Name a user for it: SKEIN_RUNNER_USER.`)
}

/** `id` knows all users of the system, not only those of a file. */
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
