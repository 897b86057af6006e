import { Button } from '../ui/button.tsx'
import { CodeBlock } from '../ui/copy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Notice } from '../ui/notice.tsx'

/** Shows a secret that the service returns only once. */
export function SecretDialog({
  title,
  secrets,
  onClose,
}: {
  readonly title: string
  /** By field name; undefined if there is nothing to show. */
  readonly secrets: Readonly<Record<string, string>> | undefined
  readonly onClose: () => void
}) {
  return (
    <Dialog isOpen={secrets !== undefined} onClose={onClose} title={title}>
      <Notice tone="warning">
        This is shown only once. Copy it to a safe place now: it cannot be shown again.
      </Notice>
      {Object.entries(secrets ?? {}).map(([name, value]) => (
        <CodeBlock key={name} label={name} text={value} />
      ))}
      <div className="flex justify-end">
        <Button look="primary" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  )
}
