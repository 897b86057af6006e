import { Link } from '@tanstack/react-router'

/** Breadcrumbs of the catalog. */
export function Crumbs({ kind }: { readonly kind?: string }) {
  const look = 'text-accent-text hover:underline'
  return (
    <nav aria-label="Catalog" className="flex flex-wrap gap-1.5 text-sm text-muted">
      <Link to="/catalog" className={look}>
        Catalog
      </Link>
      {kind !== undefined && (
        <>
          <span aria-hidden>/</span>
          <Link to="/catalog/$kind" params={{ kind }} className={look}>
            {kind}
          </Link>
        </>
      )}
    </nav>
  )
}
