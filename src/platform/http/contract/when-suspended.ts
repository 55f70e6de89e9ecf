/** Requests of operations that fans may call who are suspended, or lack the consent of a guardian. */

/** As `operation` declares it. */
interface Allowed {
  whenSuspended?: 'allowed' | 'partly'
  guardianConsent?: 'required' | 'partly'
}

const allowed = new WeakMap<Request, Allowed>()

/** A transform of the operation. */
export const noteAllowed =
  (declared: Allowed) =>
  ({ request }: { request: Request }): void =>
    void allowed.set(request, declared)

/** What the unit of work of the request refuses, if the verb does not. */
export function allowedOf(request: Request) {
  const { whenSuspended, guardianConsent } = allowed.get(request) ?? {}
  const allowedWhenSuspended = whenSuspended !== undefined
  return {
    allowedWhenSuspended,
    allowedWithoutGuardian: allowedWhenSuspended && guardianConsent !== 'required',
  }
}
