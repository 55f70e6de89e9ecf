/** The console as one application: its API and its pages. It does not listen: `server.ts` does, and tests call `handle`. */
import { type AnyElysia, Elysia, NotFoundError } from 'elysia'
import type { RequestHandler, Tracer } from '../../core/tracer.ts'
import { methodsOf, shadowedRoutes, templateOf } from '../../platform/http/edge/methods.ts'
import { routeFacts } from '../../platform/http/edge/route-facts.ts'
import { serverHooks } from '../../platform/http/edge/server-hooks.ts'
import { createRateLimiter } from '../../platform/http/rate-limits/rate-limiter.ts'
import { approvalRoutes } from './approvals/routes.ts'
import { auditRoutes } from './audit/routes.ts'
import { campaignRoutes } from './campaigns/routes.ts'
import { catalogueRoutes } from './catalogue/routes.ts'
import type { ConsoleDeps } from './deps.ts'
import { deskRoutes } from './desk/routes.ts'
import { fanActionRoutes } from './fans/actions/routes.ts'
import { priorityRoutes } from './fans/priority.ts'
import { fansRoutes } from './fans/routes.ts'
import { jobRoutes } from './jobs/routes.ts'
import { keyRoutes } from './keys/routes.ts'
import { leagueRoutes } from './leagues/routes.ts'
import { matchDayRoutes } from './match-day/routes.ts'
import { moderationRoutes } from './moderation/routes.ts'
import { orderDeskRoutes } from './orders/routes.ts'
import { overviewRoutes } from './overview/routes.ts'
import { pageRoutes } from './page-routes.ts'
import { pictureRoutes } from './pictures/routes.ts'
import { providerRoutes } from './provider/routes.ts'
import { questionRoutes } from './questions/routes.ts'
import { seasonRoutes } from './season/routes.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { staffRoutes } from './sessions/staff-routes.ts'
import { webhookRoutes } from './webhooks/routes.ts'

/**
 * Requests and refused secrets per minute and network address. A club's staff may share an address, and typing errors stay
 * far below.
 */
const RATES = { address: 6_000, tokensPerAddress: 60 }

type Handle = (request: Request) => Promise<Response>

/**
 * All operations, with one line for each area of the console. The types of the routes are dropped: no client uses them, and
 * they would slow the compiler.
 */
export const createConsoleApi = (deps: ConsoleDeps, handle: Handle = refuse): AnyElysia =>
  new Elysia({ name: 'console/api', normalize: false })
    .use(sessionRoutes(deps))
    .use(providerRoutes(deps))
    .use(fansRoutes(deps))
    .use(staffRoutes(deps))
    .use(fanActionRoutes(deps))
    .use(priorityRoutes(deps))
    .use(auditRoutes(deps))
    .use(approvalRoutes(deps, handle))
    .use(overviewRoutes(deps))
    .use(seasonRoutes(deps))
    .use(webhookRoutes(deps))
    .use(keyRoutes(deps))
    .use(jobRoutes(deps))
    .use(catalogueRoutes(deps))
    .use(campaignRoutes(deps))
    .use(deskRoutes(deps))
    .use(moderationRoutes(deps))
    .use(leagueRoutes(deps))
    .use(matchDayRoutes(deps))
    .use(questionRoutes(deps))
    .use(orderDeskRoutes(deps))
    .use(pictureRoutes(deps))

/** For an API that is only read, not served. */
const refuse = () => Promise.reject(new Error('the console is not composed'))

/** `createApi`: tests add operations of their own. */
export function createConsoleApp(deps: ConsoleDeps, createApi = createConsoleApi) {
  const { config, elapsed, observers, tracer } = deps
  const api = createApi(deps, request => app.handle(request))
  const app = new Elysia({ normalize: false, strictPath: true })
  const surroundings = {
    allowedMethods: (path: string) => methodsOf(api.routes, path),
    templateOf: (path: string) => templateOf(api.routes, path),
    peerOf: (request: Request) => app.server?.requestIP(request)?.address,
    facts: routeFacts(api.routes),
  }
  const hooks = serverHooks(
    {
      ...deps,
      // No other origin may read it, regardless of CORS_ORIGINS.
      config: { ...config, network: { ...config.network, corsOrigins: [], corsLoopback: false } },
      observers: { request: observers.consoleRequest },
      rateLimiter: createRateLimiter({ rates: { ...config.limits.rates, ...RATES }, monotonic: elapsed }),
      tracer: tracer && named(tracer),
    },
    surroundings,
  )
  const composed = app.use(hooks)
  for (const { method, path } of shadowedRoutes(api.routes))
    composed.route(method, path, () => {
      throw new NotFoundError()
    })
  if (tracer)
    // Guarantee of the cast: Elysia wraps its handler of requests.
    composed.wrap(handle => tracer.handle(handle as unknown as RequestHandler))
  return composed.use(api).use(pageRoutes(config))
}

/** Adds a prefix, since some ids of operations are also used by the API. */
const named = (tracer: Tracer): Tracer => ({
  ...tracer,
  describeRequest: (operation, route) => tracer.describeRequest(operation && `console ${operation}`, route),
})
