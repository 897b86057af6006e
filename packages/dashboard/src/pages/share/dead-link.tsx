import { EmptyState } from '../../ui/notice.tsx'

export function DeadLink() {
  return (
    <div className="m-auto">
      <h1 className="sr-only">Skein</h1>
      <EmptyState title="This link does not work" icon={<img src="/skein.svg" alt="" className="size-10" />}>
        It may have expired or been taken back, or a part of it is missing. Ask whoever sent it for a new one.
      </EmptyState>
    </div>
  )
}
