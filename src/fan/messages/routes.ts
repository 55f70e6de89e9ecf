import { type Cursors, pageOf } from '../../core/pagination.ts'
import { Closed, PageQuery } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import { Nothing, operation } from '../../platform/http/contract/operation.ts'
import { deleteMessage, listInbox, readMessages } from './inbox.ts'
import { thrownBy } from './problems.generated.ts'
import * as schema from './schema.ts'

export const messageRoutes = (deps: FanDeps & { cursors: Cursors }) =>
  fans(deps, { prefix: '/api/user/inbox', tag: 'Messages' })
    .get(
      '',
      ({ caller, query }) => listInbox(deps.db.read, deps.cursors, caller, pageOf(query)),
      operation({
        id: 'listInbox',
        summary: 'List your messages',
        description:
          'Newest first, in the language in which they were written. Messages are kept for 90 days.',
        query: Closed(PageQuery),
        responses: { 200: schema.Inbox },
        problems: thrownBy.listInbox,
        examples: { 200: { messages: [schema.exampleMessage], unread: 1, nextCursor: null } },
      }),
    )
    .post(
      '/read',
      ({ body, write }) => write((tx, fan) => readMessages(tx, fan, body)),
      operation({
        id: 'readMessages',
        whenSuspended: 'allowed',
        summary: 'Mark messages as read',
        description:
          'Those in `ids`, or all until a time. A repeat, also by another device, changes nothing.',
        body: schema.ReadMessages,
        responses: { 200: schema.UnreadCount },
        examples: { body: { until: '2026-08-15T15:30:00.000Z' }, 200: { unread: 0 } },
      }),
    )
    .delete(
      '/:messageId',
      ({ params, status, write }) =>
        write(async (tx, fan) => {
          await deleteMessage(tx, fan, params.messageId)
          return status(204, undefined)
        }),
      operation({
        id: 'deleteMessage',
        whenSuspended: 'allowed',
        idempotencyKey: 'none',
        summary: 'Delete a message',
        description: 'Its texts are deleted at once.',
        params: schema.MessageParams,
        body: Nothing,
        responses: { 204: Type.Void({ description: 'The message is deleted.' }) },
        problems: thrownBy.deleteMessage,
      }),
    )
