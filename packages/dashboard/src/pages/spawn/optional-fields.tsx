import { ChevronDown } from 'lucide-react'
import { useId, useState, type ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'

/** Optional fields. Collapsed on a phone, unless something in them is wrong or filled in. */
export function OptionalFields({
  isNeeded,
  children,
}: {
  readonly isNeeded: boolean
  readonly children: ReactNode
}) {
  const [isChosen, setIsChosen] = useState(false)
  const id = useId()
  const isOpen = isChosen || isNeeded
  return (
    <div className="flex min-w-0 flex-col gap-5">
      {!isNeeded && (
        <Button
          className="lg:hidden"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setIsChosen(!isChosen)}
        >
          <ChevronDown size={16} aria-hidden className={classNames(isOpen && 'rotate-180')} />
          More options
        </Button>
      )}
      <div id={id} className={classNames('flex min-w-0 flex-col gap-5', !isOpen && 'max-lg:hidden')}>
        {children}
      </div>
    </div>
  )
}
