const name = 'mock_idp_session'

/** The id of the browser session in a request's cookie. */
export function browserSessionId(request: Request): string | undefined {
  const cookies = (request.headers.get('cookie') ?? '').split(';').map(pair => pair.trim())
  return cookies.find(pair => pair.startsWith(`${name}=`))?.slice(name.length + 1)
}

/** The Set-Cookie value of a browser session; the browser drops it when it closes. */
export function sessionCookie(id: string): string {
  return `${name}=${id}; Path=/; HttpOnly; SameSite=Lax`
}

/** The Set-Cookie value that deletes the session cookie. */
export function expiredSessionCookie(): string {
  return `${name}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax`
}
