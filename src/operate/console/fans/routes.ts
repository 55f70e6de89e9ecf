/** Fans: search, overview of a fan, and the timeline. */
import { type Cursors, pageOf } from '../../../core/pagination.ts'
import { Closed, PageQuery } from '../../../core/schemas.ts'
import { listAccountEntries } from '../../../fan/status/accounts.ts'
import { AccountEntries } from '../../../fan/status/schema.ts'
import { mayDo, type Role, seesMoney } from '../../../identity/staff/roles.ts'
import { settingsOf } from '../../../platform/settings/settings.ts'
import { listMembershipKinds } from '../../../play/memberships/membership-kind.ts'
import { listMemberships } from '../../../play/memberships/memberships.ts'
import { listCollection } from '../../../play/packs/inventory.ts'
import { Collection } from '../../../play/packs/schema.ts'
import { readFanAccounts } from '../../admin/fans/accounts.ts'
import { readFanConsents } from '../../admin/fans/consents.ts'
import { explainFanEvent } from '../../admin/fans/explain.ts'
import { readFanHead, requireFan } from '../../admin/fans/head.ts'
import { explainFanMessages } from '../../admin/fans/messages.ts'
import { shownName } from '../../admin/fans/personal.ts'
import { readFanPoints } from '../../admin/fans/points.ts'
import { readFanRecord } from '../../admin/fans/record.ts'
import * as schema from '../../admin/fans/schema.ts'
import { searchFans } from '../../admin/fans/search.ts'
import { readTimeline } from '../../admin/fans/timeline/timeline.ts'
import { consoleOperation } from '../contract/operation.ts'
import { type StaffDeps, staff } from '../contract/staff.ts'
import { thrownBy } from './problems.generated.ts'

type FansDeps = StaffDeps & { cursors: Cursors }

/** What a role may see of a fan in addition to `fans.read`. */
const accessOf = (role: Role) => ({
  personal: mayDo(role, 'fans.personal'),
  moderation: mayDo(role, 'moderation.read'),
  money: seesMoney(role),
})

