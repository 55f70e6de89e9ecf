/** Actions on a fan: each is a verb that a script or an operation of the API has as well. */
import { Elysia } from 'elysia'
import { streamJson } from '../../../../core/stream-json.ts'
import { Type } from '../../../../core/typebox.ts'
import { grantCash } from '../../../../economy/cash/grant-cash.ts'
import { grantPoints } from '../../../../economy/points/grants.ts'
import { appendErasures } from '../../../../fan/account/erasure-list.ts'
import { replaceCode, undoClaim, undoUse, undoUseOfReward } from '../../../../play/rewards/corrections.ts'
import { exportUser } from '../../../admin/export-user.ts'
import { listClaimsOf } from '../../../admin/fans/claims.ts'
import {
  endSessionsOf,
  eraseFan,
  lockForStaff,
  renameFan,
  requireConfirmed,
  voidEventOf,
} from '../../../admin/fans/corrections.ts'
import { mergeFans } from '../../../admin/merge/merge-fans.ts'
import { planMerge } from '../../../admin/merge/plan-merge.ts'
import { consoleOperation } from '../../contract/operation.ts'
import { staff } from '../../contract/staff.ts'
import type { ConsoleDeps } from '../../deps.ts'
import * as schema from './schema.ts'

/** Source of grants by staff. No server key has this name. */
const SOURCE = 'operator'
/** How long to wait for readers of an older state, which keep the WAL from being emptied. */
const LOG_PATIENCE_MS = 5_000

const fan = (id: string) => ({ kind: 'fan', id })
const reason = 'The fan called the hotline.'
const Nothing = Type.Void({ description: 'Done.' })
const { problems: ofFan } = lockForStaff

const bookings = (deps: ConsoleDeps) => {
  const { config } = deps
  return staff(deps, { prefix: '/api/fans', tag: 'Fans' })
    .post(
      '/:fanId/grants',
      async ({ act, body: { delta, ref, reason }, params: { fanId } }) => {
        const { created, balance } = await act(
          fan(fanId),
          reason,
          tx => grantPoints(tx, { source: SOURCE, provider: '' }, { fan: { userId: fanId }, delta, ref }),
          { detail: ({ created }) => ({ delta, ref, created }) },
        )
        return { created, balance }
      },
      consoleOperation({
        id: 'grantPointsToFan',
        summary: 'Grant points, or take them',
        description: 'Once per `ref`: a repeat changes nothing.',
        permission: 'points.write',
        params: schema.FanPath,
        body: schema.FanGrant,
        responses: { 200: schema.Booked },
        problems: grantPoints.problems,
        examples: { body: { delta: 50, ref: 'apology-17', reason } },
      }),
    )
    .post(
      '/:fanId/cash',
      async ({ act, body: { reason, ...given }, params: { fanId } }) => {
        const { created, available } = await act(
          fan(fanId),
          reason,
          tx =>
            grantCash(
              tx,
              { source: SOURCE, provider: '', currencies: config.cashCurrencies },
              { fan: { userId: fanId }, ...given },
            ),
          { detail: ({ created, promotion }) => ({ ...promotion, created }) },
        )
        return { created, balance: available }
      },
      consoleOperation({
        id: 'grantCashToFan',
        summary: 'Give cash, as a promotion',
        description: 'Once per `ref`: a repeat changes nothing.',
        permission: 'points.write',
        params: schema.FanPath,
        body: schema.FanCash,
        responses: { 200: schema.Booked },
        problems: grantCash.problems,
        examples: { body: { amount: 500, currency: 'EUR', ref: 'welcome-17', reason } },
      }),
    )
    .post(
      '/:fanId/void-event',
      ({ act, body: { reason, ...event }, params: { fanId } }) =>
        act(fan(fanId), reason, tx => voidEventOf(tx, fanId, event), { detail: event }),
      consoleOperation({
        id: 'voidEventOfFan',
        summary: 'Void an event, and take back what it has earned',
        permission: 'points.write',
        params: schema.FanPath,
        body: schema.EventToVoid,
        responses: { 200: schema.VoidedEvent },
        problems: voidEventOf.problems,
        examples: { body: { source: 'shop', eventId: 'receipt-4711', reason } },
      }),
    )
}

