import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export interface MenuItem {
  readonly label: string
  readonly icon?: ReactNode
  readonly isDangerous?: boolean | undefined
  readonly isDisabled?: boolean | undefined
  readonly onSelect: () => void
}

/** A button that opens a list of actions, navigable by arrow keys and typing. */
export function Menu({
  trigger,
  items,
}: {
  readonly trigger: ReactNode
  readonly items: readonly MenuItem[]
}) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          className="z-50 min-w-44 rounded-lg border border-line bg-surface p-1 shadow-raised"
        >
          {items.map((item) => (
            <DropdownMenu.Item
              key={item.label}
              disabled={item.isDisabled ?? false}
              onSelect={item.onSelect}
              className={classNames(
                'flex cursor-pointer items-center gap-2 rounded-md px-2.5 py-1.5 text-sm outline-none',
                'data-disabled:cursor-not-allowed data-disabled:opacity-50 data-highlighted:bg-raised',
                item.isDangerous === true && 'text-failed',
              )}
            >
              {item.icon}
              {item.label}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
