/** The menu of actions on a fan that the role may take, with a dialog for each. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Icon, type IconName } from '../../../parts/icon.tsx'
import { may, type Permission } from '../../../session.ts'
import { EndSessions, Export, Rename, Sanction } from './account.tsx'
import { CorrectClaim } from './claims.tsx'
import { WithdrawConsent } from './consents.tsx'
import type { ActionFan, ActionProps } from './fan.ts'
import { EraseFan, MergeFan } from './for-good.tsx'
import { GiveCash, GrantPoints, VoidEvent } from './money.tsx'

interface FanAction {
  title: string
  icon: IconName
  permission: Permission
  danger?: boolean
  open: (props: ActionProps) => ComponentChildren
}

const GROUPS: FanAction[][] = [
  [
    {
      title: 'Grant or take points',
      icon: 'points',
      permission: 'points.write',
      open: p => <GrantPoints {...p} />,
    },
    { title: 'Give cash', icon: 'card', permission: 'points.write', open: p => <GiveCash {...p} /> },
    { title: 'Void an event', icon: 'undo', permission: 'points.write', open: p => <VoidEvent {...p} /> },
  ],
  [
    {
      title: 'Send a new code',
      icon: 'send',
      permission: 'fans.write',
      open: p => <CorrectClaim {...p} correction="replace-code" />,
    },
    {
      title: 'Undo a claim',
      icon: 'undo',
      permission: 'fans.write',
      open: p => <CorrectClaim {...p} correction="undo-claim" />,
    },
    {
      title: 'Undo a use at the desk',
      icon: 'undo',
      permission: 'fans.write',
      open: p => <CorrectClaim {...p} correction="undo-use" />,
    },
  ],
  [
    { title: 'Change name and handle', icon: 'edit', permission: 'fans.write', open: p => <Rename {...p} /> },
    {
      title: 'Withdraw a consent',
      icon: 'undo',
      permission: 'fans.write',
      open: p => <WithdrawConsent {...p} />,
    },
    {
      title: 'Sign out everywhere',
      icon: 'signOut',
      permission: 'fans.write',
      open: p => <EndSessions {...p} />,
    },
    {
      title: 'Hide, mute or suspend',
      icon: 'shield',
      permission: 'moderation.write',
      open: p => <Sanction {...p} />,
    },
    { title: 'Export', icon: 'download', permission: 'fans.export', open: p => <Export {...p} /> },
  ],
  [
    {
      title: 'Merge into another fan',
      icon: 'fans',
      permission: 'fans.merge',
      danger: true,
      open: p => <MergeFan {...p} />,
    },
    {
      title: 'Erase',
      icon: 'remove',
      permission: 'fans.erase',
      danger: true,
      open: p => <EraseFan {...p} />,
    },
  ],
]

/** Renders nothing for an erased or merged fan, and for a role without actions. */
export function FanActions({ fan, onDone }: { fan: ActionFan; onDone: () => unknown }) {
  const id = useId()
  const root = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  const [action, setAction] = useState<FanAction | null>(null)
  const groups = GROUPS.map(group => group.filter(({ permission }) => may(permission))).filter(
    group => group.length > 0,
  )
  useEffect(() => {
    if (!isOpen) return
    const closeOutside = (event: Event) => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setIsOpen(false)
    }
    document.addEventListener('pointerdown', closeOutside)
    document.addEventListener('focusin', closeOutside)
    return () => {
      document.removeEventListener('pointerdown', closeOutside)
      document.removeEventListener('focusin', closeOutside)
    }
  }, [isOpen])
  if (fan.erasedAt !== null || fan.mergedIntoId !== null || groups.length === 0) return null
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the buttons inside
    <div
      ref={root}
      class="fan-actions"
      onKeyDown={event => {
        if (event.key === 'Escape' && isOpen) {
          event.stopPropagation()
          setIsOpen(false)
          button.current?.focus()
        } else if (isOpen && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
          event.preventDefault()
          moveFocus(root.current, event.key === 'ArrowDown' ? 1 : -1)
        }
      }}
    >
      <button
        ref={button}
        type="button"
        class="button plain"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen(!isOpen)}
      >
        <Icon name="more" />
        <span>Actions</span>
      </button>
      {isOpen && (
        <div class="fan-actions-list" id={id}>
          {groups.map((group, nth) => (
            <ul key={group[0]?.title ?? nth}>
              {group.map(item => (
                <li key={item.title}>
                  <button
                    type="button"
                    class={item.danger ? 'danger' : undefined}
                    onClick={() => {
                      // The focus returns to the button when the dialog closes.
                      button.current?.focus()
                      setIsOpen(false)
                      setAction(item)
                    }}
                  >
                    <Icon name={item.icon} />
                    <span>{item.title}</span>
                  </button>
                </li>
              ))}
            </ul>
          ))}
        </div>
      )}
      {action?.open({ fan, onDone, onClose: () => setAction(null) })}
    </div>
  )
}

function moveFocus(root: HTMLElement | null, by: number): void {
  const items = [...(root?.querySelectorAll<HTMLElement>('.fan-actions-list button') ?? [])]
  const { activeElement } = document
  const at = activeElement instanceof HTMLElement ? items.indexOf(activeElement) : -1
  items[(at + by + items.length) % items.length]?.focus()
}
