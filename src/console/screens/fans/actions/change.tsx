/** An amount before and after an action. */
import type { ComponentChildren } from 'preact'

interface ChangeProps {
  label: string
  before: ComponentChildren
  after: ComponentChildren
}

export const Change = ({ label, before, after }: ChangeProps) => (
  <p class="change" aria-live="polite">
    <span class="quiet">{label}</span>
    <span>{before}</span>
    <span aria-hidden="true">→</span>
    <span class="unseen">becomes</span>
    <strong>{after}</strong>
  </p>
)
