import { Dialog } from '../ui/dialog.tsx'

const SHORTCUTS = [
  { keys: 'Ctrl K', does: 'Go to a page or an agent' },
  { keys: '?', does: 'Show this help' },
  { keys: '/', does: 'Search the fleet' },
  { keys: 'j  k', does: 'Next and previous agent in the fleet' },
  { keys: 'Enter', does: 'Open the selected agent' },
  { keys: '←  →', does: 'Collapse and expand in the tree' },
  { keys: 'Ctrl Enter', does: 'Send a message, or spawn' },
  { keys: 'Esc', does: 'Close a dialog' },
]

/** The keyboard shortcuts, and where to read more. */
export default function ShortcutHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog isOpen onClose={onClose} title="Keyboard shortcuts" description="On a Mac, use ⌘ for Ctrl.">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-2 text-sm">
        {SHORTCUTS.map(({ keys, does }) => (
          <div key={keys} className="contents">
            <dt>
              <kbd className="rounded border border-line bg-raised px-1.5 py-0.5 text-xs whitespace-pre">
                {keys}
              </kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p className="text-sm">
        <a href="/docs" className="text-accent-text underline">
          API documentation
        </a>
      </p>
    </Dialog>
  )
}
