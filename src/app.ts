/** The whole application on its dependencies. Never listens: `main.ts` does, and tests call `handle`. */
import { Elysia, NotFoundError } from 'elysia'
import { accountRoutes } from './account/routes.ts'
import { authRoutes } from './auth/routes.ts'
import { checkInPages } from './check-ins/page-routes.ts'
import { checkInRoutes } from './check-ins/routes.ts'
import { createCachedRead } from './core/cached-read.ts'
import type { RequestHandler } from './core/tracer.ts'
import { dashboardRoutes } from './dashboard/routes.ts'
import type { Deps } from './deps.ts'
import { demoRoutes } from './docs/demo.ts'
import { guideRoutes } from './docs/guide.ts'
import { docsRoutes } from './docs/routes.ts'
import { readSinkNotices } from './event-sink/backlog.ts'
import { eventsRoutes } from './events/routes.ts'
import { healthRoutes } from './health/routes.ts'
import { methodsOf, shadowedRoutes } from './http/edge/methods.ts'
import { pathOf } from './http/edge/query.ts'
import { routeFacts } from './http/edge/route-facts.ts'
import { serverHooks } from './http/edge/server-hooks.ts'
import { leaderboardRoutes } from './leaderboard/routes.ts'
import { matchesRoutes } from './matches/routes.ts'
import { onboardingRoutes } from './onboarding/routes.ts'
import { paymentRoutes } from './packs/payments/routes.ts'
import { packsRoutes } from './packs/routes.ts'
import { grantRoutes } from './points/grant-routes.ts'
import { membershipRoutes } from './points/membership-routes.ts'
import { pointsRoutes } from './points/routes.ts'
import { predictionRoutes } from './predictions/routes.ts'
import { profileRoutes } from './profile/routes.ts'
import { syncRoutes } from './profile/sync-routes.ts'
import { questsRoutes } from './quests/routes.ts'
import { redemptionRoutes } from './rewards/redemption-routes.ts'
import { rewardsRoutes } from './rewards/routes.ts'
import { streamRoutes } from './stream/routes.ts'
import { teamsRoutes } from './teams/routes.ts'
import { identityRoutes } from './users/routes.ts'
import { describeMessages } from './webhooks/describe.ts'
import { readNotices } from './webhooks/inspect.ts'

/** Probes of several load balancers share one read. Milliseconds. */
const NOTICES = { maxAgeMs: 1_000, deadlineMs: 5_000 }

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
    .use(authRoutes(deps))
    .use(teamsRoutes(deps))
    .use(matchesRoutes(deps))
    .use(profileRoutes(deps))
    .use(onboardingRoutes(deps))
    .use(syncRoutes(deps))
    .use(identityRoutes(deps))
    .use(accountRoutes(deps))
    .use(pointsRoutes(deps))
    .use(grantRoutes(deps))
    .use(membershipRoutes(deps))
    .use(leaderboardRoutes(deps))
    .use(dashboardRoutes(deps))
    .use(questsRoutes(deps))
    .use(rewardsRoutes(deps))
    .use(redemptionRoutes(deps))
    .use(packsRoutes(deps))
    .use(checkInRoutes(deps))
    .use(predictionRoutes(deps))
    .use(paymentRoutes(deps))
    .use(eventsRoutes(deps))
    .use(streamRoutes(deps))
}

export function createApp(deps: Deps) {
  const { enabled, demoFolder } = deps.config.docs
  const api = createApi(deps)
  const docs = enabled ? docsRoutes(deps, api, describeMessages()) : new Elysia()
  const demo = demoFolder ? demoRoutes(deps, demoFolder) : new Elysia()
  const guide = enabled && !deps.config.production ? guideRoutes() : new Elysia()
  const gate = checkInPages()
  const routes = [api, gate, docs, demo, guide].flatMap(({ routes }) => routes)

  // `normalize: false`: unknown members are refused by the schemas, not dropped on the way in.
  const app = new Elysia({ normalize: false, strictPath: true })
  const facts = routeFacts(api.routes)
  const surroundings = {
    allowedMethods: (path: string) => methodsOf(routes, path),
    peerOf: (request: Request) => app.server?.requestIP(request)?.address,
    facts,
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
  return composed.use(api).use(gate).use(docs).use(demo).use(guide)
}

export type App = ReturnType<typeof createApp>
