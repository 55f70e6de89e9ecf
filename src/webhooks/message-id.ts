/** Ids of messages: `webhook-id`, the same at every attempt and after a replay. Contain no full stop, which separates signed parts. */

export const messageId = ({ userId, sequence }: { userId: string; sequence: number }) =>
  `evt_${userId}_${sequence}`

/** For `bun run webhooks test`: of no fan, and of a type that is no event. */
export const testMessage = (id: string, at: Date) => ({
  id: `test_${id}`,
  body: JSON.stringify({ type: 'webhook.test', timestamp: at, data: {} }),
})
