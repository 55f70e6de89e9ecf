/** The whole application on its dependencies. Never listens: `main.ts` does, and tests call `handle`. */
import { Elysia, NotFoundError } from 'elysia'
import { competitionsRoutes } from '../club/competitions/routes.ts'
import { documentsRoutes } from '../club/documents/routes.ts'
import { matchesRoutes } from '../club/matches/routes.ts'
import { pictureFiles } from '../club/pictures/file-routes.ts'
import { picturesRoutes } from '../club/pictures/routes.ts'
import { playersRoutes } from '../club/players/routes.ts'
import { seasonsRoutes } from '../club/seasons/routes.ts'
import { sponsorsRoutes } from '../club/sponsors/routes.ts'
import { teamsRoutes } from '../club/teams/routes.ts'
import { createCachedRead } from '../core/cached-read.ts'
import type { DomainError } from '../core/problems.ts'
import type { RequestHandler } from '../core/tracer.ts'
import { readSinkNotices } from '../delivery/event-sink/backlog.ts'
import { preferenceRoutes } from '../delivery/preferences/routes.ts'
import { devicesRoutes } from '../delivery/push/routes.ts'
import { streamRoutes } from '../delivery/stream/routes.ts'
import { describeMessages } from '../delivery/webhooks/describe.ts'
import { readNotices } from '../delivery/webhooks/inspect.ts'
import { promotionRoutes } from '../economy/cash/promotion-routes.ts'
import { eventsRoutes } from '../economy/events/routes.ts'
import { leaderboardRoutes } from '../economy/leaderboard/routes.ts'
import { grantRoutes } from '../economy/points/grant-routes.ts'
import { membershipRoutes } from '../economy/points/join-leaderboard-routes.ts'
import { pointsRoutes } from '../economy/points/routes.ts'
import { exportFiles } from '../fan/account/file-routes.ts'
import { accountRoutes } from '../fan/account/routes.ts'
import { consentRoutes } from '../fan/consents/routes.ts'
import { dashboardRoutes } from '../fan/dashboard/routes.ts'
import { messageRoutes } from '../fan/messages/routes.ts'
import { noticePages } from '../fan/moderation/notice-page/routes.ts'
import { moderationRoutes } from '../fan/moderation/routes.ts'
import { onboardingRoutes } from '../fan/onboarding/routes.ts'
import { fansRoutes, profileRoutes } from '../fan/profile/routes.ts'
import { syncRoutes } from '../fan/profile/sync-routes.ts'
import { referralRoutes } from '../fan/referrals/routes.ts'
import { socialRoutes } from '../fan/social/routes.ts'
import { statusRoutes } from '../fan/status/routes.ts'
import { authRoutes } from '../identity/auth/routes.ts'
import { termsRoutes } from '../identity/public-text/routes.ts'
import { relationsRoutes } from '../identity/relations/routes.ts'
import { makeDeveloperLink } from '../identity/staff/sessions/links.ts'
import { identityRoutes } from '../identity/users/routes.ts'
import { readFigures } from '../operate/admin/figures.ts'
import { consoleUrlOf } from '../operate/console/contract/settings.ts'
import { demoRoutes } from '../platform/docs/demo.ts'
import { guideRoutes } from '../platform/docs/guide/routes.ts'
import { missingPage, prefersPage } from '../platform/docs/missing-page.ts'
import { refusalPage, wantsPage } from '../platform/docs/refusal-page.ts'
import { type Development, docsRoutes } from '../platform/docs/routes.ts'
import { healthRoutes } from '../platform/health/routes.ts'
import { methodsOf, shadowedRoutes, templateOf } from '../platform/http/edge/methods.ts'
import { pathOf } from '../platform/http/edge/query.ts'
import { routeFacts } from '../platform/http/edge/route-facts.ts'
import { serverHooks } from '../platform/http/edge/server-hooks.ts'
import { checkInPages } from '../play/check-ins/page-routes.ts'
import { checkInRoutes } from '../play/check-ins/routes.ts'
import { codesRoutes } from '../play/codes/routes.ts'
import { divisionsRoutes } from '../play/divisions/routes.ts'
import { leaguesRoutes } from '../play/leagues/routes.ts'
import { lockersRoutes } from '../play/lockers/routes.ts'
import { membershipsRoutes } from '../play/memberships/routes.ts'
import { packsRoutes } from '../play/packs/routes.ts'
import { predictionRoutes } from '../play/predictions/routes.ts'
import { ownLimitRoutes } from '../play/purchases/limit-routes.ts'
import { paymentRoutes } from '../play/purchases/routes.ts'
import { questionsRoutes } from '../play/questions/routes.ts'
import { questsRoutes } from '../play/quests/routes.ts'
import { receiptRoutes } from '../play/receipts/routes.ts'
import { redemptionRoutes } from '../play/rewards/redemption-routes.ts'
import { rewardsRoutes } from '../play/rewards/routes.ts'
import { setsRoutes } from '../play/sets/routes.ts'
import { sharePages } from '../play/shares/page-routes.ts'
import { shareAsset } from '../play/shares/pages.ts'
import { downloadFiles } from '../play/shop/download-routes.ts'
import { ordersRoutes } from '../play/shop/order-routes.ts'
import { productsRoutes } from '../play/shop/routes.ts'
import { withdrawalPages } from '../play/shop/withdrawal-page/routes.ts'
import { cashRoutes } from '../play/top-ups/routes.ts'
import { tradesRoutes } from '../play/trades/routes.ts'
import { walletsRoutes } from '../play/wallets/routes.ts'
import type { Deps } from './deps.ts'
// Declares what the spine holds, for programs that include the application's types alone.
import type {} from './spine.ts'

