import { useQuestionCount } from './use-question-count.ts'

/** The number of agents asking something, shown on every page. */
export function InboxCount() {
  const count = useQuestionCount()
  if (count === 0) return null
  return (
    <span className="rounded-full bg-waiting-soft px-1.5 text-xs font-bold text-waiting tabular-nums max-lg:absolute max-lg:top-0.5 max-lg:ml-9 lg:ml-auto">
      {count}
      <span className="sr-only"> need an answer</span>
    </span>
  )
}
