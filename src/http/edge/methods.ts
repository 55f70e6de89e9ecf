/** The methods of a path. A path without methods is a 404, another method a 405. */

interface Route {
  method: string
  path: string
}

/** Methods of the routes that match `path`, sorted; empty if none matches. */
export function methodsOf(routes: Route[], path: string): string[] {
  // A path of its own is no value of another path's parameter: `/packs/purchase` is no pack.
  const literal = routes.filter(route => route.path === path)
  const matching = literal.length > 0 ? literal : routes.filter(route => matches(route.path, path))
  const methods = matching.map(route => route.method)
  // Elysia answers HEAD on each route of GET.
  if (methods.includes('GET')) methods.push('HEAD')
  if (methods.length > 0) methods.push('OPTIONS')
  return [...new Set(methods)].sort()
}

/**
 * Paths that the router would give to another route's parameter, with the methods that they do not take themselves: GET of
 * `/packs/purchase` is not GET of `/packs/:packId`.
 */
export function shadowedRoutes(routes: Route[]): Route[] {
  const shadowed = routes
    .filter(({ path }) => !path.includes(':'))
    .flatMap(({ path }) =>
      routes
        .filter(other => other.path.includes(':') && matches(other.path, path))
        .filter(({ method }) => !routes.some(route => route.path === path && route.method === method))
        .map(({ method }) => ({ method, path })),
    )
  return [...new Map(shadowed.map(route => [`${route.method} ${route.path}`, route])).values()]
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/')
  const given = path.split('/')
  return (
    wanted.length === given.length &&
    wanted.every((segment, at) => (segment.startsWith(':') ? given[at] !== '' : segment === given[at]))
  )
}
