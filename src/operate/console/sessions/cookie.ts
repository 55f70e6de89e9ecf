/** The cookie of a session. */
import type { ConsoleConfig } from '../../../platform/config/console.ts'

/** A browser accepts the prefix only from this host, over TLS and for all paths. */
export const cookieName = (secure: boolean) => `${secure ? '__Host-' : ''}matchday_console`

/** `maxAge` 0 deletes it. Seconds. */
export const sessionCookie = ({ secure }: Pick<ConsoleConfig, 'secure'>, token: string, maxAge: number) =>
  `${cookieName(secure)}=${token}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${maxAge}${secure ? '; Secure' : ''}`

/**
 * The cookie of a sign-in with the provider, until its response. `Lax`, because the browser then comes from another site.
 */
export const attemptCookieName = (secure: boolean) => `${secure ? '__Host-' : ''}matchday_console_sign_in`

export const attemptCookie = (secure: boolean, value: string, maxAge: number) =>
  `${attemptCookieName(secure)}=${value}; HttpOnly; SameSite=Lax; Path=/; Max-Age=${maxAge}${secure ? '; Secure' : ''}`

/** The value of a cookie; undefined if there is none, or if two have the name, since an attacker may have set one. */
export function readCookie(headers: Headers, name: string): string | undefined {
  const values = (headers.get('cookie') ?? '')
    .split(';')
    .map(pair => pair.trim())
    .filter(pair => pair.startsWith(`${name}=`))
  return values.length === 1 ? values[0]?.slice(name.length + 1) : undefined
}
