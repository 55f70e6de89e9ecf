import { Type } from '../../core/typebox.ts'
import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import { Nothing, operation } from '../../platform/http/contract/operation.ts'
import { addMembership, removeMembership } from './join-leaderboard.ts'

export const membershipRoutes = (deps: FanDeps) =>
  fans(deps, { prefix: '/api/user/leaderboard-membership', tag: 'Leaderboard' })
    .put(
      '',
      ({ status, write }) =>
        write(async (tx, fan) => {
          await addMembership(tx, fan)
          return status(204, undefined)
        }),
      operation({
        id: 'joinLeaderboard',
        summary: 'Join the leaderboard',
        description:
          'Adds you to the global board with your lifetime points, to the boards of the current week and month with the points earned in them, and to the boards of predictions with the points of your predictions. You can join again after leaving. A repeat changes nothing.',
        body: Nothing,
        responses: { 204: Type.Void({ description: 'You are on the leaderboard.' }) },
      }),
    )
    .delete(
      '',
      ({ status, write }) =>
        write(async (tx, fan) => {
          await removeMembership(tx, fan)
          return status(204, undefined)
        }),
      operation({
        id: 'leaveLeaderboard',
        whenSuspended: 'allowed',
        idempotencyKey: 'none',
        summary: 'Leave the leaderboard',
        description:
          'Removes you from all boards at once, past ones included. Your points stay. A repeat changes nothing.',
        body: Nothing,
        responses: { 204: Type.Void({ description: 'You are not on the leaderboard.' }) },
      }),
    )
