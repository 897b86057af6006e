import { join } from 'node:path'
import { ask } from './run.ts'
import { tarballName, type Manifest } from './workspaces.ts'

const tools = join(import.meta.dirname, 'tools')

/** Runs two package linters: one for the manifest, one for the types as compilers see them. */
export async function checkTarballs(out: string, manifests: readonly Manifest[]): Promise<void> {
  await ask(tools, 'npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund')
  const problems: string[] = []
  for (const manifest of manifests) {
    const tarball = join(out, tarballName(manifest))
    for (const [tool, ...args] of [
      ['publint', 'run', '--strict', tarball],
      // The dashboard has no types and passes too.
      ['attw', '--profile', 'esm-only', '--no-emoji', '--no-color', tarball],
    ] as const) {
      await ask(tools, join(tools, 'node_modules', '.bin', tool), ...args).catch((error: Error) =>
        problems.push(error.message),
      )
    }
  }
  if (problems.length > 0) throw new Error(problems.join('\n\n'))
}
