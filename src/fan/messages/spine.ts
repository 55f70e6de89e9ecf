/** What is counted about messages, in the memory of a process. */
import { createSignal } from '../../core/signal.ts'

declare module '../../../db/types.ts' {
  interface Spine {
    readonly messages: ReturnType<typeof createMessagesSpine>
  }
}

/** `missing`: the data of the event had no value for a member of the template. */
export const MESSAGE_OUTCOMES = ['written', 'missing'] as const

export const createMessagesSpine = () => ({
  /** Messages are written, or left out. */
  decided: createSignal<{ outcome: (typeof MESSAGE_OUTCOMES)[number]; count: number }>(),
})
