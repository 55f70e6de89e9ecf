/** What the operations of webhooks answer. */
import type { Data } from '../../api.ts'

export type WebhooksData = Data<'listWebhooks'>
export type EndpointData = WebhooksData['endpoints'][number]

/** Of a dialog that does something with an endpoint. */
export interface ActProps {
  of: EndpointData
  onDone: () => unknown
  onClose: () => unknown
}
