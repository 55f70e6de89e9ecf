/** Facts of a path from the declarations of all routes, for hooks that run before routing. */
import { CALLER_KIND } from '../contract/group.ts'
import { declaredOf, pageFactsOf } from '../contract/operation.ts'
import { templateOf } from './methods.ts'

interface Route {
  method: string
  path: string
  hooks: { detail?: Record<string, unknown> }
}

export type RouteFacts = ReturnType<typeof routeFacts>

export function routeFacts(routes: Route[]) {
  const probes = new Set<string>()
  const judgesSecrets = new Set<string>()
  const bodies = new Map<string, number>()
  /** Routes with parameters, such as `/entries/:entryId`. */
  const parametrized: Route[] = []
  const bodiesOfAnyone = new Set<string>()
  const operations = new Map<string, string>()
  for (const route of routes) {
    const page = pageFactsOf(route)
    if (page) operations.set(`${route.method} ${route.path}`, page.id)
    if (page?.takesBody) bodiesOfAnyone.add(route.path)
    const declared = declaredOf(route)
    if (!declared) continue
    const { method, path } = route
    operations.set(`${method} ${path}`, declared.id)
    // Elysia answers HEAD on each route of GET.
    if (method === 'GET') operations.set(`HEAD ${path}`, declared.id)
    if (declared.probe) probes.add(path)
    const ofAnyone = route.hooks.detail?.[CALLER_KIND] === 'anyone'
    if (declared.takesBody && ofAnyone) bodiesOfAnyone.add(path)
    if (declared.limit === 'tokens' && ofAnyone) judgesSecrets.add(`${method} ${path}`)
    if (declared.maxBodyBytes === undefined) continue
    bodies.set(path, declared.maxBodyBytes)
    if (path.includes(':')) parametrized.push(route)
  }
  return {
    /** The id of the operation of a route, given as its declared path; undefined if it declares none. */
    operationOf: (method: string, route: string | undefined) => operations.get(`${method} ${route}`),
    /** Load balancers' probes: no limit, no check of the query or of the Host header. */
    isProbe: (path: string) => probes.has(path),
    /** The operation of a route judges a secret that names no caller, which a request could guess. */
    judgesSecret: (method: string, route: string | undefined) => judgesSecrets.has(`${method} ${route}`),
    /** The operation on this path reads a body without knowing its caller. */
    readsBodyOfAnyone: (path: string) => bodiesOfAnyone.has(path),
    /** Bytes; undefined where the limit of the configuration applies. */
    maxBodyBytes: (path: string) =>
      bodies.get(path) ??
      (parametrized.length > 0 ? bodies.get(templateOf(parametrized, path) ?? '') : undefined),
  }
}
