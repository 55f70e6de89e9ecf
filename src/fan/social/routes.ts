import { Elysia } from 'elysia'
import { exampleTeam } from '../../club/teams/schema.ts'
import { type Cursors, pageOf } from '../../core/pagination.ts'
import { Closed, PageQuery } from '../../core/schemas.ts'
import { type FanDeps, fans, optionalFans } from '../../identity/auth/groups.ts'
import { HandleParams } from '../../identity/relations/schema.ts'
import type { PublicReads } from '../../platform/cache/public-reads.ts'
import { LanguageQuery } from '../../platform/http/contract/language.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { readFanPage } from './fan-page.ts'
import { readFeed } from './feed.ts'
import { exampleFeedItem, Feed } from './feed-items.ts'
import { thrownBy } from './problems.generated.ts'
import { FanPage } from './schema.ts'

type SocialDeps = FanDeps & { cursors: Cursors; publicReads: PublicReads }

const feedRoutes = (deps: SocialDeps) =>
  fans(deps, { prefix: '/api/feed', tag: 'Fans' }).get(
    '',
    ({ caller, query }) => readFeed(deps.db.read, deps.cursors, caller, pageOf(query)),
    operation({
      id: 'readFeed',
      summary: 'Read the activity of the fans that you follow',
      description:
        'Newest first, limited to what each fan shows to you now, and without fans that you mute. New events do not change a page: they are on a new first page.',
      query: Closed(PageQuery),
      responses: { 200: Feed },
      problems: thrownBy.readFeed,
      examples: { 200: { items: [exampleFeedItem], nextCursor: null } },
    }),
  )

const fanPageRoutes = (deps: SocialDeps) =>
  optionalFans(deps, { prefix: '/api/fans', tag: 'Fans' }).get(
    '/:handle',
    ({ params, readPublic, viewer }) => readPublic(source => readFanPage(source, viewer, params.handle)),
    operation({
      id: 'readFan',
      summary: 'Read the page of a fan',
      description:
        'The data that the fan shows to you, or without a token to everyone. Fans who have blocked you, or that you have blocked, are not found.',
      params: HandleParams,
      query: Closed(LanguageQuery),
      responses: { 200: FanPage },
      problems: thrownBy.readFan,
      examples: {
        200: {
          handle: 'calebe',
          displayName: 'Calebe',
          avatarUrl: null,
          favoriteTeam: exampleTeam,
          rank: 42,
          points: 1250,
          tier: [],
          locker: { title: 'Derby days', theme: 'night' },
          following: true,
          followsYou: false,
          muted: false,
        },
      },
    }),
  )

export const socialRoutes = (deps: SocialDeps) =>
  new Elysia({ name: 'matchday/social-routes' }).use(feedRoutes(deps)).use(fanPageRoutes(deps))
