/** The methods of a path. A path without methods is a 404, another method a 405. */

interface Route {
  method: string
  path: string
}

/** Methods of the routes that match `path`, sorted; empty if none matches. */
export function methodsOf(routes: Route[], path: string): string[] {
  const methods = routes.filter(route => matches(route.path, path)).map(route => route.method)
  // Elysia answers HEAD on each route of GET.
  if (methods.includes('GET')) methods.push('HEAD')
  if (methods.length > 0) methods.push('OPTIONS')
  return [...new Set(methods)].sort()
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/')
  const given = path.split('/')
  return (
    wanted.length === given.length &&
    wanted.every((segment, at) => (segment.startsWith(':') ? given[at] !== '' : segment === given[at]))
  )
}
