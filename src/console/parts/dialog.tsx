/** Dialogs: the browser's own `<dialog>` keeps the focus inside and gives it back. */
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { Form, TextArea } from './form.tsx'
import { Icon } from './icon.tsx'
import { useAction } from './resource.ts'

interface DialogProps {
  title: string
  onClose: () => unknown
  /** While true, neither Escape nor the buttons close it. */
  busy?: boolean
  /** `wide` for a comparison or a table; `drawer` comes in from the side. */
  kind?: 'narrow' | 'wide' | 'drawer'
  children: ComponentChildren
}

/**
 * Shown while it is rendered: `{isOpen && <Dialog …>}`. Escape closes it, as does a click outside unless something was
 * typed.
 */
export function Dialog({ title, onClose, busy = false, kind = 'narrow', children }: DialogProps) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const isTyped = useRef(false)
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    return () => shown?.close()
  }, [])
  const close = () => {
    if (!busy) onClose()
  }
  return (
    <dialog
      ref={dialog}
      class={`dialog ${kind}`}
      aria-labelledby={id}
      onInput={() => {
        isTyped.current = true
      }}
      onCancel={event => {
        event.preventDefault()
        close()
      }}
      // A click on the element itself is a click on the backdrop: the content is a child element.
      onMouseDown={event => {
        if (event.target === dialog.current && !isTyped.current) close()
      }}
    >
      <div class="dialog-box">
        <header class="dialog-head">
          <h2 id={id}>{title}</h2>
          <button type="button" class="dialog-close" aria-label="Close" onClick={close}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  )
}

interface ReasonDialogProps {
  title: string
  /** What will happen, and whether it can be undone. */
  children?: ComponentChildren
  /** The text of the button: "Suspend the fan". */
  action: string
  /** `danger` for destructive actions. */
  tone?: 'primary' | 'danger'
  /** Why it cannot be sent yet, such as a missing value of a field. */
  blocked?: string | false | undefined
  /** Fields above the reason; their values belong to the screen. */
  fields?: ComponentChildren
  /** Sends the action. An error is shown, at its field if it names one. `requestId` is the same for a repeated attempt. */
  onConfirm: (reason: string, requestId: string) => Promise<unknown>
  /** Called after success too. */
  onClose: () => unknown
}

interface DialogFootProps {
  busy: boolean
  kind?: 'primary' | 'danger'
  /** Why the form cannot be sent now. */
  blocked?: string | false | undefined
  onClose: () => unknown
  /** What the form does. */
  children: ComponentChildren
}

/** The buttons of a form in a dialog. It stays open while it is sent. */
export const DialogFoot = ({ busy, kind = 'primary', blocked, onClose, children }: DialogFootProps) => (
  <>
    <Button onClick={() => busy || onClose()}>Cancel</Button>
    <Button submit kind={kind} busy={busy} blocked={blocked}>
      {children}
    </Button>
  </>
)

const REASON_MAX = 500

/** Asks for the reason that the audit log keeps, and sends the action once. */
export function ReasonDialog(props: ReasonDialogProps) {
  const { title, children, action, tone = 'primary', blocked, fields, onConfirm, onClose } = props
  const [reason, setReason] = useState('')
  const send = useAction(onConfirm)
  const confirm = async () => {
    if (blocked) return
    if (await send.run(reason.trim())) onClose()
  }
  return (
    <Dialog title={title} busy={send.isBusy} onClose={onClose}>
      <Form
        action={send}
        onSubmit={confirm}
        foot={
          <DialogFoot
            busy={send.isBusy}
            kind={tone}
            blocked={blocked || (reason.trim() === '' && 'Write the reason first.')}
            onClose={onClose}
          >
            {action}
          </DialogFoot>
        }
      >
        {children && <div class="dialog-text">{children}</div>}
        {fields}
        <TextArea
          label="Reason"
          pointer="/reason"
          hint="The audit log keeps it with your name."
          max={REASON_MAX}
          required
          value={reason}
          onChange={setReason}
        />
      </Form>
    </Dialog>
  )
}
