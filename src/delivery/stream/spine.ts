/** What streams know of inboxes, which a room above has. */
import type { Reader } from '../../../db/index.ts'
import { createSignal } from '../../core/signal.ts'

declare module '../../../db/types.ts' {
  interface Spine {
    readonly inbox: ReturnType<typeof createInboxSpine>
  }
}

/** `countUnread`: of each fan with unread messages, how many. */
export const createInboxSpine = (
  countUnread: (reader: Reader, userIds: string[]) => Promise<ReadonlyMap<string, number>>,
) => ({
  countUnread,
  /** The unread messages of a fan may have changed. */
  changed: createSignal<{ userId: string }>(),
})
