import { EmptyState } from '../../ui/notice.tsx'

export function DeadLink() {
  return (
    <div className="m-auto">
      <h1 className="sr-only">Skein</h1>
      <EmptyState
        title="This link no longer works"
        icon={<img src="/skein.svg" alt="" className="size-10" />}
      >
        It may have expired or been revoked, or part of it is missing. Ask the sender for a new one.
      </EmptyState>
    </div>
  )
}
