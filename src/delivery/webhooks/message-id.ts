/** Ids of messages: `webhook-id`, the same at every attempt and after a replay. Contain no full stop, which separates signed parts. */

/** `lane`: see `laneOf`. */
export const messageId = ({ lane, sequence }: { lane: string; sequence: number }) => `evt_${lane}_${sequence}`

/** For `bun run webhooks test`: without a fan, and by default with a type that is not an event. */
export const testMessage = (id: string, at: Date, example: object = { type: 'webhook.test', data: {} }) => ({
  id: `test_${id}`,
  body: JSON.stringify({ ...example, timestamp: at }),
})
