import { Elysia } from 'elysia'
import type { Transaction } from '../../../db/index.ts'
import type { Caller } from '../../core/caller.ts'
import { type Cursors, pageOf } from '../../core/pagination.ts'
import { Closed, PageQuery } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { Nothing, operation } from '../../platform/http/contract/operation.ts'
import { type FanDeps, fans } from '../auth/groups.ts'
import { blockFan, unblockFan } from './block.ts'
import { followFan, unfollowFan } from './follow.ts'
import { listFans, listFollowing } from './lists.ts'
import { muteFan, unmuteFan } from './mute.ts'
import { changePrivacy, readPrivacy } from './privacy.ts'
import { thrownBy } from './problems.generated.ts'
import * as schema from './schema.ts'

type RelationsDeps = FanDeps & { cursors: Cursors }

const TAG = 'Fans'

/** How an operation is described, and what it does. */
interface Change {
  id: string
  summary: string
  description: string
  /** Description of the response. */
  done: string
  verb(tx: Transaction, caller: Caller, handle: string): Promise<void>
  problems: readonly (typeof thrownBy.followFan)[number][]
  whenSuspended?: 'allowed'
  guardianConsent?: 'required'
}

/** `PUT` and `DELETE` of what a fan is to the one with this handle. */
const changeRoutes = <const Prefix extends string>(
  deps: RelationsDeps,
  prefix: Prefix,
  put: Change,
  remove: Change,
) =>
  fans(deps, { prefix, tag: TAG })
    .put(
      '/:handle',
      ({ params, status, write }) =>
        write(async (tx, fan) => {
          await put.verb(tx, fan, params.handle)
          return status(204, undefined)
        }),
      operation({
        ...describe(put),
        params: schema.HandleParams,
        body: Nothing,
        limit: 'relations',
        responses: { 204: Type.Void({ description: put.done }) },
        problems: put.problems,
      }),
    )
    .delete(
      '/:handle',
      ({ params, status, write }) =>
        write(async (tx, fan) => {
          await remove.verb(tx, fan, params.handle)
          return status(204, undefined)
        }),
      operation({
        ...describe(remove),
        idempotencyKey: 'none',
        params: schema.HandleParams,
        body: Nothing,
        limit: 'relations',
        responses: { 204: Type.Void({ description: remove.done }) },
        problems: remove.problems,
      }),
    )

const describe = ({ id, summary, description, whenSuspended, guardianConsent }: Change) => ({
  id,
  summary,
  description,
  ...(whenSuspended && { whenSuspended }),
  ...(guardianConsent && { guardianConsent }),
})

const followingRoutes = (deps: RelationsDeps) =>
  changeRoutes(
    deps,
    '/api/user/following',
    {
      id: 'followFan',
      summary: 'Follow a fan',
      description: 'At most 1,000 fans. A repeat changes nothing.',
      done: 'You follow the fan.',
      verb: followFan,
      problems: thrownBy.followFan,
    },
    {
      id: 'unfollowFan',
      summary: 'Stop following a fan',
      description: 'A repeat changes nothing.',
      done: 'You do not follow the fan.',
      verb: unfollowFan,
      problems: thrownBy.unfollowFan,
    },
  ).get(
    '',
    ({ caller, query }) => listFollowing(deps.db.read, deps.cursors, caller, pageOf(query)),
    operation({
      id: 'listFollowing',
      summary: 'List the fans that you follow',
      description: 'Newest first, with their total number.',
      query: Closed(PageQuery),
      responses: { 200: schema.Following },
      problems: thrownBy.listFollowing,
      examples: { 200: { fans: [schema.exampleListedFan], total: 1, nextCursor: null } },
    }),
  )