const corrections = (deps: ConsoleDeps) =>
  staff(deps, { prefix: '/api/fans', tag: 'Fans' })
    .post(
      '/:fanId/end-sessions',
      ({ act, body, params: { fanId } }) =>
        act(fan(fanId), body.reason, tx => endSessionsOf(tx, fanId), { detail: ended => ended }),
      consoleOperation({
        id: 'endSessionsOfFan',
        summary: 'Sign a fan out everywhere',
        permission: 'fans.write',
        onePerson: 'It gives nothing.',
        params: schema.FanPath,
        body: schema.OnlyReason,
        responses: { 200: schema.EndedSessions },
        problems: endSessionsOf.problems,
        examples: { body: { reason } },
      }),
    )
    .post(
      '/:fanId/names',
      async ({ act, body: { reason, ...names }, params: { fanId }, status }) => {
        await act(fan(fanId), reason, tx => renameFan(tx, fanId, names), {
          detail: { changed: Object.keys(names) },
        })
        return status(204, undefined)
      },
      consoleOperation({
        id: 'renameFan',
        summary: 'Change or clear the name and the handle',
        permission: 'fans.write',
        onePerson: 'It gives nothing.',
        params: schema.FanPath,
        body: schema.NewNames,
        responses: { 204: Nothing },
        problems: renameFan.problems,
        examples: { body: { displayName: null, reason } },
      }),
    )
    .post(
      '/:fanId/rewards/:rewardId/undo-claim',
      async ({ act, body, params: { fanId, rewardId }, status }) => {
        await act(
          fan(fanId),
          body.reason,
          async tx => undoClaim(tx, { userId: await lockForStaff(tx, fanId), rewardId }),
          { detail: { rewardId } },
        )
        return status(204, undefined)
      },
      consoleOperation({
        id: 'undoClaimOfFan',
        summary: 'Undo a claim that was not used',
        description: 'Its unit returns to the stock, and the fan can claim the reward again.',
        permission: 'fans.write',
        onePerson: 'The fan has the claim no more, and it spent no points.',
        params: schema.FanRewardPath,
        body: schema.OnlyReason,
        responses: { 204: Nothing },
        problems: [...ofFan, ...undoClaim.problems],
        examples: { body: { reason } },
      }),
    )
    .post(
      '/:fanId/rewards/:rewardId/replace-code',
      async ({ act, body, params: { fanId, rewardId }, status }) => {
        await act(
          fan(fanId),
          body.reason,
          async tx => replaceCode(tx, { userId: await lockForStaff(tx, fanId), rewardId }),
          { detail: { rewardId } },
        )
        return status(204, undefined)
      },
      consoleOperation({
        id: 'replaceCodeOfFan',
        summary: 'Send a new redemption code',
        description:
          'The former code is worthless. The fan finds the new one in the app, and the event `reward.code_replaced` tells systems that send codes.',
        permission: 'fans.write',
        onePerson: 'The former code is worthless.',
        params: schema.FanRewardPath,
        body: schema.OnlyReason,
        responses: { 204: Nothing },
        problems: [...ofFan, ...replaceCode.problems],
        examples: { body: { reason } },
      }),
    )
    .post(
      '/:fanId/rewards/:rewardId/undo-use',
      async ({ act, body, params: { fanId, rewardId }, status }) => {
        await act(
          fan(fanId),
          body.reason,
          async tx =>
            undoUseOfReward(tx, deps.codeSources, { userId: await lockForStaff(tx, fanId), rewardId }),
          { detail: { rewardId } },
        )
        return status(204, undefined)
      },
      consoleOperation({
        id: 'undoUseOfReward',
        summary: 'Undo the use of the code of a reward at the desk',
        permission: 'fans.write',
        params: schema.FanRewardPath,
        body: schema.OnlyReason,
        responses: { 204: Nothing },
        problems: [...ofFan, ...undoUseOfReward.problems],
        examples: { body: { reason } },
      }),
    )
    .get(
      '/:fanId/claims',
      ({ params: { fanId } }) => listClaimsOf(deps.db.read, fanId),
      consoleOperation({
        id: 'listClaimsOfFan',
        summary: 'List the claims of a fan that can be corrected',
        permission: 'fans.read',
        params: schema.FanPath,
        responses: { 200: schema.FanClaims },
        problems: listClaimsOf.problems,
      }),
    )
    .post(
      '/:fanId/undo-use',
      async ({ act, body: { code, reason }, params: { fanId }, status }) => {
        await act(
          fan(fanId),
          reason,
          async tx => undoUse(tx, deps.codeSources, { userId: await lockForStaff(tx, fanId), code }),
          { detail: ({ reward, order }) => ({ rewardId: reward.id, orderId: order?.id ?? null }) },
        )
        return status(204, undefined)
      },
      consoleOperation({
        id: 'undoUseOfFan',
        summary: 'Undo the use of a code at the desk',
        permission: 'fans.write',
        params: schema.FanPath,
        body: schema.CodeToReopen,
        responses: { 204: Nothing },
        problems: [...ofFan, ...undoUse.problems],
        examples: { body: { code: 'K7QM-2XPD-9RTV-WJ4C', reason } },
      }),
    )

