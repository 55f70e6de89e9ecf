/** Informs other parts of this process about a commit, so that they do not wait for their next poll. */
import type { Transaction } from '../../db/index.ts'

export function createSignal<Message>() {
  type Listener = (message: Message) => void
  const listeners = new Set<Listener>()
  return {
    /** Returns a function that ends the subscription. `listener` must not throw. */
    listen(listener: Listener): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** Sends the message after the commit, never without one. */
    announce(tx: Transaction, message: Message): void {
      tx.afterCommit(() => {
        for (const listener of listeners) listener(message)
      })
    },
  }
}
