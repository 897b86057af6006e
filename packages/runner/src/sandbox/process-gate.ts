import type { Launch } from './program.ts'

/** Variables that a shell adds to what it was given. */
const ADDED = ['PWD', 'OLDPWD', 'SHLVL', '_']

/**
 * Keeps a program from starting until it has been put under its limits, which is when its input arrives: it could have
 * started others before that, and those would have none.
 */
export function waitForAdmission(
  line: readonly string[],
  { env, workDir }: Pick<Launch, 'env' | 'workDir'>,
): Launch {
  const given = ADDED.filter((name) => name in env).map((name) => `${name}=${env[name]}`)
  const added = ADDED.flatMap((name) => (name in env ? [] : ['-u', name]))
  const wait = 'read -r _ <&3 || exit 125; exec 3<&-; exec "$@"'
  return {
    program: '/bin/sh',
    args: ['-c', wait, 'sh', '/usr/bin/env', ...added, '--', ...given, ...line],
    env,
    workDir,
    inputs: ['\n'],
    tellsChild: false,
  }
}
