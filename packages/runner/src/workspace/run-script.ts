import { collectOutput, type CollectedOutput } from '../sandbox/collect-output.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { AgentNames } from './agent-names.ts'

export interface Script {
  /** For a POSIX shell. Inputs are variables, never part of the text. */
  readonly text: string
  readonly variables: Readonly<Record<string, string>>
  readonly stdin?: string
  readonly timeoutMs: number
  readonly maxBytes?: number
}

/**
 * Runs one of our scripts in the sandbox. Everything that touches a directory an agent can write to is done this
 * way, so that its configuration, hooks and links affect only the agent itself.
 */
export function runScript(sandbox: Sandbox, script: Script): Promise<CollectedOutput> {
  const program = sandbox.spawn({
    program: 'sh',
    args: ['-c', script.text],
    env: { LC_ALL: 'C', ...script.variables },
    workDir: sandbox.spec.workDir,
  })
  return collectOutput(program, {
    maxBytes: script.maxBytes ?? 1024 * 1024,
    stdin: script.stdin ?? '',
    timeoutMs: script.timeoutMs,
  })
}

/** Keeps the agent's own configuration out of what we do with its repository. */
export function gitVariables({ person }: AgentNames, workRoot: string): Record<string, string> {
  return {
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    // A folder that isn't a repository must not be mistaken for part of one further up.
    GIT_CEILING_DIRECTORIES: workRoot,
    GIT_AUTHOR_NAME: person.name,
    GIT_AUTHOR_EMAIL: person.email,
    GIT_COMMITTER_NAME: person.name,
    GIT_COMMITTER_EMAIL: person.email,
  }
}

export function describeFailure({ code, stderr, isTimedOut }: CollectedOutput): string {
  if (isTimedOut) return 'it took too long'
  return stderr.trim().split('\n').slice(-3).join('; ').slice(0, 500) || `exit code ${code ?? 'none'}`
}
