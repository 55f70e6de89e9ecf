/** Buttons. A button that writes is busy during the write. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Link } from '../router.tsx'
import { Icon, type IconName } from './icon.tsx'

interface ButtonProps {
  children?: ComponentChildren
  /**
   * `primary`: at most one per screen. `plain`: the default. `quiet`: without a frame. `danger`: for destructive actions.
   */
  kind?: 'primary' | 'plain' | 'quiet' | 'danger'
  icon?: IconName
  /** The accessible name of a button without text, or with text that is not clear alone. */
  label?: string
  busy?: boolean
  submit?: boolean
  small?: boolean
  /** Why it cannot be pressed now, such as a missing permission. It stays focusable and shows the reason. */
  blocked?: string | false | undefined
  /** Gets the focus when its dialog opens. */
  autofocus?: boolean
  pressed?: boolean
  onClick?: (event: MouseEvent) => unknown
}

// Not `disabled` while busy or blocked: the focus would be lost, and the reason could not be read.
export const Button = ({ kind = 'plain', busy = false, blocked, ...props }: ButtonProps) => {
  const { children, icon, label, submit, small, autofocus, pressed, onClick } = props
  const isStopped = busy || Boolean(blocked)
  return (
    <button
      type={submit ? 'submit' : 'button'}
      class={`button ${kind}${small ? ' small' : ''}${children === undefined ? ' bare' : ''}`}
      aria-label={blocked && label ? `${label}. ${blocked}` : label}
      aria-busy={busy}
      aria-disabled={isStopped}
      aria-pressed={pressed}
      title={blocked || (children === undefined ? label : undefined)}
      autofocus={autofocus}
      onClick={event => {
        if (isStopped) event.preventDefault()
        else onClick?.(event)
      }}
    >
      {busy ? <span class="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children !== undefined && <span>{children}</span>}
      {blocked && children !== undefined && <span class="unseen">. {blocked}</span>}
    </button>
  )
}

/** A link that looks like a button: it leads to another screen. */
export const ButtonLink = (props: {
  to: string
  kind?: 'primary' | 'plain' | 'quiet'
  icon?: IconName
  children: ComponentChildren
}) => (
  <Link to={props.to} class={`button ${props.kind ?? 'plain'}`}>
    {props.icon && <Icon name={props.icon} />}
    <span>{props.children}</span>
  </Link>
)

const SHOWN_MS = 2_000

/** `copy` writes the value to the clipboard; `state` says for a moment whether that worked. */
function useCopy(value: string) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [state])
  const copy = async (event: MouseEvent) => {
    // The row around it may open a screen.
    event.stopPropagation()
    try {
      // Undefined on pages over http, except on this machine.
      await navigator.clipboard.writeText(value)
      setState('copied')
    } catch {
      setState('failed')
    }
  }
  return { state, copy }
}

const TOLD = { idle: '', copied: 'Copied', failed: 'It could not be copied' }

/** A text of several lines, with a button that copies it. */
export function CopyLines({ value, label }: { value: string; label: string }) {
  const { state, copy } = useCopy(value)
  return (
    <div class="copy-lines">
      <p class="written" dir="auto">
        {value}
      </p>
      <Button small icon={state === 'copied' ? 'check' : 'copy'} onClick={copy}>
        {label}
      </Button>{' '}
      <span class="quiet" aria-live="polite">
        {TOLD[state]}
      </span>
    </div>
  )
}

/** Text that one press copies, such as an id or a code. `short` shows only some characters. */
export function Copy({
  value,
  label = 'Copy',
  short = false,
}: {
  value: string
  label?: string
  short?: boolean
}) {
  const { state, copy } = useCopy(value)
  return (
    <span class="copy">
      <code title={short ? value : undefined}>{short ? shorten(value) : value}</code>
      <button type="button" class="copy-button" aria-label={`${label} ${value}`} title={label} onClick={copy}>
        <Icon name={state === 'copied' ? 'check' : 'copy'} />
      </button>
      <span class="unseen" aria-live="polite">
        {TOLD[state]}
      </span>
    </span>
  )
}

const SHORT_LENGTH = 18
/** Shows the end too, since ids of the same time begin with the same characters. */
const shorten = (value: string) =>
  value.length <= SHORT_LENGTH ? value : `${value.slice(0, 8)}…${value.slice(-6)}`
