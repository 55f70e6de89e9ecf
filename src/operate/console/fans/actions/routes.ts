/** Actions on a fan. Each calls a verb that a script or an operation of the API uses too. */

import type { Encryption } from '../../../../core/encryption.ts'
import { streamJson } from '../../../../core/stream-json.ts'
import { grantCash } from '../../../../economy/cash/grant-cash.ts'
import { grantPoints } from '../../../../economy/points/grants.ts'
import { appendErasures } from '../../../../fan/account/erasure-list.ts'
import { deleteMembership, writeMembership } from '../../../../play/memberships/memberships.ts'
import { Membership } from '../../../../play/memberships/schema.ts'
import { replaceCode, undoClaim, undoUse, undoUseOfReward } from '../../../../play/rewards/corrections.ts'
import type { CodeSource } from '../../../../play/rewards/redemptions.ts'
import { exportUser } from '../../../admin/export-user.ts'
import { listClaimsOf } from '../../../admin/fans/claims.ts'
import { WITHDRAWAL, withdrawConsentOf } from '../../../admin/fans/consents.ts'
import {
  endSessionsOf,
  eraseFan,
  lockForStaff,
  renameFan,
  requireConfirmed,
  voidEventOf,
} from '../../../admin/fans/corrections.ts'
import { mergeFans, planMerge } from '../../../admin/merge/merge-fans.ts'
import { action, withActions } from '../../contract/action.ts'
import { consoleOperation } from '../../contract/operation.ts'
import { type StaffDeps, staff } from '../../contract/staff.ts'
import { thrownBy } from './problems.generated.ts'
import * as schema from './schema.ts'

type FanActionDeps = StaffDeps & { codeSources: readonly CodeSource[]; addressEncryption: Encryption }

/** Source of grants by staff. No server key has this name. */
const SOURCE = 'operator'
/** How long to wait for readers of an older state, which prevent the truncation of the WAL. */
const LOG_PATIENCE_MS = 5_000

const reason = 'The fan called the hotline.'
const ofReward = (_: unknown, { params: { rewardId } }: { params: { rewardId: string } }) => ({ rewardId })
/** About the fan of the path. */
const onFan = {
  subject: ({ params: { fanId } }: { params: { fanId: string } }) => ({ kind: 'fan', id: fanId }),
  params: schema.FanPath,
}
const onReward = { ...onFan, params: schema.FanRewardPath, body: schema.OnlyReason, example: { reason } }

const bookings = ({ config: { cashCurrencies } }: FanActionDeps) => [
  action({
    ...onFan,
    path: '/:fanId/grants',
    id: 'grantPointsToFan',
    summary: 'Grant or deduct points',
    description: 'Once per `ref`: a repeat changes nothing.',
    permission: 'points.write',
    body: schema.FanGrant,
    verb: (tx, { body: { reason: _, ...grant }, params: { fanId: userId } }) =>
      grantPoints(tx, { source: SOURCE, provider: '' }, { fan: { userId }, ...grant }),
    detail: ({ created }, { body: { reason: _, ...grant } }) => ({ ...grant, created }),
    answer: schema.Booked,
    respond: ({ created, balance }) => ({ created, balance }),
    problems: thrownBy.grantPointsToFan,
    example: { delta: 50, ref: 'apology-17', reason },
  }),
  action({
    ...onFan,
    path: '/:fanId/cash',
    id: 'grantCashToFan',
    summary: 'Give cash, as a promotion',
    description: 'Once per `ref`: a repeat changes nothing.',
    permission: 'points.write',
    body: schema.FanCash,
    verb: (tx, { body: { reason: _, ...given }, params: { fanId: userId } }) =>
      grantCash(
        tx,
        { source: SOURCE, provider: '', currencies: cashCurrencies },
        { fan: { userId }, ...given },
      ),
    detail: ({ created, promotion }) => ({ ...promotion, created }),
    answer: schema.Booked,
    respond: ({ created, available }) => ({ created, balance: available }),
    problems: thrownBy.grantCashToFan,
    example: { amount: 500, currency: 'EUR', ref: 'welcome-17', reason },
  }),
  action({
    ...onFan,
    path: '/:fanId/void-event',
    id: 'voidEventOfFan',
    summary: 'Void an event, and take back the points that it earned',
    permission: 'points.write',
    body: schema.EventToVoid,
    verb: (tx, { body: { reason: _, ...event }, params: { fanId } }) => voidEventOf(tx, fanId, event),
    detail: (_, { body: { reason: __, ...event } }) => event,
    answer: schema.VoidedEvent,
    problems: thrownBy.voidEventOfFan,
    example: { source: 'shop', eventId: 'receipt-4711', reason },
  }),
]

