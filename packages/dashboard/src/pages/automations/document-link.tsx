import { Link } from '@tanstack/react-router'
import { buttonClasses } from '../../ui/button.tsx'

/** To the document in the catalog, where it is edited. */
export function DocumentLink({
  kind,
  name,
}: {
  readonly kind: 'integration' | 'trigger' | 'schedule'
  readonly name: string
}) {
  return (
    <Link to="/catalog/$kind/$name" params={{ kind, name }} className={buttonClasses()}>
      Document
    </Link>
  )
}
