import { join } from 'node:path'
import type { DataDir } from './data-dir.ts'
import type { DevState } from './dev-state.ts'
import type { DevSandbox } from './dev-sandbox.ts'
import { findProgram, passOn } from './programs.ts'
import type { ProgramSpec } from './supervised-program.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Short, so that an agent continues within seconds after a SIGKILL. Everything is local. */
const LEASE_MS = '10000'

export function serverSpec(
  env: Environment,
  facts: {
    readonly state: DevState
    readonly databaseUrl: string
    readonly port: number
    readonly baseUrl: string
  },
): ProgramSpec {
  return {
    name: 'server',
    script: findProgram('server'),
    args: ['serve'],
    env: {
      SKEIN_LEASE_MS: LEASE_MS,
      SKEIN_SHUTDOWN_GRACE_MS: '3000',
      // With a single user, a slow response is better than none.
      SKEIN_MAX_EVENT_LOOP_DELAY_MS: '0',
      // The only tenant is the person using this machine.
      SKEIN_CEILING: 'none',
      ...passOn(env, { withProviders: false }),
      SKEIN_PUBLIC_URL: facts.baseUrl,
      SKEIN_DATABASE_URL: facts.databaseUrl,
      SKEIN_LISTEN_DATABASE_URL: '',
      SKEIN_READ_DATABASE_URL: '',
      SKEIN_MASTER_KEY: facts.state.masterKey,
      SKEIN_HOST: '127.0.0.1',
      SKEIN_PORT: String(facts.port),
    },
  }
}

export function simulatorSpec(env: Environment, scripts: string): ProgramSpec {
  return {
    name: 'simulator',
    script: findProgram('simulator'),
    args: ['--json', '--scripts', scripts],
    env: passOn(env, { withProviders: false }),
  }
}

export function runnerSpec(
  env: Environment,
  facts: {
    readonly state: DevState
    readonly dataDir: DataDir
    readonly baseUrl: string
    readonly simulatorUrl: string | undefined
    readonly sandbox: DevSandbox | undefined
  },
): ProgramSpec {
  const { simulatorUrl } = facts
  return {
    name: 'runner',
    script: findProgram('runner'),
    args: [],
    env: {
      SKEIN_RUNNER_DRAIN_MS: '3000',
      // Without bubblewrap agents could not start otherwise: their default policy is gateway.
      SKEIN_RUNNER_HOST_NETWORK: 'true',
      // The person who writes workspaces here uses this machine, and reaches all of these anyway.
      SKEIN_RUNNER_REPO_RANGES:
        '127.0.0.0/8,::1,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,fc00::/7',
      ...passOn(env, { withProviders: simulatorUrl === undefined }),
      SKEIN_URL: facts.baseUrl,
      SKEIN_API_KEY: facts.state.runnerKey,
      SKEIN_RUNNER_DATA_DIR: facts.dataDir.runner,
      SKEIN_RUNNER_BLOBS: `file:${join(facts.dataDir.runner, 'conversations')}`,
      // By default both are offered: the runner then reports what works, and the pool chooses.
      SKEIN_RUNNER_SANDBOXES: facts.sandbox ?? 'process,bubblewrap',
      SKEIN_RUNNER_LOCAL_REPOS: 'true',
      ...(simulatorUrl !== undefined && {
        ANTHROPIC_API_KEY: 'simulated',
        ANTHROPIC_BASE_URL: simulatorUrl,
        OPENAI_API_KEY: 'simulated',
        OPENAI_BASE_URL: `${simulatorUrl}/v1`,
      }),
    },
  }
}
