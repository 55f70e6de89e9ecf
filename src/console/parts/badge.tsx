import type { ComponentChildren } from 'preact'

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'info' | 'accent'

/** A state in one or two words: "Suspended", "Delivered". The colour only repeats the words. */
export const Badge = ({ tone = 'neutral', children }: { tone?: Tone; children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>{children}</span>
)
