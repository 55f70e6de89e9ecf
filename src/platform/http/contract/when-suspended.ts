/** Requests of operations that suspended fans may call: `operation({ whenSuspended: 'allowed' })`. */

const allowed = new WeakSet<Request>()

/** A transform of the operation. */
export const noteAllowed = ({ request }: { request: Request }): void => void allowed.add(request)

export const isAllowedWhenSuspended = (request: Request): boolean => allowed.has(request)
