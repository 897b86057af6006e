import type { Backend, Capabilities } from '../backend.ts'
import { startClaude } from './claude-program.ts'
import { findClaude, loadClaude, readClaudeVersion } from './installation.ts'
import { BACKEND_NAME, EFFORTS } from './program-options.ts'

interface ClaudeBackendOptions {
  /** Default: the one that comes with the SDK. */
  readonly programPath?: string
}

/** Claude Code, through its SDK. */
export function claudeBackend({ programPath }: ClaudeBackendOptions = {}): Backend {
  return {
    name: BACKEND_NAME,
    capabilities: describeModel,

    probe: async () => {
      try {
        await loadClaude(programPath)
        const version = programPath === undefined ? readClaudeVersion() : undefined
        return { isUsable: true, ...(version !== undefined && { version }) }
      } catch (error) {
        return { isUsable: false, reason: error instanceof Error ? error.message : String(error) }
      }
    },

    programPaths: async () => {
      try {
        return [findClaude(programPath)]
      } catch {
        // The first turn reports it.
        return []
      }
    },

    open: (setup) => startClaude(setup, () => loadClaude(programPath)),
  }
}

function describeModel(model: string): Capabilities {
  return {
    efforts: EFFORTS,
    tiers: [],
    // Other models accept the setting and ignore it.
    hasFastMode: /opus/.test(model),
    canSteer: true,
    canResume: true,
    structuredOutput: 'validated',
  }
}
