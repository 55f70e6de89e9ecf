/** An OAuth client: public (no secret), so that PKCE is what ties a code to it. */
export interface Client {
  id: string
  /** As the sign-in page names it. */
  name: string
  /** Custom schemes it may be redirected to, beside loopback addresses. */
  schemes: readonly string[]
}

const clients: readonly Client[] = [
  { id: 'matchday-swagger', name: 'Matchday API docs', schemes: [] },
  { id: 'matchday-app', name: 'Matchday app', schemes: ['matchday'] },
]

// Judged as written, before any URL parser normalises it: `http://2130706433`, `http://localhost@evil.example` and
// backslashes never get as far as being resolved.
const loopback =
  /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::(\d{1,5}))?(?:[/?][\w\-.~!$&'()*+,;=:@%/?]*)?$/
const customScheme = /^([a-z][a-z0-9+.-]*):\/\/[\w\-.~!$&'()*+,;=:@%/?]*$/

/** The client of that id, or undefined. Ids are compared exactly. */
export function findClient(id: string | undefined): Client | undefined {
  return clients.find(client => client.id === id)
}

/**
 * Whether a redirect URI belongs to a client: plain http to localhost, 127.0.0.1 or [::1] with any port and path
 * (RFC 8252 §7.3), or a custom scheme of the client. No fragment, no user info.
 */
export function isRegisteredRedirect(client: Client, uri: string): boolean {
  const port = loopback.exec(uri)
  if (port) return Number(port[1] ?? 80) <= 65535
  const scheme = customScheme.exec(uri)?.[1]
  return scheme !== undefined && client.schemes.includes(scheme)
}

/**
 * The CSP `form-action` source that lets a form's answer redirect to `uri`: browsers hold redirects after a POST to it
 * as well. IPv6 addresses cannot be written there, so for these the scheme stands alone.
 */
export function formActionSource(uri: string): string {
  const { protocol, origin, hostname } = new URL(uri)
  return protocol === 'http:' && !hostname.startsWith('[') ? origin : protocol
}
