/** Short notices of what was done, read out by screen readers. */
import { signal } from '@preact/signals'
import { Icon } from './icon.tsx'

interface Notice {
  id: number
  text: string
  tone: 'good' | 'bad'
  undo?: (() => Promise<string>) | undefined
}

const notices = signal<Notice[]>([])
const SHOWN_MS = 6_000
/** A notice with an undo stays longer: it must be found and pressed. */
const UNDO_MS = 20_000
const SHOWN_MAX = 3
let last = 0

const dismiss = (id: number) => {
  notices.value = notices.value.filter(notice => notice.id !== id)
}

function show(notice: Omit<Notice, 'id'>): void {
  last += 1
  const id = last
  notices.value = [...notices.value.slice(1 - SHOWN_MAX), { id, ...notice }]
  setTimeout(() => dismiss(id), notice.undo ? UNDO_MS : SHOWN_MS)
}

/**
 * Says what was done: toast('50 points were granted.'). A failure belongs where it happened, not here. `undo`: the inverse of what
 * was done, where it has one; it returns what to say then.
 */
export const toast = (text: string, undo?: () => Promise<string>): void => show({ text, tone: 'good', undo })

async function runUndo({ id, undo }: Notice): Promise<void> {
  // Once: the notice is gone before the request.
  dismiss(id)
  try {
    if (undo) toast(await undo())
  } catch (error) {
    show({ text: `It was not undone. ${error instanceof Error ? error.message : ''}`, tone: 'bad' })
  }
}

/** Where toasts appear: once, in the shell. */
export const Toasts = () => (
  <div class="toasts" aria-live="polite" role="status">
    {notices.value.map(notice => (
      <div key={notice.id} class={`toast ${notice.tone}`}>
        <Icon name={notice.tone === 'good' ? 'check' : 'alert'} />
        <span>{notice.text}</span>
        {notice.undo && (
          <button type="button" class="toast-undo" onClick={() => runUndo(notice)}>
            Undo
          </button>
        )}
        <button type="button" aria-label="Dismiss" onClick={() => dismiss(notice.id)}>
          <Icon name="close" />
        </button>
      </div>
    ))}
  </div>
)
