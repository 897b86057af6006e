import { acpBackend } from '../backends/acp/acp-backend.ts'
import type { Backend, BackendProbe, ProgramSetup } from '../backends/backend.ts'
import { claudeBackend } from '../backends/claude/claude-backend.ts'
import { codexBackend } from '../backends/codex/codex-backend.ts'
import type { RunnerConfig } from '../config.ts'
import { anthropicBaseUrl, gatewayUrl, openaiBaseUrl } from '../gateway/base-urls.ts'
import type { OfferedBackend } from '../backends/offered-backend.ts'
import type { FrontAddress } from '../sandbox/sandbox.ts'

export interface Candidate extends OfferedBackend {
  /** The setting needed to call its model; empty if none is missing. */
  readonly missingSetting: string
}

/** Whether its program is installed and its provider has a key. */
export async function probeCandidate({ missingSetting, backend }: Candidate): Promise<BackendProbe> {
  if (missingSetting === '') return backend.probe()
  return { isUsable: false, reason: `${missingSetting} is not set: set it and restart the runner.` }
}

/** The backends this runner should offer. */
export function listCandidates(config: RunnerConfig, front: FrontAddress): Candidate[] {
  const gateway = gatewayUrl(front)
  const missing = (name: 'ANTHROPIC_API_KEY' | 'OPENAI_API_KEY'): string =>
    config[name] === '' && !config.SKEIN_RUNNER_TENANT_KEYS_ONLY ? name : ''
  return [
    {
      backend: claudeBackend(),
      gatewayUrl: anthropicBaseUrl(gateway),
      provider: 'anthropic',
      missingSetting: missing('ANTHROPIC_API_KEY'),
    },
    {
      backend: codexBackend(),
      gatewayUrl: openaiBaseUrl(gateway),
      provider: 'openai',
      missingSetting: missing('OPENAI_API_KEY'),
    },
    ...config.SKEIN_RUNNER_ACP.split(';')
      .filter((entry) => entry !== '')
      .map((entry) => ({ backend: readAcpBackend(entry), gatewayUrl: gateway, missingSetting: '' })),
  ]
}

/**
 * `name=/path/to/program arguments`. The agent finds both providers behind our gateway, through the usual variables.
 */
function readAcpBackend(entry: string): Backend {
  const [name = '', line = ''] = entry.split(/=(.*)/s)
  const [command = '', ...args] = line.trim().split(/\s+/)
  return acpBackend({ name, command, args, programPaths: [command], environment: gatewayVariables })
}

function gatewayVariables({ gateway: { url, token }, model }: ProgramSetup): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: anthropicBaseUrl(url),
    ANTHROPIC_API_KEY: token,
    ANTHROPIC_MODEL: model,
    OPENAI_BASE_URL: openaiBaseUrl(url),
    OPENAI_API_KEY: token,
    OPENAI_MODEL: model,
  }
}