export const fansRoutes = (deps: FansDeps) => {
  const { db, cursors, config } = deps
  return staff(deps, { prefix: '/api/fans', tag: 'Fans' })
    .get(
      '',
      ({ query, staff: { role } }) =>
        searchFans(db.read, { ...accessOf(role), text: query.text, provider: config.identity.name }),
      consoleOperation({
        id: 'searchFans',
        summary: 'Find fans, with the reason of each match',
        permission: 'fans.read',
        query: schema.FanSearchQuery,
        responses: { 200: schema.FoundFans },
      }),
    )
    .get(
      '/:fanId',
      ({ params, staff: { role } }) => readFanHead(db.read, params.fanId, accessOf(role)),
      consoleOperation({
        id: 'readFan',
        summary: 'Read the overview of a fan',
        permission: 'fans.read',
        params: schema.FanPath,
        responses: { 200: schema.FanHead },
        problems: thrownBy.readFan,
      }),
    )
    .get(
      '/:fanId/timeline',
      async ({ params: { fanId }, query: { kind, ...page }, staff: { role } }) => {
        await requireFan(db.read, fanId)
        return readTimeline(db.read, cursors, {
          fanId,
          kind,
          ...accessOf(role),
          cursor: page.cursor,
          limit: pageOf(page).limit,
        })
      },
      consoleOperation({
        id: 'readFanTimeline',
        summary: 'List the history of a fan, newest first',
        permission: 'fans.read',
        params: schema.FanPath,
        query: schema.TimelineQuery,
        responses: { 200: schema.TimelinePage },
        problems: thrownBy.readFanTimeline,
      }),
    )
    .get(
      '/:fanId/event',
      ({ params, query, staff: { role } }) => explainFanEvent(db.read, params.fanId, query, accessOf(role)),
      consoleOperation({
        id: 'explainFanEvent',
        summary: 'Explain for each rule what an event of a fan has earned',
        permission: 'fans.read',
        params: schema.FanPath,
        query: schema.EventQuery,
        responses: { 200: schema.ExplainedEvent },
        problems: thrownBy.explainFanEvent,
      }),
    )
    .get(
      '/:fanId/points',
      async ({ params: { fanId }, query, staff: { role } }) => {
        await requireFan(db.read, fanId)
        const { personal } = accessOf(role)
        return readFanPoints(db.read, cursors, { fanId, personal, ...pageOf(query) })
      },
      consoleOperation({
        id: 'listFanPoints',
        summary: 'List the ledger entries of a fan',
        permission: 'fans.read',
        params: schema.FanPath,
        query: Closed(PageQuery),
        responses: { 200: schema.FanPoints },
        problems: thrownBy.listFanPoints,
      }),
    )
    .get(
      '/:fanId/accounts',
      async ({ params: { fanId } }) => {
        await requireFan(db.read, fanId)
        return readFanAccounts(db.read, fanId)
      },
      consoleOperation({
        id: 'readFanAccounts',
        summary: 'Read the accounts of a fan, with tiers and how they changed',
        permission: 'fans.read',
        params: schema.FanPath,
        responses: { 200: schema.FanStatus },
        problems: thrownBy.readFanAccounts,
      }),
    )
    .get(
      '/:fanId/accounts/:accountId/entries',
      async ({ params: { fanId, accountId }, query }) => {
        await requireFan(db.read, fanId)
        return listAccountEntries(db.read, cursors, { userId: fanId }, { ...pageOf(query), id: accountId })
      },
      consoleOperation({
        id: 'listFanAccountEntries',
        summary: 'List the entries of a fan in an account',
        permission: 'fans.read',
        params: schema.FanAccountPath,
        query: Closed(PageQuery),
        responses: { 200: AccountEntries },
        problems: thrownBy.listFanAccountEntries,
      }),
    )
    .get(
      '/:fanId/cards',
      async ({ params: { fanId }, query }) => {
        const { provider, subject } = await requireFan(db.read, fanId)
        const fan = { provider, subject, userId: fanId }
        const { tradeRestHours } = await settingsOf(db.read)
        return listCollection(db.read, cursors, fan, pageOf(query), tradeRestHours)
      },
      consoleOperation({
        id: 'listFanCards',
        summary: 'List the collectibles that a fan owns',
        permission: 'fans.read',
        params: schema.FanPath,
        query: Closed(PageQuery),
        responses: { 200: Collection },
        problems: thrownBy.listFanCards,
      }),
    )
    .get(
      '/:fanId/messages',
      ({ params, staff: { role } }) => explainFanMessages(db.read, params.fanId, accessOf(role)),
      consoleOperation({
        id: 'explainFanMessages',
        summary: 'Explain which messages a fan got, and why devices or the fan got none',
        permission: 'fans.read',
        params: schema.FanPath,
        responses: { 200: schema.FanMessages },
        problems: thrownBy.explainFanMessages,
      }),
    )
    .get(
      '/:fanId/consents',
      ({ params }) => readFanConsents(db.read, params.fanId),
      consoleOperation({
        id: 'readFanConsents',
        summary: 'Read what a fan agrees to, with each change, and the age band',
        permission: 'fans.read',
        params: schema.FanPath,
        responses: { 200: schema.FanConsents },
        problems: thrownBy.readFanConsents,
      }),
    )
    .get(
      '/:fanId/memberships',
      async ({ params: { fanId: userId }, staff: { role } }) => {
        await requireFan(db.read, userId)
        const { memberships } = await listMemberships(db.read, { userId })
        const { personal } = accessOf(role)
        return {
          memberships: memberships.map(one => ({ ...one, holder: shownName(one.holder, personal) })),
          kinds: await listMembershipKinds(db.read),
        }
      },
      consoleOperation({
        id: 'listFanMemberships',
        summary: 'List the memberships of a fan',
        permission: 'fans.read',
        params: schema.FanPath,
        responses: { 200: schema.FanMemberships },
        problems: thrownBy.listFanMemberships,
      }),
    )
    .get(
      '/:fanId/record',
      ({ params, staff: { role } }) => readFanRecord(db.read, params.fanId, accessOf(role)),
      consoleOperation({
        id: 'readFanRecord',
        summary: 'Read the stored record of a fan',
        permission: 'fans.read',
        params: schema.FanPath,
        responses: { 200: schema.FanRecord },
        problems: thrownBy.readFanRecord,
      }),
    )
}
