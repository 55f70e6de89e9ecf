/** Response types of the operations on webhooks. */
import type { Data } from '../../api.ts'

export type WebhooksData = Data<'listWebhooks'>
export type EndpointData = WebhooksData['endpoints'][number]

/** Props of a dialog for an action on an endpoint. */
export interface ActProps {
  of: EndpointData
  onDone: () => unknown
  onClose: () => unknown
}