const blockRoutes = (deps: RelationsDeps) =>
  changeRoutes(
    deps,
    '/api/user/blocks',
    {
      id: 'blockFan',
      summary: 'Block a fan',
      description:
        'Ends both follows and hides each of you from the other: neither finds the other’s handle. A repeat changes nothing.',
      done: 'The fan is blocked.',
      verb: blockFan,
      problems: thrownBy.blockFan,
      whenSuspended: 'allowed',
    },
    {
      id: 'unblockFan',
      summary: 'End a block',
      description: 'Does not bring back the follows. A repeat changes nothing.',
      done: 'You do not block the fan.',
      verb: unblockFan,
      problems: thrownBy.unblockFan,
      whenSuspended: 'allowed',
      guardianConsent: 'required',
    },
  ).get(
    '',
    ({ caller, query }) => listFans(deps.db.read, deps.cursors, 'blocks', caller, pageOf(query)),
    operation({
      id: 'listBlocks',
      summary: 'List the fans that you block',
      description: 'Newest first, with only the handle, so that you can end the block.',
      query: Closed(PageQuery),
      responses: { 200: schema.Fans },
      problems: thrownBy.listBlocks,
      examples: {
        200: { fans: [{ ...schema.exampleListedFan, displayName: null }], nextCursor: null },
      },
    }),
  )

const muteRoutes = (deps: RelationsDeps) =>
  changeRoutes(
    deps,
    '/api/user/mutes',
    {
      id: 'muteFan',
      summary: 'Mute a fan',
      description:
        'Adds the fan to your list of muted fans, and changes nothing else. The fan is not notified. A repeat changes nothing.',
      done: 'The fan is muted.',
      verb: muteFan,
      problems: thrownBy.muteFan,
      whenSuspended: 'allowed',
    },
    {
      id: 'unmuteFan',
      summary: 'End a mute',
      description: 'A repeat changes nothing.',
      done: 'You do not mute the fan.',
      verb: unmuteFan,
      problems: thrownBy.unmuteFan,
      whenSuspended: 'allowed',
      guardianConsent: 'required',
    },
  ).get(
    '',
    ({ caller, query }) => listFans(deps.db.read, deps.cursors, 'mutes', caller, pageOf(query)),
    operation({
      id: 'listMutes',
      summary: 'List the fans that you mute',
      description: 'Newest first.',
      query: Closed(PageQuery),
      responses: { 200: schema.Fans },
      problems: thrownBy.listMutes,
      examples: { 200: { fans: [schema.exampleListedFan], nextCursor: null } },
    }),
  )

const followerRoutes = (deps: RelationsDeps) =>
  fans(deps, { prefix: '/api/user/followers', tag: TAG }).get(
    '',
    ({ caller, query }) => listFans(deps.db.read, deps.cursors, 'followers', caller, pageOf(query)),
    operation({
      id: 'listFollowers',
      summary: 'List the fans who follow you',
      description: 'Newest first, with the data that each fan shows to you.',
      query: Closed(PageQuery),
      responses: { 200: schema.Fans },
      problems: thrownBy.listFollowers,
      examples: { 200: { fans: [schema.exampleListedFan], nextCursor: null } },
    }),
  )

const privacyRoutes = (deps: RelationsDeps) =>
  fans(deps, { prefix: '/api/user/privacy', tag: TAG })
    .get(
      '',
      ({ caller }) => readPrivacy(deps.db.read, caller),
      operation({
        id: 'readPrivacy',
        summary: 'Read what you show to others',
        description: 'The defaults until you change them.',
        responses: { 200: schema.Privacy },
        examples: { 200: schema.DEFAULT_PRIVACY },
      }),
    )
    .patch(
      '',
      ({ body, write }) => write((tx, fan) => changePrivacy(tx, fan, body)),
      operation({
        id: 'changePrivacy',
        whenSuspended: 'allowed',
        summary: 'Change what you show to others',
        description:
          'Takes effect at once, also for past activity. An omitted member keeps its value. Without the consent of a guardian that they need, fans can only show less.',
        guardianConsent: 'partly',
        body: schema.PrivacyChange,
        limit: 'relations',
        responses: { 200: schema.Privacy },
        problems: thrownBy.changePrivacy,
        examples: {
          body: { leaderboardName: 'handle' },
          200: { ...schema.DEFAULT_PRIVACY, leaderboardName: 'handle' },
        },
      }),
    )

export const relationsRoutes = (deps: RelationsDeps) =>
  new Elysia({ name: 'matchday/relations-routes' })
    .use(followingRoutes(deps))
    .use(followerRoutes(deps))
    .use(blockRoutes(deps))
    .use(muteRoutes(deps))
    .use(privacyRoutes(deps))
