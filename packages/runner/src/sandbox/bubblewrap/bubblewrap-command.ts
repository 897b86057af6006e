import {
  makeSettings,
  mountDirectories,
  mountMemory,
  mountSystem,
  sealMounts,
  type Connection,
} from './bubblewrap-mounts.ts'
import { completeEnvironment } from '../environment.ts'
import type { Launch } from '../program.ts'
import type { Command, SandboxSpec } from '../sandbox.ts'

export interface BubblewrapOptions {
  readonly spec: SandboxSpec
  readonly home: string
  readonly connection: Connection
  /** Runs the rest of its command line in the sandbox's own network; empty on the host's. */
  readonly enter: readonly string[]
  /** Runs the rest of its command line under limits. */
  readonly limit: readonly string[]
}

/** The start of every bubblewrap command line on the host. */
export const markPrefix = 'bwrap\0--dir\0/run/skein/'

/** The descriptor of the first input. */
const firstFd = 3

/** New namespaces for everything, and no way to regain privileges. */
export function isolate(): string[] {
  return [
    ['--unshare-user', '--uid', '1000', '--gid', '1000', '--disable-userns', '--cap-drop', 'ALL'],
    ['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', '--hostname', 'agent'],
    ['--die-with-parent', '--new-session', '--clearenv'],
  ].flat()
}

/**
 * The command on the host. Bubblewrap itself gets none of the program's environment, which could make it load code.
 */
export function wrapCommand(command: Command, mark: string, options: BubblewrapOptions): Launch {
  const { spec, home, connection, enter, limit } = options
  const env = completeEnvironment(command.env, { HOME: home })
  checkCommand(command, env)
  const files = makeSettings(home, connection)
  const reportFd = firstFd + 1 + files.length
  const flags = [
    '--info-fd',
    String(reportFd),
    ...isolate(),
    ...mountSystem(connection),
    ...files.flatMap(({ path }, index) => [
      '--perms',
      '0444',
      '--ro-bind-data',
      String(firstFd + 1 + index),
      path,
    ]),
    ...mountMemory(spec.limits.memoryMib),
    ...mountDirectories(spec),
    '--chdir',
    command.workDir,
    ...setVariables(env),
    ...sealMounts,
  ]
  // The mark has no use inside. The flags are passed through a descriptor, because every user of the host can read a
  // command line.
  const [program = '', ...args] = [
    [...enter, 'bwrap', '--dir', `/run/skein/${mark}`, '--args', String(firstFd), '--', ...limit],
    runProgram(command),
  ].flat()
  return {
    program,
    args,
    env: { PATH: process.env['PATH'] ?? '' },
    workDir: '/',
    inputs: [joinParts(flags), ...files.map(({ content }) => content)],
    tellsChild: true,
  }
}

/** A NUL inside a part would start another part, such as a flag that mounts the host. */
function joinParts(parts: readonly string[]): string {
  if (parts.some((part) => part.includes('\0'))) throw new Error('A command must not contain NUL')
  return parts.join('\0')
}

function checkCommand(command: Command, env: Readonly<Record<string, string>>): void {
  if (command.program === '') throw new Error('A command needs a program')
  for (const name of Object.keys(env)) {
    if (name === '' || name.includes('=')) throw new Error(`Not a valid variable name: "${name}"`)
  }
}

function setVariables(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value])
}

/** Bubblewrap adds PWD; `env` removes it again, and exits with 127 if the program is missing. */
function runProgram({ program, args, env }: Command): string[] {
  const pwd = env['PWD']
  return [
    '/usr/bin/env',
    ...(pwd === undefined ? ['-u', 'PWD', '--'] : ['--', `PWD=${pwd}`]),
    program,
    ...args,
  ]
}
