import type { FleetItem } from '../../../live/fleet-item.ts'
import type { Choice } from '../../../ui/field.tsx'

const MAX_CHOICES = 200

/** The owners of the listed agents, by name. */
export function listAccounts(items: readonly FleetItem[]): readonly string[] {
  const accounts = new Set<string>()
  for (const { entry } of items) {
    const { ownerProvider, account } = entry.agentId
    accounts.add(ownerProvider === 'PROVIDER_SERVICE_PROFILE' ? `service_profile/${account}` : account)
  }
  return [...accounts].sort().slice(0, MAX_CHOICES)
}

/** Options for everything listed, and for the current choice even if it is no longer listed. */
export function toChoices(
  usual: readonly Choice[],
  names: readonly string[],
  chosen: string | undefined,
  labelOf: (name: string) => string = (name) => name,
): readonly Choice[] {
  const known = new Set(usual.map(({ value }) => value))
  const others = new Set(names.filter((name) => !known.has(name)))
  if (chosen !== undefined && !known.has(chosen)) others.add(chosen)
  return [...usual, ...[...others].sort().map((name) => ({ value: name, label: labelOf(name) }))]
}
