import { existsSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { readPackageVersion } from '../package-version.ts'

export interface CodexLocation {
  /** The native program, not npm's wrapper script. */
  readonly program: string
  /** Folder with everything the program needs. */
  readonly root: string
}

/** Codex's names for platforms: the package's suffix, and the folder inside. */
const TARGETS: Readonly<Record<string, string>> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
}

const INSTALL_HINT = 'Install it next to the runner: npm install @openai/codex@0.166.0'

/** Throws with what is missing and how to install it. */
export function findCodex(programPath?: string): CodexLocation {
  if (programPath !== undefined) {
    if (!existsSync(programPath))
      throw new Error(`Codex program not found at ${programPath}. ${INSTALL_HINT}`)
    const program = realpathSync(programPath)
    const packageDir = dirname(dirname(program))
    return { program, root: existsSync(join(packageDir, 'codex-package.json')) ? packageDir : program }
  }
  const system = `${process.platform}-${process.arch}`
  const target = TARGETS[system]
  if (target === undefined) throw new Error(`Codex does not support ${system}`)
  const root = join(findPackage(`@openai/codex-${system}`), 'vendor', target)
  const program = join(root, 'bin', 'codex')
  if (!existsSync(program)) {
    throw new Error(`The package @openai/codex-${system} does not contain the program. ${INSTALL_HINT}`)
  }
  return { program, root }
}

/** Version of the installed package. Undefined if it doesn't say. */
export function readCodexVersion(): string | undefined {
  return readPackageVersion(createRequire(import.meta.url).resolve('@openai/codex/package.json'))
}

/** The platform package is a dependency of Codex, so it may be installed where only Codex finds it. */
function findPackage(name: string): string {
  const own = createRequire(import.meta.url)
  let codex: string
  try {
    codex = own.resolve('@openai/codex/package.json')
  } catch {
    throw new Error(`Codex is not installed. ${INSTALL_HINT}`)
  }
  try {
    return dirname(realpathSync(createRequire(codex).resolve(`${name}/package.json`)))
  } catch {
    throw new Error(
      `Codex is installed without its package for this system, ${name}. ${INSTALL_HINT} --include=optional`,
    )
  }
}
