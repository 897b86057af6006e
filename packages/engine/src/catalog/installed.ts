import { builtInsOf, INSTALLATION_CEILING, type BuiltIn, type Document } from '@skein/core'
import type { EngineResources } from '../resources.ts'

/** The built-ins of this installation: its ceiling comes from the server's settings. */
export function installedOf({ ceiling }: EngineResources, kind: string): readonly BuiltIn[] {
  const builtIns = builtInsOf(kind)
  if (kind !== 'ceiling') return builtIns
  const description = 'The installation’s ceiling, for tenants without their own.'
  return builtIns.map((builtIn) =>
    builtIn.name === INSTALLATION_CEILING ? { ...builtIn, document: { description, ...ceiling } } : builtIn,
  )
}

export function findInstalled(engine: EngineResources, kind: string, name: string): Document | undefined {
  return installedOf(engine, kind).find((builtIn) => builtIn.name === name)?.document
}