/** Probes of several load balancers share one read. Milliseconds. */
const NOTICES = { maxAgeMs: 1_000, deadlineMs: 5_000 }

/** For the first page in development. */
function developmentOf({ config, db }: Deps): Development {
  // `dev` sets the folder of the demo.
  const base = config.docs.demoFolder !== null && config.console && consoleUrlOf(config.console)
  return {
    async readFigures() {
      const { fans, points, events, redeemed } = await readFigures(db.read)
      return { Fans: fans, 'Points held': points, Events: events, 'Rewards redeemed': redeemed }
    },
    openConsole: base ? () => makeDeveloperLink(db, base) : undefined,
  }
}

/** One plugin for each domain: each further plugin of a chain makes the type of the application deeper. */
const domain = <const Name extends string>(name: Name) =>
  new Elysia({ name: `matchday/${name}`, normalize: false })

const callers = (deps: Deps) =>
  domain('identity')
    .use(authRoutes(deps))
    .use(identityRoutes(deps))
    .use(relationsRoutes(deps))
    .use(termsRoutes(deps))

const club = (deps: Deps) =>
  domain('club')
    .use(teamsRoutes(deps))
    .use(matchesRoutes(deps))
    .use(competitionsRoutes(deps))
    .use(playersRoutes(deps))
    .use(seasonsRoutes(deps))
    .use(sponsorsRoutes(deps))
    .use(documentsRoutes(deps))
    .use(picturesRoutes(deps))

const economy = (deps: Deps) =>
  domain('economy')
    .use(pointsRoutes(deps))
    .use(grantRoutes(deps))
    .use(promotionRoutes(deps))
    .use(membershipRoutes(deps))
    .use(leaderboardRoutes(deps))
    .use(eventsRoutes(deps))

const play = (deps: Deps) =>
  domain('play')
    .use(walletsRoutes(deps))
    .use(rewardsRoutes(deps))
    .use(codesRoutes(deps))
    .use(redemptionRoutes(deps))
    .use(packsRoutes(deps))
    .use(tradesRoutes(deps))
    .use(paymentRoutes(deps))
    .use(ownLimitRoutes(deps))
    .use(cashRoutes(deps))
    .use(productsRoutes(deps))
    .use(ordersRoutes(deps))
    .use(receiptRoutes(deps))
    .use(lockersRoutes(deps))
    .use(leaguesRoutes(deps))
    .use(divisionsRoutes(deps))
    .use(questionsRoutes(deps))
    .use(questsRoutes(deps))
    .use(setsRoutes(deps))
    .use(predictionRoutes(deps))
    .use(checkInRoutes(deps))
    .use(membershipsRoutes(deps))

