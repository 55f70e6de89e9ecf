/** The `webhooks` of the OpenAPI document: requests that Matchday sends, one for each type of message. */
import type { TObject } from '../../core/typebox.ts'
import type { Json } from './json-schema.ts'

export interface DescribedMessage {
  /** Type of the event. */
  type: string
  description: string
  schema: TObject
  example: unknown
}

export const describeWebhooks = (messages: DescribedMessage[]): Json =>
  Object.fromEntries(
    messages.map(({ type, description, schema, example }) => [
      type,
      {
        post: {
          operationId: `receive${schema.title}`,
          summary: `Receive \`${type}\``,
          description: `${description} See the guide about webhooks for signatures, order and repetition.`,
          tags: ['Webhooks'],
          security: [],
          parameters: Object.keys(messageHeaders).map(name => ({
            $ref: `#/components/parameters/${name}`,
          })),
          requestBody: { required: true, content: { 'application/json': { schema, example } } },
          responses: {
            '2XX': { description: 'Received.' },
            410: { description: 'Gone: nothing more is sent to this endpoint.' },
            '4XX': { description: 'The message is sent again, as after any other response.' },
          },
        },
      },
    ]),
  )

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', examples: [example] },
})

/** The headers of Standard Webhooks, as parameters that all messages share. */
export const messageHeaders = {
  WebhookId: header(
    'webhook-id',
    'Id of the message, which is the same in every attempt.',
    'evt_01981e2c-7c1f-7000-8000-000000000003_7',
  ),
  WebhookTimestamp: header(
    'webhook-timestamp',
    'Time of the attempt, in seconds since the epoch.',
    '1786818600',
  ),
  WebhookSignature: header(
    'webhook-signature',
    '`v1,` and the signature in base64. Several, separated by a space, after a rotation.',
    'v1,MzIwMjE0MDY4MTg2NTk5OTk5OTk5OTk5OTk5OTk5OTk=',
  ),
}
