/** Short notices of what was done, read out by screen readers. */
import { signal } from '@preact/signals'
import { Icon } from './icon.tsx'

interface Notice {
  id: number
  text: string
  tone: 'good' | 'bad'
}

const notices = signal<Notice[]>([])
const SHOWN_MS = 6_000
const SHOWN_MAX = 3
let last = 0

const dismiss = (id: number) => {
  notices.value = notices.value.filter(notice => notice.id !== id)
}

/** Says what was done: toast('50 points were granted.'). A failure belongs where it happened, not here. */
export function toast(text: string, tone: Notice['tone'] = 'good'): void {
  last += 1
  const id = last
  notices.value = [...notices.value.slice(1 - SHOWN_MAX), { id, text, tone }]
  setTimeout(() => dismiss(id), SHOWN_MS)
}

/** Where toasts appear: once, in the shell. */
export const Toasts = () => (
  <div class="toasts" aria-live="polite" role="status">
    {notices.value.map(({ id, text, tone }) => (
      <div key={id} class={`toast ${tone}`}>
        <Icon name={tone === 'good' ? 'check' : 'alert'} />
        <span>{text}</span>
        <button type="button" aria-label="Dismiss" onClick={() => dismiss(id)}>
          <Icon name="close" />
        </button>
      </div>
    ))}
  </div>
)
