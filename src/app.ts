/** The whole application on its dependencies. Never listens: `main.ts` does, and tests call `handle`. */
import { Elysia, NotFoundError } from 'elysia'
import { accountRoutes } from './account/routes.ts'
import { authRoutes } from './auth/routes.ts'
import { dashboardRoutes } from './dashboard/routes.ts'
import type { Deps } from './deps.ts'
import { demoRoutes } from './docs/demo.ts'
import { guideRoutes } from './docs/guide.ts'
import { docsRoutes } from './docs/routes.ts'
import { healthRoutes } from './health/routes.ts'
import { methodsOf, shadowedRoutes } from './http/edge/methods.ts'
import { routeFacts } from './http/edge/route-facts.ts'
import { serverHooks } from './http/edge/server-hooks.ts'
import { leaderboardRoutes } from './leaderboard/routes.ts'
import { onboardingRoutes } from './onboarding/routes.ts'
import { paymentRoutes } from './packs/payments/routes.ts'
import { packsRoutes } from './packs/routes.ts'
import { membershipRoutes } from './points/membership-routes.ts'
import { pointsRoutes } from './points/routes.ts'
import { profileRoutes } from './profile/routes.ts'
import { syncRoutes } from './profile/sync-routes.ts'
import { rewardsRoutes } from './rewards/routes.ts'
import { teamsRoutes } from './teams/routes.ts'
import { identityRoutes } from './users/routes.ts'

/** The operations of the API. */
export const createApi = (deps: Deps) =>
  new Elysia({ name: 'matchday/api', normalize: false })
    .use(healthRoutes(deps))
    .use(authRoutes(deps))
    .use(teamsRoutes(deps))
    .use(profileRoutes(deps))
    .use(onboardingRoutes(deps))
    .use(syncRoutes(deps))
    .use(identityRoutes(deps))
    .use(accountRoutes(deps))
    .use(pointsRoutes(deps))
    .use(membershipRoutes(deps))
    .use(leaderboardRoutes(deps))
    .use(dashboardRoutes(deps))
    .use(rewardsRoutes(deps))
    .use(packsRoutes(deps))
    .use(paymentRoutes(deps))

export function createApp(deps: Deps) {
  const { enabled, demoFolder } = deps.config.docs
  const api = createApi(deps)
  const docs = enabled ? docsRoutes(deps, api) : new Elysia()
  const demo = demoFolder ? demoRoutes(deps, demoFolder) : new Elysia()
  const guide = enabled && !deps.config.production ? guideRoutes() : new Elysia()
  const routes = [...api.routes, ...docs.routes, ...demo.routes, ...guide.routes]

  // `normalize: false`: unknown members are refused by the schemas, not dropped on the way in.
  const app = new Elysia({ normalize: false, strictPath: true })
  const surroundings = {
    allowedMethods: (path: string) => methodsOf(routes, path),
    peerOf: (request: Request) => app.server?.requestIP(request)?.address,
    facts: routeFacts(api.routes),
  }
  const composed = app.use(serverHooks(deps, surroundings))
  for (const { method, path } of shadowedRoutes(api.routes))
    composed.route(method, path, () => {
      throw new NotFoundError()
    })
  return composed.use(api).use(docs).use(demo).use(guide)
}

export type App = ReturnType<typeof createApp>
