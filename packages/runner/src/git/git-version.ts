import { gitEnvironment } from './git-environment.ts'
import { runGit } from './run-git.ts'

/** The first that heeds `http.curloptResolve`; older ones ignore it without a word. */
const [MAJOR, MINOR] = [2, 37]

let isFound: Promise<boolean> | undefined

/** Whether the host's git connects to the addresses that it is told. */
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
