/** The changes of a save, and the reason for it. */
import { useState } from 'preact/hooks'
import { Dialog, DialogFoot } from '../../parts/dialog.tsx'
import { type Change, DiffView } from '../../parts/diff.tsx'
import { Form, TextArea } from '../../parts/form.tsx'
import { useAction } from '../../parts/resource.ts'

interface SaveProps {
  title: string
  /** Null: the entry is new. */
  changes: Change[] | null
  onConfirm: (reason: string) => Promise<unknown>
  onClose: () => void
  action?: string
}

const REASON_MAX = 500

export function SaveDialog({ title, changes, onConfirm, onClose, action = 'Save' }: SaveProps) {
  const [reason, setReason] = useState('')
  const send = useAction(onConfirm)
  const isUnchanged = changes?.length === 0
  return (
    <Dialog title={title} kind="wide" busy={send.isBusy} onClose={onClose}>
      <Form
        action={send}
        onSubmit={() => send.run(reason.trim())}
        foot={
          <DialogFoot
            busy={send.isBusy}
            blocked={isUnchanged ? 'Nothing changes.' : reason.trim() === '' && 'Write the reason first.'}
            onClose={onClose}
          >
            {action}
          </DialogFoot>
        }
      >
        {changes === null ? (
          <p>It is new, and fans see it as soon as it starts.</p>
        ) : (
          <DiffView changes={changes} />
        )}
        {!isUnchanged && (
          <TextArea
            label="Reason"
            pointer="/reason"
            hint="The history and the audit log keep it with your name."
            max={REASON_MAX}
            required
            autofocus
            value={reason}
            onChange={setReason}
          />
        )}
      </Form>
    </Dialog>
  )
}