const memberships = () => [
  action({
    ...onFan,
    path: '/:fanId/memberships',
    id: 'writeMembershipOfFan',
    summary: 'Write a membership of a fan',
    description: 'With the `ref` of one of theirs it changes that one.',
    permission: 'fans.write',
    body: schema.FanMembership,
    verb: (tx, { body: { reason: _, ref = `staff-${tx.newId()}`, ...terms }, params: { fanId: userId } }) =>
      writeMembership(tx, { provider: '' }, ref, { fan: { userId }, ...terms }),
    detail: ({ created, membership: { ref, kindId, startsAt, endsAt } }) => ({
      ref,
      kindId,
      startsAt,
      endsAt,
      created,
    }),
    answer: Membership,
    respond: ({ membership }) => membership,
    problems: thrownBy.writeMembershipOfFan,
    example: {
      kindId: 'season-ticket',
      number: '004711',
      startsAt: '2026-07-01T00:00:00Z',
      endsAt: '2027-07-01T00:00:00Z',
      reason,
    },
  }),
  action({
    ...onFan,
    path: '/:fanId/memberships/:ref/end',
    params: schema.FanMembershipPath,
    id: 'endMembershipOfFan',
    summary: 'End a membership of a fan',
    description: 'Ends it now. A membership that has ended stays as it is.',
    permission: 'fans.write',
    onePerson: 'It gives nothing.',
    reversible: 'write it again with its former end',
    body: schema.OnlyReason,
    verb: (tx, { params: { fanId, ref } }) => deleteMembership(tx, ref, fanId),
    detail: (_, { params: { ref } }) => ({ ref }),
    problems: thrownBy.endMembershipOfFan,
    example: { reason },
  }),
]

const corrections = ({ codeSources }: FanActionDeps) => [
  action({
    ...onFan,
    path: '/:fanId/end-sessions',
    id: 'endSessionsOfFan',
    summary: 'Sign a fan out everywhere',
    permission: 'fans.write',
    onePerson: 'It gives nothing.',
    body: schema.OnlyReason,
    verb: (tx, { params: { fanId } }) => endSessionsOf(tx, fanId),
    detail: ended => ended,
    answer: schema.EndedSessions,
    problems: thrownBy.endSessionsOfFan,
    example: { reason },
  }),
  action({
    ...onFan,
    path: '/:fanId/consents/withdraw',
    id: WITHDRAWAL,
    summary: 'Record that a fan withdraws a consent, as by letter',
    description: 'Only fans themselves agree.',
    permission: 'fans.write',
    onePerson: 'It gives nothing.',
    body: schema.Withdrawal,
    verb: (tx, { body: { purpose }, params: { fanId } }) => withdrawConsentOf(tx, fanId, purpose),
    detail: (_, { body: { purpose } }) => ({ purpose }),
    answer: schema.Withdrawn,
    problems: thrownBy.withdrawConsentOfFan,
    example: { purpose: 'marketing', reason: 'Letter of 3 August.' },
  }),
  action({
    ...onFan,
    path: '/:fanId/names',
    id: 'renameFan',
    summary: 'Change or clear the name and the handle',
    permission: 'fans.write',
    onePerson: 'It gives nothing.',
    body: schema.NewNames,
    verb: (tx, { body: { reason: _, ...names }, params: { fanId } }) => renameFan(tx, fanId, names),
    detail: (_, { body: { reason: __, ...names } }) => ({ changed: Object.keys(names) }),
    problems: thrownBy.renameFan,
    example: { displayName: null, reason },
  }),
  action({
    ...onReward,
    path: '/:fanId/rewards/:rewardId/undo-claim',
    id: 'undoClaimOfFan',
    summary: 'Undo an unused claim',
    description: 'Its unit returns to the stock, and the fan can claim the reward again.',
    permission: 'fans.write',
    onePerson: 'The fan has the claim no more, and it spent no points.',
    verb: async (tx, { params: { fanId, rewardId } }) =>
      undoClaim(tx, { userId: await lockForStaff(tx, fanId), rewardId }),
    detail: ofReward,
    problems: thrownBy.undoClaimOfFan,
  }),
  action({
    ...onReward,
    path: '/:fanId/rewards/:rewardId/replace-code',
    id: 'replaceCodeOfFan',
    summary: 'Send a new redemption code',
    description:
      'The previous code is no longer valid. The fan finds the new one in the app, and the event `reward.code_replaced` tells systems that send codes.',
    permission: 'fans.write',
    onePerson: 'The former code is worthless.',
    verb: async (tx, { params: { fanId, rewardId } }) =>
      replaceCode(tx, { userId: await lockForStaff(tx, fanId), rewardId }),
    detail: ofReward,
    problems: thrownBy.replaceCodeOfFan,
  }),
  action({
    ...onReward,
    path: '/:fanId/rewards/:rewardId/undo-use',
    id: 'undoUseOfReward',
    summary: 'Undo the use of the code of a reward at the desk',
    permission: 'fans.write',
    verb: async (tx, { params: { fanId, rewardId } }) =>
      undoUseOfReward(tx, codeSources, { userId: await lockForStaff(tx, fanId), rewardId }),
    detail: ofReward,
    problems: thrownBy.undoUseOfReward,
  }),
  action({
    ...onFan,
    path: '/:fanId/undo-use',
    id: 'undoUseOfFan',
    summary: 'Undo the use of a code at the desk',
    permission: 'fans.write',
    body: schema.CodeToReopen,
    verb: async (tx, { body: { code }, params: { fanId } }) =>
      undoUse(tx, codeSources, { userId: await lockForStaff(tx, fanId), code }),
    detail: ({ reward, order }) => ({ rewardId: reward.id, orderId: order?.id ?? null }),
    problems: thrownBy.undoUseOfFan,
    example: { code: 'K7QM-2XPD-9RTV-WJ4C', reason },
  }),
  action({
    ...onFan,
    path: '/:fanId/merge',
    id: 'mergeFan',
    summary: 'Merge a fan into another one, permanently',
    permission: 'fans.merge',
    body: schema.Merge,
    verb: (tx, { body: { into, reason }, params: { fanId }, staff }) =>
      mergeFans(tx, { from: fanId, into, mergedBy: staff.name, reason }),
    detail: ({ intoId, points }) => ({ into: intoId, ...points }),
    answer: schema.MergeReport,
    problems: thrownBy.mergeFan,
    example: { into: 'another-fan', reason },
  }),
]

