import { FlexRender, type Row } from '@tanstack/react-table'
import { memo } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { COLUMN_CLASSES, type FEATURES } from './columns.tsx'
import { isSameRow, type FleetRow } from './fleet-row.ts'
import { NameCell } from './name-cell.tsx'

interface LineProps {
  readonly row: Row<typeof FEATURES, FleetRow>
  readonly line: FleetRow
  readonly index: number
  readonly isTree: boolean
  readonly isTabStop: boolean
  readonly onFocus: (key: string) => void
  readonly onExpand: (key: string, isExpanded: boolean) => void
}

/** A row of the table. In the tree the row itself takes the focus, as screen readers expect of one. */
export const FleetLine = memo(function FleetLine({
  row,
  line,
  index,
  isTree,
  isTabStop,
  onFocus,
  onExpand,
}: LineProps) {
  const { key } = line.item
  const treeProps = isTree && {
    tabIndex: isTabStop ? 0 : -1,
    'data-row-focus': key,
    'aria-level': line.level,
    'aria-posinset': line.position,
    'aria-setsize': line.siblings,
    ...(line.children > 0 && { 'aria-expanded': line.isExpanded }),
  }
  return (
    <tr
      aria-rowindex={index + 2}
      {...treeProps}
      onFocus={() => onFocus(key)}
      className={classNames(
        'group h-11 hover:bg-raised/60 focus-within:bg-raised/60 focus-visible:-outline-offset-2',
        !line.isMatch && 'opacity-65',
      )}
    >
      {row.getAllCells().map((cell) => {
        const { id } = cell.column
        const classes = classNames('h-11 border-b border-line px-3 tabular-nums', COLUMN_CLASSES[id])
        return id === 'agent' ? (
          <NameCell
            key={id}
            line={line}
            isTree={isTree}
            isTabStop={isTabStop}
            onExpand={onExpand}
            className={classes}
          />
        ) : (
          <td key={id} role={isTree ? 'gridcell' : 'cell'} className={classes}>
            <FlexRender cell={cell} />
          </td>
        )
      })}
    </tr>
  )
}, isSameLine)

/** The table makes new row objects with every scroll; what they show is in the line. */
function isSameLine(before: LineProps, after: LineProps): boolean {
  return (
    isSameRow(before.line, after.line) &&
    before.index === after.index &&
    before.isTree === after.isTree &&
    before.isTabStop === after.isTabStop &&
    before.onFocus === after.onFocus &&
    before.onExpand === after.onExpand
  )
}
