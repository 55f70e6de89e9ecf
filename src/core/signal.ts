/** Tells other parts of this process what a unit of work has committed, so that they do not wait for their next poll. */
import type { Reader, Transaction } from '../../db/index.ts'

export interface Signal<Message> {
  /** Returns a function that ends the subscription. `listener` must not throw. */
  listen(database: Pick<Reader, 'identity'>, listener: (message: Message) => void): () => void
  /** Sends the message after the commit, never without one. */
  announce(tx: Transaction, message: Message): void
}

export function createSignal<Message>(): Signal<Message> {
  /** By database. */
  const listeners = new WeakMap<object, Set<(message: Message) => void>>()
  return {
    listen({ identity }, listener) {
      const own = listeners.get(identity) ?? new Set()
      listeners.set(identity, own.add(listener))
      return () => void own.delete(listener)
    },
    announce(tx, message) {
      const { identity } = tx
      tx.afterCommit(() => {
        for (const listener of listeners.get(identity) ?? []) listener(message)
      })
    },
  }
}
