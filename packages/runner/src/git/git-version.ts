import { gitEnvironment } from './git-environment.ts'
import { runGit } from './run-git.ts'

/** The first version that supports `http.curloptResolve`. Older ones silently ignore it. */
const [MAJOR, MINOR] = [2, 37]

let isFound: Promise<boolean> | undefined

/** Whether the host's git can be made to connect to given addresses only. */
export function canPinAddresses(hostEnv: Readonly<NodeJS.ProcessEnv>): Promise<boolean> {
  isFound ??= runGit({ args: ['--version'], env: gitEnvironment(hostEnv) }).then(({ stdout }) =>
    isNewEnough(stdout),
  )
  return isFound
}

export function isNewEnough(version: string): boolean {
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(version)?.map(Number) ?? []
  return major > MAJOR || (major === MAJOR && minor >= MINOR)
}
