import type { TextProblem } from '@skein/resource-files'
import { CircleAlert, CircleCheck } from 'lucide-react'
import { lineAt } from './text-line.ts'

/** Problems line by line, each with a link to its position. */
export function ProblemList({
  text,
  problems,
  onSelect,
}: {
  readonly text: string
  readonly problems: readonly TextProblem[]
  readonly onSelect: (offset: number) => void
}) {
  return (
    <div aria-live="polite" className="border-t border-line px-3 py-2 text-sm">
      {problems.length === 0 ? (
        <p className="flex items-center gap-1.5 text-completed">
          <CircleCheck size={15} aria-hidden /> Matches the schema
        </p>
      ) : (
        <ul className="flex max-h-40 flex-col gap-1 overflow-y-auto">
          {problems.map(({ from, message }) => (
            <li key={`${from} ${message}`}>
              <button
                type="button"
                className="flex items-start gap-1.5 text-left text-failed hover:underline"
                onClick={() => onSelect(from)}
              >
                <CircleAlert size={15} aria-hidden className="mt-0.5 shrink-0" />
                <span className="min-w-0 break-words">
                  Line {lineAt(text, from)}: {message}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