const records = (deps: ConsoleDeps) => {
  const { config, db, addressEncryption, log } = deps
  return staff(deps, { prefix: '/api/fans', tag: 'Fans' })
    .post(
      '/:fanId/export',
      async ({ act, body, params: { fanId }, set }) => {
        await act(fan(fanId), body.reason, tx => lockForStaff(tx, fanId))
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
        problems: ofFan,
        examples: { body: { reason } },
      }),
    )
    .post(
      '/:fanId/erase',
      async ({ act, body: { confirm, reason }, params: { fanId } }) => {
        // Before another person is asked to confirm it.
        await requireConfirmed(db.read, fanId, confirm)
        const erased = await act(
          fan(fanId),
          reason,
          tx =>
            eraseFan(tx, fanId, confirm, tombstone => {
              if (config.erasureList !== null) appendErasures(config.erasureList, [tombstone])
            }),
          { detail: erased => erased },
        )
        // Not awaited: it waits until no write is pending. The deleted content must not stay in SQLite's WAL.
        db.truncateLog(LOG_PATIENCE_MS).catch(error => log.warn({ error }, 'the WAL was not emptied'))
        return erased
      },
      consoleOperation({
        id: 'eraseFan',
        summary: 'Erase a fan, for good',
        permission: 'fans.erase',
        params: schema.FanPath,
        body: schema.Erase,
        responses: { 200: schema.Erased },
        problems: eraseFan.problems,
        examples: { body: { confirm: 'calebe', reason } },
      }),
    )
    .post(
      '/:fanId/merge/plan',
      ({ body: { into }, params: { fanId }, staff }) =>
        planMerge(db, { from: fanId, into, mergedBy: staff.name, reason: null }),
      consoleOperation({
        id: 'planMergeOfFan',
        summary: 'Show what a merge would move',
        permission: 'fans.merge',
        onePerson: 'It writes nothing.',
        reversible: 'It writes nothing.',
        params: schema.FanPath,
        body: schema.MergePlan,
        responses: { 200: schema.MergeReport },
        problems: mergeFans.problems,
        examples: { body: { into: 'another-fan' } },
      }),
    )
    .post(
      '/:fanId/merge',
      ({ act, body: { into, reason }, params: { fanId }, staff }) =>
        act(fan(fanId), reason, tx => mergeFans(tx, { from: fanId, into, mergedBy: staff.name, reason }), {
          detail: ({ intoId, points }) => ({ into: intoId, ...points }),
        }),
      consoleOperation({
        id: 'mergeFan',
        summary: 'Merge a fan into another one, for good',
        permission: 'fans.merge',
        params: schema.FanPath,
        body: schema.Merge,
        responses: { 200: schema.MergeReport },
        problems: mergeFans.problems,
        examples: { body: { into: 'another-fan', reason } },
      }),
    )
}

export const fanActionRoutes = (deps: ConsoleDeps) =>
  new Elysia({ normalize: false }).use(bookings(deps)).use(corrections(deps)).use(records(deps))
