/** Ctrl-K or ⌘-K: goes to a screen or finds a fan, without the mouse. */
import { signal } from '@preact/signals'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { navigate } from '../router.tsx'
import { type Find, type Option, Options, useCombobox, useSearch, wordsOf } from './combobox.tsx'
import { Icon } from './icon.tsx'

export interface Target extends Option {
  to: string
}

export const isPaletteOpen = signal(false)

addEventListener('keydown', event => {
  if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey)
    return
  event.preventDefault()
  isPaletteOpen.value = !isPaletteOpen.value
})

interface PaletteProps {
  screens: Target[]
  /** Absent where the role may not read fans. */
  findFans?: Find<Target> | undefined
}

export const Palette = (props: PaletteProps) => (isPaletteOpen.value ? <OpenPalette {...props} /> : null)

function OpenPalette({ screens, findFans }: PaletteProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState('')
  const { state, found: fans } = useSearch(text, findFans)
  const close = () => {
    isPaletteOpen.value = false
  }
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    return () => shown?.close()
  }, [])

  const lower = text.trim().toLowerCase()
  const found = [...screens.filter(({ title }) => title.toLowerCase().includes(lower)), ...(fans ?? [])]
  const { field, list } = useCombobox(text.trim(), found, ({ to }) => {
    close()
    navigate(to)
  })
  const purpose = findFans ? 'Search fans and pages' : 'Search pages'
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Go to"
      onCancel={event => {
        event.preventDefault()
        close()
      }}
      onMouseDown={event => event.target === dialog.current && close()}
    >
      <div class="palette-box">
        <div class="palette-input">
          <Icon name="search" />
          <input
            {...field}
            aria-label={purpose}
            placeholder={purpose}
            autofocus
            value={text}
            onInput={event => setText(event.currentTarget.value)}
          />
          <span class="kbd" aria-hidden="true">
            Esc
          </span>
        </div>
        <Options {...list} />
        <p class="palette-status quiet" role="status">
          {wordsOf(state, found.length)}
        </p>
      </div>
    </dialog>
  )
}
