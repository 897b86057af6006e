import { cutText, type Task } from '@skein/contract'
import { newTask } from '../../agent/checklist.ts'
import { INVISIBLE, LINE_ENDS } from '../../automations/visible-text.ts'

/** A person's comment on a line that an agent pushed. */
export interface DiffComment {
  readonly path: string
  readonly branch: string
  readonly commit: string
  readonly side: 'before' | 'after'
  readonly line: number
  readonly text: string
}

const MAX_PATH = 300
const MAX_TASK_TEXT = 2_000

/** As people see it in the conversation, and as the agent gets it. */
export function describeDiffComment(comment: DiffComment): string {
  const { branch, commit, side } = comment
  const version = side === 'after' ? `in ${commit.slice(0, 12)}` : 'before your change'
  return [
    `Comment on ${placeOf(comment)} (${version}, branch ${plain(branch)}):`,
    comment.text,
    'Do what it asks for, push it, and say what you did. If you disagree, say why.',
  ].join('\n\n')
}

/** Like a task for a thread of a pull request: gone when its run ends. */
export function diffCommentTask(comment: DiffComment, id: string): Task {
  const subject = `Address the comment on ${placeOf(comment)}`
  const task = newTask({ subject, description: cutText(comment.text, MAX_TASK_TEXT) }, id)
  return { ...task, dedupKey: id, ephemeral: true }
}

function placeOf({ path, line }: DiffComment): string {
  return `${plain(path)}, line ${line}`
}

/** The agent chose the name. It must not look like another line of the message. */
function plain(name: string): string {
  const shown = name.replaceAll(LINE_ENDS, ' ').replaceAll(INVISIBLE, '')
  if (shown.length <= MAX_PATH) return shown
  // Half a surrogate pair is no text: the database would refuse to read it.
  return `…${shown.slice(-MAX_PATH).replace(/^[\uDC00-\uDFFF]/, '')}`
}
