const name = 'mock_idp_session'

/** The browser session that a request's cookie names. */
export function browserSessionId(request: Request): string | undefined {
  const cookies = (request.headers.get('cookie') ?? '').split(';').map(pair => pair.trim())
  return cookies.find(pair => pair.startsWith(`${name}=`))?.slice(name.length + 1)
}

/** The Set-Cookie value that makes a browser remember who signed in, until it is closed. */
export function rememberBrowser(id: string): string {
  return `${name}=${id}; Path=/; HttpOnly; SameSite=Lax`
}

/** The Set-Cookie value that makes it forget. */
export function forgetBrowser(): string {
  return `${name}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax`
}
