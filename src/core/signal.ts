/** Tells other parts of this process what a unit of work has committed, so that they do not wait for their next poll. */
import type { Reader, Transaction } from '../../db/index.ts'

export function createSignal<Message>() {
  type Listener = (message: Message) => void
  /** By database. */
  const listeners = new WeakMap<object, Set<Listener>>()
  return {
    /** Returns a function that ends the subscription. `listener` must not throw. */
    listen({ identity }: Pick<Reader, 'identity'>, listener: Listener): () => void {
      const own = listeners.getOrInsertComputed(identity, () => new Set()).add(listener)
      return () => void own.delete(listener)
    },
    /** Sends the message after the commit, never without one. */
    announce(tx: Transaction, message: Message): void {
      const { identity } = tx
      tx.afterCommit(() => {
        for (const listener of listeners.get(identity) ?? []) listener(message)
      })
    },
  }
}
