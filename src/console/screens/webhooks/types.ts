/** What the operations of webhooks answer. */
import type { Webhooks } from '../../../operate/console/webhooks/schema.ts'

export type WebhooksData = typeof Webhooks.static
export type EndpointData = WebhooksData['endpoints'][number]

/** Of a dialog that does something with an endpoint. */
export interface ActProps {
  of: EndpointData
  onDone: () => unknown
  onClose: () => unknown
}
