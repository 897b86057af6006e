import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { ErrorNotice } from '../../../ui/notice.tsx'
import { Ago } from '../../../ui/time.tsx'
import { DiffView } from '../../../ui/text/diff-view.tsx'
import type { HeldText } from '../editor/draft.ts'
import type { Authorship } from '../editor/held-text.ts'
import { JustificationField, useLacksReason } from '../../../catalog/justification-field.tsx'

/** What someone else wrote in the meantime. */
export interface Theirs extends HeldText, Authorship {
  readonly isDeleted: boolean
}

/** Two people changed the same document: nothing is overwritten until one of them decides. */
export function ConflictDialog({
  theirs,
  base,
  mine,
  isBusy,
  error,
  onClose,
  onTakeTheirs,
  onKeepEditing,
  onOverwrite,
}: {
  readonly theirs: Theirs | undefined
  readonly base: HeldText
  readonly mine: string
  readonly isBusy: boolean
  readonly error: unknown
  readonly onClose: () => void
  readonly onTakeTheirs: (theirs: Theirs) => void
  readonly onKeepEditing: (theirs: Theirs) => void
  readonly onOverwrite: (theirs: Theirs, justification: string) => void
}) {
  const [justification, setJustification] = useState('')
  const lacksReason = useLacksReason(justification)
  if (theirs === undefined) return null
  const who = theirs.updatedBy === '' ? 'Someone else' : theirs.updatedBy
  return (
    <Dialog isOpen onClose={onClose} title="Someone else saved in the meantime" isWide>
      <p className="text-sm">
        {theirs.isDeleted ? (
          'Someone deleted this resource while you were editing.'
        ) : (
          <>
            <strong className="font-semibold">{who}</strong> saved generation {theirs.generation}
            {theirs.updateTime !== '' && (
              <>
                , <Ago time={theirs.updateTime} />
              </>
            )}
            , while you were editing generation {base.generation}.
          </>
        )}{' '}
        Your changes were not saved, but they are not lost.
      </p>
      <DiffView label={`Changes by ${who}`} before={base.text} after={theirs.text} />
      <DiffView label="Your changes to their version" before={theirs.text} after={mine} />
      <JustificationField value={justification} onChange={setJustification} />
      {error !== null && <ErrorNotice error={error} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button look="danger" onClick={() => onTakeTheirs(theirs)}>
          Discard mine
        </Button>
        <Button isBusy={isBusy} disabled={lacksReason} onClick={() => onOverwrite(theirs, justification)}>
          Overwrite theirs
        </Button>
        <Button look="primary" onClick={() => onKeepEditing(theirs)}>
          Keep editing
        </Button>
      </div>
    </Dialog>
  )
}
