/** A public OAuth client: it has no secret, PKCE binds a code to it. */
export interface Client {
  id: string
  /** Shown on the sign-in page. */
  name: string
  /** Custom URI schemes allowed in redirects, in addition to loopback addresses. */
  schemes: readonly string[]
}

const clients: readonly Client[] = [
  { id: 'matchday-swagger', name: 'Matchday API docs', schemes: [] },
  { id: 'matchday-app', name: 'Matchday app', schemes: ['matchday'] },
]

// Matched as sent, before a URL parser normalises it: this rejects `http://2130706433`, backslashes and
// `http://localhost@evil.example`.
const loopback =
  /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::(\d{1,5}))?(?:[/?][\w\-.~!$&'()*+,;=:@%/?]*)?$/
const customScheme = /^([a-z][a-z0-9+.-]*):\/\/[\w\-.~!$&'()*+,;=:@%/?]*$/

/** The client of that id, or undefined. Ids are compared exactly. */
export function findClient(id: string | undefined): Client | undefined {
  return clients.find(client => client.id === id)
}

/**
 * Whether a redirect URI is registered for a client: http to localhost, 127.0.0.1 or [::1] with any port and path
 * (RFC 8252 §7.3), or a custom scheme of the client. No fragment, no user info.
 */
export function isRegisteredRedirect(client: Client, uri: string): boolean {
  const port = loopback.exec(uri)
  if (port) return Number(port[1] ?? 80) <= 65535
  const scheme = customScheme.exec(uri)?.[1]
  return scheme !== undefined && client.schemes.includes(scheme)
}

/**
 * The CSP `form-action` source that allows the response to a form to redirect to `uri`: browsers apply it to redirects
 * after a POST. CSP has no syntax for IPv6 addresses, so for those the source is the scheme.
 */
export function formActionSource(uri: string): string {
  const { protocol, origin, hostname } = new URL(uri)
  return protocol === 'http:' && !hostname.startsWith('[') ? origin : protocol
}
