import { UsageError } from '../command-line/usage-error.ts'

/** Most people use a server that somebody else runs, so what starts one is a package of its own. */
export async function requireDev(): Promise<void> {
  try {
    await import('@skein/dev')
  } catch (error) {
    if (!isMissing(error)) throw error
    throw new UsageError(
      'Running Skein on this machine needs the package @skein/dev, which is not installed.',
      'Install both, the same way as the command line: npm install @skein/cli @skein/dev',
    )
  }
}

/** It alone: if something that it needs is missing, its installation is broken, and the error names what. */
function isMissing(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error)) return false
  return error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes("'@skein/dev'")
}
