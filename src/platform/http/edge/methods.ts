/** The methods of a path. A path without methods is a 404, another method a 405. */

interface Route {
  method: string
  path: string
}

/** The routes of any method that match a path. */
function routesOf(routes: Route[], path: string): Route[] {
  // A path of its own is no value of another path's parameter: `/packs/purchase` is no pack.
  const literal = routes.filter(route => route.path === path)
  if (literal.length > 0) return literal
  const given = path.split('/')
  return routes.filter(route => matches(route.path, given))
}

/** The declared path of the routes that match `path`; undefined if none matches. */
export const templateOf = (routes: Route[], path: string): string | undefined =>
  routesOf(routes, path)[0]?.path

/** Methods of the routes that match `path`, sorted; empty if none matches. */
export function methodsOf(routes: Route[], path: string): string[] {
  const methods = routesOf(routes, path).map(route => route.method)
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
  const isParametrized = ({ path }: Route) => path.includes(':')
  const parametrized = routes.filter(isParametrized)
  const declared = new Set(routes.map(({ method, path }) => `${method} ${path}`))
  const literal = new Set(routes.filter(route => !isParametrized(route)).map(({ path }) => path))
  const shadowed = [...literal].flatMap(path => {
    const given = path.split('/')
    return parametrized
      .filter(({ method, path: other }) => !declared.has(`${method} ${path}`) && matches(other, given))
      .map(({ method }) => ({ method, path }))
  })
  return [...new Map(shadowed.map(route => [`${route.method} ${route.path}`, route])).values()]
}

function matches(pattern: string, given: string[]): boolean {
  const wanted = pattern.split('/')
  return (
    wanted.length === given.length &&
    wanted.every((segment, n) => (segment.startsWith(':') ? given[n] !== '' : segment === given[n]))
  )
}
