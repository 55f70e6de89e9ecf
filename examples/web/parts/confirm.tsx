/** Asks before an action that cannot be undone. Escape and the second button cancel. */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { text } from '../lang/lang.ts'
import { Button } from './button.tsx'

interface ConfirmProps {
  title: string
  /** The price and the consequences. */
  children: ComponentChildren
  /** The text of the button. */
  action: string
  busy: boolean
  onConfirm: () => unknown
  onCancel: () => unknown
}

export function Confirm({ title, children, action, busy, onConfirm, onCancel }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    // Gives the focus back to the button that opened it.
    return () => shown?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      class="confirm"
      aria-labelledby="confirm-title"
      onCancel={event => {
        event.preventDefault()
        if (!busy) onCancel()
      }}
    >
      <h2 id="confirm-title">{title}</h2>
      {children}
      <div class="confirm-foot">
        {/* The second click of a double click on the button that opened it is no consent. */}
        <Button busy={busy} onClick={event => event.detail > 1 || onConfirm()}>
          {action}
        </Button>
        {/* It has the focus: a key that is held down, or pressed twice, buys nothing. */}
        <Button kind="plain" autofocus onClick={() => busy || onCancel()}>
          {text.confirm.cancel}
        </Button>
      </div>
    </dialog>
  )
}
