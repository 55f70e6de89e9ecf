/** Buttons: what writes is busy while it does. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Link } from '../router.tsx'
import { Icon, type IconName } from './icon.tsx'

interface ButtonProps {
  children?: ComponentChildren
  /** `primary`: one a screen. `plain`: the usual one. `quiet`: without a frame. `danger`: takes something away. */
  kind?: 'primary' | 'plain' | 'quiet' | 'danger'
  icon?: IconName
  /** Names a button that has no words, or says more than they do. */
  label?: string
  busy?: boolean
  submit?: boolean
  small?: boolean
  /** Why it cannot be pressed now, such as a missing permission. It stays in reach of the keyboard and says so. */
  blocked?: string | false | undefined
  /** In a dialog, has the focus when it opens. */
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

/** Text that is copied with one press, such as an id or a code. `short` shows the first characters alone. */
export function Copy({
  value,
  label = 'Copy',
  short = false,
}: {
  value: string
  label?: string
  short?: boolean
}) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [state])
  const copy = async (event: MouseEvent) => {
    // It may stand in a row that opens a screen.
    event.stopPropagation()
    try {
      // Undefined on pages over http that are not of this machine.
      await navigator.clipboard.writeText(value)
      setState('copied')
    } catch {
      setState('failed')
    }
  }
  return (
    <span class="copy">
      <code title={short ? value : undefined}>{short ? shorten(value) : value}</code>
      <button type="button" class="copy-button" aria-label={`${label} ${value}`} title={label} onClick={copy}>
        <Icon name={state === 'copied' ? 'check' : 'copy'} />
      </button>
      <span class="unseen" aria-live="polite">
        {state === 'copied' ? 'Copied' : state === 'failed' ? 'It could not be copied' : ''}
      </span>
    </span>
  )
}

const SHORT_LENGTH = 18
/** Ids of one time begin alike: the end tells them apart. */
const shorten = (value: string) =>
  value.length <= SHORT_LENGTH ? value : `${value.slice(0, 8)}…${value.slice(-6)}`