export const fanActionRoutes = (deps: FanActionDeps) => {
  const { config, db, addressEncryption, log } = deps
  const group = staff(deps, { prefix: '/api/fans', tag: 'Fans' })
    .get(
      '/:fanId/claims',
      ({ params: { fanId } }) => listClaimsOf(db.read, fanId),
      consoleOperation({
        id: 'listClaimsOfFan',
        summary: 'List the claims of a fan that can be corrected',
        permission: 'fans.read',
        params: schema.FanPath,
        responses: { 200: schema.FanClaims },
        problems: thrownBy.listClaimsOfFan,
      }),
    )
    .post(
      '/:fanId/export',
      async ({ act, body, params: { fanId }, set }) => {
        await act({ kind: 'fan', id: fanId }, body.reason, tx => lockForStaff(tx, fanId))
        const document = await exportUser(db.read, { id: fanId }, addressEncryption)
        const pieces = await Array.fromAsync(streamJson(document))
        set.headers['Content-Type'] = 'application/octet-stream'
        set.headers['Content-Disposition'] = `attachment; filename="fan-${fanId}.json"`
        return pieces.join('')
      },
      consoleOperation({
        id: 'exportFan',
        summary: 'Download everything that is stored about a fan',
        permission: 'fans.export',
        params: schema.FanPath,
        body: schema.OnlyReason,
        responses: { 200: schema.FanDocument },
        problems: thrownBy.exportFan,
        examples: { body: { reason } },
      }),
    )
    .post(
      '/:fanId/erase',
      async ({ act, body: { confirm, reason }, params: { fanId } }) => {
        // Checked before another person is asked to confirm.
        await requireConfirmed(db.read, fanId, confirm)
        const erased = await act(
          { kind: 'fan', id: fanId },
          reason,
          tx =>
            eraseFan(tx, fanId, confirm, tombstone => {
              if (config.erasureList !== null) appendErasures(config.erasureList, [tombstone])
            }),
          // The list of erasures is a file.
          { detail: erased => erased, isFinal: true },
        )
        // Not awaited: it waits until no write is pending. The deleted content must not stay in SQLite's WAL.
        db.truncateLog(LOG_PATIENCE_MS).catch(error => log.warn({ error }, 'the WAL was not emptied'))
        return erased
      },
      consoleOperation({
        id: 'eraseFan',
        summary: 'Erase a fan, permanently',
        permission: 'fans.erase',
        params: schema.FanPath,
        body: schema.Erase,
        responses: { 200: schema.Erased },
        problems: thrownBy.eraseFan,
        examples: { body: { confirm: 'calebe', reason } },
      }),
    )
    .post(
      '/:fanId/merge/plan',
      ({ body: { into }, params: { fanId }, staff }) =>
        planMerge(db, { from: fanId, into, mergedBy: staff.name, reason: null }),
      consoleOperation({
        id: 'planMergeOfFan',
        summary: 'Preview a merge',
        permission: 'fans.merge',
        onePerson: 'It writes nothing.',
        reversible: 'It writes nothing.',
        params: schema.FanPath,
        body: schema.MergePlan,
        responses: { 200: schema.MergeReport },
        problems: thrownBy.planMergeOfFan,
        examples: { body: { into: 'another-fan' } },
      }),
    )
  return withActions(group, [...bookings(deps), ...memberships(), ...corrections(deps)])
}
