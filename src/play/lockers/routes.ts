import { Elysia } from 'elysia'
import { Closed } from '../../core/schemas.ts'
import { type FanDeps, fans, optionalFans } from '../../identity/auth/groups.ts'
import { HandleParams } from '../../identity/relations/schema.ts'
import type { PublicReads } from '../../platform/cache/public-reads.ts'
import { LanguageQuery } from '../../platform/http/contract/language.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { readLocker, readOwnLocker } from './lockers.ts'
import { thrownBy } from './problems.generated.ts'
import * as schema from './schema.ts'
import { writeLocker } from './write-locker.ts'

type LockerDeps = FanDeps & { publicReads: PublicReads }

const TAG = 'Fans'

const ownRoutes = (deps: LockerDeps) =>
  fans(deps, { prefix: '/api/user/locker', tag: TAG })
    .get(
      '',
      ({ caller }) => readOwnLocker(deps.db.read, caller),
      operation({
        id: 'readOwnLocker',
        summary: 'Read your locker',
        description: 'Contains only items that you own now. Empty until you write it.',
        query: Closed(LanguageQuery),
        responses: { 200: schema.Locker },
        examples: { 200: schema.exampleLocker },
      }),
    )
    .put(
      '',
      ({ body, write }) => write((tx, fan) => writeLocker(tx, fan, body)),
      operation({
        id: 'writeLocker',
        summary: 'Write your locker',
        description:
          'Replaces the whole locker. Each item can occur once, and is shown as long as you own it.',
        query: Closed(LanguageQuery),
        body: schema.WriteLocker,
        findErrors: ({ body }) => schema.findRepeatedItems(body),
        limit: 'relations',
        responses: { 200: schema.Locker },
        problems: thrownBy.writeLocker,
        examples: { body: schema.exampleWriteLocker, 200: schema.exampleLocker },
      }),
    )

const shownRoutes = (deps: LockerDeps) =>
  optionalFans(deps, { prefix: '/api/lockers', tag: TAG }).get(
    '/:handle',
    ({ params, readPublic, viewer }) =>
      readPublic(({ read }) => readLocker(read, viewer.userId, params.handle)),
    operation({
      id: 'readLocker',
      summary: 'Read the locker of a fan',
      description: 'The locker as the fan shows it to you, or without a token to everyone.',
      query: Closed(LanguageQuery),
      params: HandleParams,
      responses: { 200: schema.ShownLocker },
      problems: thrownBy.readLocker,
      examples: {
        200: { handle: 'calebe', displayName: 'Calebe', avatarUrl: null, ...schema.exampleLocker },
      },
    }),
  )

export const lockersRoutes = (deps: LockerDeps) =>
  new Elysia({ name: 'matchday/lockers-routes' }).use(ownRoutes(deps)).use(shownRoutes(deps))
