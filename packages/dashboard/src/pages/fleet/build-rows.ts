import type { FleetItem } from '../../live/fleet-item.ts'
import type { FleetRow } from './fleet-row.ts'
import type { CompareItems } from './sort-items.ts'

interface Choice {
  readonly isMatch: (item: FleetItem) => boolean
  readonly compare: CompareItems
}

/** One row per match. */
export function buildTable(items: readonly FleetItem[], { isMatch, compare }: Choice): readonly FleetRow[] {
  const matches = items.filter(isMatch).sort(compare)
  return matches.map((item, index) => ({
    item,
    name: item.title,
    level: 1,
    position: index + 1,
    siblings: matches.length,
    children: 0,
    isExpanded: false,
    isMatch: true,
  }))
}

/**
 * Matches with their ancestors, which stay visible. A child whose parent is not in the list (it has ended, or
 * belongs to someone else) is at the top level.
 */
export function buildTree(
  items: readonly FleetItem[],
  { isMatch, compare, collapsed }: Choice & { readonly collapsed: ReadonlySet<string> },
): readonly FleetRow[] {
  const byKey = new Map(items.map((item) => [item.key, item]))
  const matches = new Set<string>()
  const shown = new Set<FleetItem>()
  for (const item of items) {
    if (!isMatch(item)) continue
    matches.add(item.key)
    for (
      let next: FleetItem | undefined = item;
      next !== undefined && !shown.has(next);
      next = byKey.get(next.parentKey)
    ) {
      shown.add(next)
    }
  }
  const children = new Map<string, FleetItem[]>()
  for (const item of shown) {
    const parentKey = byKey.has(item.parentKey) ? item.parentKey : ''
    const siblings = children.get(parentKey)
    if (siblings === undefined) children.set(parentKey, [item])
    else siblings.push(item)
  }
  const rows: FleetRow[] = []
  const addLevel = (parentKey: string, level: number): void => {
    const siblings = children.get(parentKey)?.sort(compare) ?? []
    for (const [index, item] of siblings.entries()) {
      const count = children.get(item.key)?.length ?? 0
      const isExpanded = count > 0 && !collapsed.has(item.key)
      rows.push({
        item,
        name: level === 1 ? item.title : (item.entry.agentId.agent.at(-1) ?? item.title),
        level,
        position: index + 1,
        siblings: siblings.length,
        children: count,
        isExpanded,
        isMatch: matches.has(item.key),
      })
      if (isExpanded) addLevel(item.key, level + 1)
    }
  }
  addLevel('', 1)
  return rows
}
