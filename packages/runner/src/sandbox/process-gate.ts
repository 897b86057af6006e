import type { Launch } from './program.ts'

/** Variables a shell adds by itself. */
const ADDED = ['PWD', 'OLDPWD', 'SHLVL', '_']

/**
 * Holds a program back until its input arrives, which happens after it was put under its limits. Otherwise it could
 * start others before that, without limits.
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
