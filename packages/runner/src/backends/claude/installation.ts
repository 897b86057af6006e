import { existsSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { query } from '@anthropic-ai/claude-agent-sdk'
import { readPackageVersion } from '../package-version.ts'

export interface ClaudeInstallation {
  readonly query: typeof query
  /** The native program the SDK talks to. */
  readonly program: string
}

const SDK = '@anthropic-ai/claude-agent-sdk'
const INSTALL_HINT = `Install it next to the runner: npm install ${SDK}@0.3.325`

/** Throws with what is missing and how to install it. The SDK's licence does not allow bundling it. */
export async function loadClaude(programPath?: string): Promise<ClaudeInstallation> {
  const program = findClaude(programPath)
  const sdk = await import('@anthropic-ai/claude-agent-sdk')
  return { query: sdk.query, program }
}

/** Throws like `loadClaude`. */
export function findClaude(programPath?: string): string {
  const sdkPath = findSdk()
  if (programPath !== undefined) {
    if (existsSync(programPath)) return realpathSync(programPath)
    throw new Error(`Claude program not found at ${programPath}. ${INSTALL_HINT}`)
  }
  const { resolve } = createRequire(sdkPath)
  const system = `${process.platform}-${process.arch}`
  for (const libc of ['', '-musl']) {
    try {
      return realpathSync(resolve(`${SDK}-${system}${libc}/claude`))
    } catch {
      // The package manager installs whichever of the two matches.
    }
  }
  throw new Error(`Claude is installed without its program for ${system}. ${INSTALL_HINT} --include=optional`)
}

/** The SDK's version, which matches the program's. Undefined if the package doesn't say. */
export function readClaudeVersion(): string | undefined {
  return readPackageVersion(join(dirname(findSdk()), 'package.json'))
}

function findSdk(): string {
  try {
    return createRequire(import.meta.url).resolve(SDK)
  } catch {
    throw new Error(`Claude is not installed. ${INSTALL_HINT}`)
  }
}
