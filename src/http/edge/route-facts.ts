/** Facts of a path from the declarations of all routes, for hooks that run before routing. */
import { declaredOf } from '../contract/operation.ts'

interface Route {
  path: string
  hooks: { detail?: Record<string, unknown> }
}

export interface RouteFacts {
  /** Load balancers' probes: no limit, no check of the query or of the Host header. */
  isProbe(path: string): boolean
  /** Requests on this path could guess tokens: a tighter limit per address applies. */
  issuesTokens(path: string): boolean
  /** `ready` of the declarations, by path. */
  ready: ReadonlyMap<string, () => unknown>
}

export function routeFacts(routes: Route[]): RouteFacts {
  const probes = new Set<string>()
  const tokens = new Set<string>()
  const tokenPrefixes: string[] = []
  const ready = new Map<string, () => unknown>()
  for (const route of routes) {
    const declared = declaredOf(route)
    if (!declared) continue
    const { path } = route
    const parameter = path.indexOf(':')
    if (declared.probe) probes.add(path)
    if (declared.ready) ready.set(path, declared.ready)
    if (declared.limit !== 'tokens') continue
    if (parameter < 0) tokens.add(path)
    else tokenPrefixes.push(path.slice(0, parameter))
  }
  return {
    isProbe: path => probes.has(path),
    issuesTokens: path => tokens.has(path) || tokenPrefixes.some(prefix => path.startsWith(prefix)),
    ready,
  }
}