const delivery = (deps: Deps) =>
  domain('delivery').use(streamRoutes(deps)).use(preferenceRoutes(deps)).use(devicesRoutes(deps))

const fan = (deps: Deps) =>
  domain('fan')
    .use(profileRoutes(deps))
    .use(fansRoutes(deps))
    .use(onboardingRoutes(deps))
    .use(syncRoutes(deps))
    .use(accountRoutes(deps))
    .use(socialRoutes(deps))
    .use(referralRoutes(deps))
    .use(consentRoutes(deps))
    .use(messageRoutes(deps))
    .use(moderationRoutes(deps))
    .use(dashboardRoutes(deps))
    .use(statusRoutes(deps))

/** The operations of the API. */
export const createApi = (deps: Deps) => {
  const readStored = createCachedRead(
    async () => ({ ...(await readNotices(deps)), ...(await readSinkNotices(deps)) }),
    { ...NOTICES, elapsed: deps.elapsed },
  )
  const readAllNotices = async () => {
    const problem = deps.publicReads.replica?.problem() ?? null
    return { ...(await readStored()), ...(problem === null ? {} : { replica: `not used: ${problem}` }) }
  }
  return new Elysia({ name: 'matchday/api', normalize: false })
    .use(healthRoutes({ ...deps, readNotices: readAllNotices }))
    .use(callers(deps))
    .use(club(deps))
    .use(fan(deps))
    .use(economy(deps))
    .use(play(deps))
    .use(delivery(deps))
}

export function createApp(deps: Deps) {
  const { enabled, demoFolder } = deps.config.docs
  const api = createApi(deps)
  const docs = enabled
    ? docsRoutes(deps, api, describeMessages, deps.config.production ? {} : developmentOf(deps))
    : new Elysia()
  const demo = demoFolder ? demoRoutes(deps, demoFolder) : new Elysia()
  const guide = enabled && !deps.config.production ? guideRoutes(deps.config) : new Elysia()
  const [gate, shares] = [checkInPages(deps), sharePages(deps)]
  // One plugin: each further one makes the type of the application deeper.
  const files = new Elysia()
    .use(pictureFiles(deps))
    .use(downloadFiles(deps))
    .use(withdrawalPages(deps))
    .use(noticePages(deps))
    .use(exportFiles(deps))
    .use(gate)
    .use(shares)
  const routes = [api, files, docs, demo, guide].flatMap(({ routes }) => routes)

  // `normalize: false`: unknown members are refused by the schemas, not dropped on the way in.
  const app = new Elysia({ normalize: false, strictPath: true })
  const facts = routeFacts([api, files].flatMap(({ routes }) => routes))
  const surroundings = {
    allowedMethods: (path: string) => methodsOf(routes, path),
    templateOf: (path: string) => templateOf(routes, path),
    peerOf: (request: Request) => app.server?.requestIP(request)?.address,
    facts,
    refusalPage(request: Request, { code, type, explanation }: DomainError) {
      if (code === 'not_found')
        return prefersPage(request) ? missingPage(explanation.detail, shareAsset) : undefined
      return wantsPage(request) ? refusalPage(request, type, shareAsset) : undefined
    },
  }
  const composed = app.use(serverHooks(deps, surroundings))
  for (const { method, path } of shadowedRoutes(api.routes))
    composed.route(method, path, () => {
      throw new NotFoundError()
    })
  const { tracer } = deps
  if (tracer) {
    composed.wrap((handle, request) =>
      // Guarantee of the cast: Elysia wraps its handler of requests.
      facts.isProbe(pathOf(request.url)) ? handle : tracer.handle(handle as unknown as RequestHandler),
    )
  }
  return composed.use(api).use(files).use(docs).use(demo).use(guide)
}

export type App = ReturnType<typeof createApp>
