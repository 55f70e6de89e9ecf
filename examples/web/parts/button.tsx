import type { ComponentChildren } from 'preact'

interface ButtonProps {
  children: ComponentChildren
  /** While its action is running: it shows this state, and a click does nothing. */
  busy?: boolean
  kind?: 'main' | 'plain' | 'small' | 'danger'
  /** Its accessible name, if its text is not clear alone. */
  label?: string
  submit?: boolean
  disabled?: boolean
  /** Gets the focus when its dialog opens. */
  autofocus?: boolean
  onClick?: (event: MouseEvent) => unknown
}

// Not `disabled` while busy: the focus would be lost.
export const Button = ({
  children,
  busy = false,
  kind = 'main',
  label,
  submit,
  disabled,
  autofocus,
  onClick,
}: ButtonProps) => (
  <button
    type={submit ? 'submit' : 'button'}
    class={`button ${kind}`}
    aria-label={label}
    aria-busy={busy}
    aria-disabled={busy}
    disabled={disabled}
    autofocus={autofocus}
    onClick={event => {
      if (!busy) onClick?.(event)
    }}
  >
    {busy && <span class="spinner" aria-hidden="true" />}
    <span>{children}</span>
  </button>
)
