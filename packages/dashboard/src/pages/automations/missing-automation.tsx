import { EmptyState } from '../../ui/notice.tsx'

export function MissingAutomation({ kind, name }: { readonly kind: string; readonly name: string }) {
  return (
    <>
      <h1 className="sr-only">{name}</h1>
      <EmptyState title={`No ${kind} named ${name}`}>It may have been deleted.</EmptyState>
    </>
  )
}
